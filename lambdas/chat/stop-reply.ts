import * as z from 'zod'
import { stopReply as stop } from '../../app/chat/stop-reply.ts'
import { messageId } from '../../domain/chat/message.ts'
import { notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const stopReply = operation({
  id: 'stopReply',
  summary: 'Stop answering a message',
  description:
    'What nobody works on yet is closed at once (`closed`). Else its machine is told, which ends its model call and closes the prompt ' +
    'within seconds (`stopping`): `prompt.closed` says so. What was spent until then is paid.',
  http: { method: 'POST', path: '/chat/messages/{id}/stop' },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({
    id: messageId.meta({ description: 'The id of the user’s message.' }),
  }),
  output: z.object({ promptId: z.string(), state: z.enum(['closed', 'stopping']) }),
  errors: ['not-found'],
  uses: { conversations: 'write', events: 'write' },
  run: async ({ input, actor: { userId }, deps, now }) => {
    const stopped = await stop(deps, userId, input.id, now)
    if (!stopped) throw notFound('message that waits for an answer')
    return stopped
  },
})
