import * as z from 'zod'
import { receiveMessage } from '../../app/chat/receive-message.ts'
import { requireReplaceable } from '../../app/chat/replace-message.ts'
import { attachmentIds } from '../../domain/chat/attachment.ts'
import { conversationRef } from '../../domain/chat/conversation.ts'
import { messageId, receivedMessage } from '../../domain/chat/message.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import { maxTextCharacters } from '../../domain/chat/text-limits.ts'
import { traceOf } from '../../domain/chat/trace.ts'
import { text } from '../../domain/text-schema.ts'
import { operation } from '../kit/operation.ts'

export const sendMessage = operation({
  id: 'sendMessage',
  summary: 'Send the agent a message',
  description:
    'The message is stored, and a paused instance is woken. The reply is a message of the agent. If the wallet is ' +
    'empty, `waiting` gives the reason, and the next credit wakes the instance.',
  http: { method: 'POST', path: '/chat/messages', status: 202 },
  creates: true,
  auth: 'user',
  scope: 'api:chat',
  input: z
    .strictObject({
      text: text()
        .trim()
        .max(maxTextCharacters)
        .default('')
        .meta({ description: 'May be empty if there are attachments.' }),
      conversation: conversationRef
        .default(mainConversation)
        .meta({ description: '`main`, or the id of another conversation.' }),
      attachments: attachmentIds.optional().meta({ description: 'Uploaded files; each belongs to one message.' }),
      replaces: messageId.optional().meta({
        description:
          'A message of the user in this conversation, of which this one is a new version. The agent answers it as ' +
          'if nothing had been said since. Files of the earlier version may be named again.',
      }),
    })
    .refine(({ text, attachments = [] }) => text !== '' || attachments.length > 0, {
      path: ['text'],
      message: 'Send words, or attachments.',
    }),
  output: receivedMessage,
  exampleInput: { text: 'When is the tide?' },
  errors: ['conflict', 'not-found'],
  uses: {
    attachments: 'write',
    attachmentFiles: 'write',
    instances: 'write',
    conversations: 'write',
    wallets: 'read',
    events: 'write',
    bus: 'write',
    outbox: 'write',
    runtimes: 'read',
  },
  run: async ({ input: { replaces: id, ...input }, actor, deps, now, request, claims }) => {
    const trace = traceOf(request.headers['x-amzn-trace-id'])
    const { conversation } = input
    const replaces = id && (await requireReplaceable(deps, actor.userId, { conversation, replaces: id }))
    const sent = { ...input, channel: 'web' as const, trace, ...(replaces && { replaces }) }
    return receiveMessage(deps, actor.userId, sent, now, ...claims)
  },
})
