import * as z from 'zod'
import { unlink } from '../../app/channels/unlink.ts'
import { link, linkId, showLink } from '../../domain/channels/link.ts'
import { notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const deleteChannel = operation({
  id: 'deleteChannel',
  summary: 'Unlink a chat',
  description: 'Messages in the chat no longer reach your agent, and nothing is sent there. Earlier messages stay.',
  http: { method: 'DELETE', path: '/channels/{id}' },
  auth: 'user',
  scope: 'api:channels',
  input: z.strictObject({ id: linkId }),
  output: z.object({ channel: link }),
  errors: ['not-found'],
  commits: true,
  uses: { channelLinks: 'write', events: 'write' },
  run: async ({ input, actor: { userId }, deps, outboxFor }) => {
    const gone = await unlink(deps, userId, input.id, outboxFor)
    if (!gone) throw notFound('linked chat')
    return { channel: showLink(gone) }
  },
})
