import * as z from 'zod'
import { link, linkId, showLink } from '../../domain/channels/link.ts'
import { notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const updateChannel = operation({
  id: 'updateChannel',
  summary: 'Choose the chat for messages that the agent starts itself',
  description: 'The agent’s unsolicited messages, the results of its schedules and its questions go to this chat.',
  http: { method: 'PATCH', path: '/channels/{id}' },
  auth: 'user',
  scope: 'api:channels',
  input: z.strictObject({ id: linkId, home: z.literal(true) }),
  output: z.object({ channel: link }),
  errors: ['not-found'],
  commits: true,
  uses: { channelLinks: 'write', events: 'write' },
  run: async ({ input, actor: { userId }, deps, outboxFor }) => {
    const chosen = await deps.channelLinks.chooseHome(userId, input.id, outboxFor(input.id))
    if (!chosen) throw notFound('linked chat')
    await deps.events.record(userId, 'channel.changed', { linkId: chosen.id })
    return { channel: showLink(chosen) }
  },
})
