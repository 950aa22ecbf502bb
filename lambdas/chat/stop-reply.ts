import * as z from 'zod'
import { stopReply as stop } from '../../app/chat/stop-reply.ts'
import { messageId } from '../../domain/chat/message.ts'
import { notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const stopReply = operation({
  id: 'stopReply',
  summary: 'Stop answering a message',
  description:
    'A message that no machine works on yet is closed at once (`closed`). Otherwise the machine is told to end its ' +
    'model call and close the prompt within seconds (`stopping`); the event `prompt.closed` reports it. The cost so ' +
    'far is charged.',
  http: { method: 'POST', path: '/chat/messages/{id}/stop' },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({ id: messageId.meta({ description: 'The id of the user’s message.' }) }),
  output: z.object({ promptId: z.string(), state: z.enum(['closed', 'stopping']) }),
  errors: ['not-found'],
  uses: { conversations: 'write', events: 'write' },
  run: async ({ input, actor: { userId }, deps, now }) => {
    const stopped = await stop(deps, userId, input.id, now)
    if (!stopped) throw notFound('message that waits for an answer')
    return stopped
  },
})
