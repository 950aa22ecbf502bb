import * as z from 'zod'
import { receiveMessage } from '../../app/chat/receive-message.ts'
import { conversationRef } from '../../domain/chat/conversation.ts'
import { messageText, receivedMessage } from '../../domain/chat/message.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import { operation } from '../kit/operation.ts'

export const sendMessage = operation({
  id: 'sendMessage',
  summary: 'Send the agent a message',
  description:
    'The message is kept and the instance woken if it sleeps; the reply comes as a message of the agent. With an empty wallet it is ' +
    'kept and `waiting` says why; money wakes the instance.',
  http: { method: 'POST', path: '/chat/messages', status: 202 },
  creates: true,
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({
    text: messageText,
    conversation: conversationRef
      .default(mainConversation)
      .meta({ description: '`main`, or the id of another conversation.' }),
  }),
  output: receivedMessage,
  errors: ['conflict', 'not-found'],
  uses: {
    instances: 'write',
    conversations: 'write',
    wallets: 'read',
    events: 'write',
    bus: 'write',
    outbox: 'write',
  },
  run: ({ input, actor, deps, now }) => receiveMessage(deps, actor.userId, { ...input, channel: 'web' }, now),
})
