import * as z from 'zod'
import { receiveMessage } from '../../app/chat/receive-message.ts'
import { message, messageText } from '../../domain/chat/message.ts'
import { operation } from '../kit/operation.ts'

export const sendMessage = operation({
  id: 'sendMessage',
  summary: 'Send the agent a message',
  description: 'The message is kept and the instance woken if it sleeps; the reply comes as a message of the agent.',
  http: { method: 'POST', path: '/chat/messages', status: 202 },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({ text: messageText }),
  output: z.object({ message }),
  errors: ['conflict'],
  uses: { instances: 'write', conversations: 'write', events: 'write', bus: 'write', outbox: 'write' },
  run: async ({ input, actor, deps, now }) => ({
    message: await receiveMessage(deps, actor.userId, { text: input.text, channel: 'web' }, now),
  }),
})
