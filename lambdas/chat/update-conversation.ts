import * as z from 'zod'
import { conversation, conversationTitle, startedConversationId } from '../../domain/chat/conversation.ts'
import { invalid, notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const updateConversation = operation({
  id: 'updateConversation',
  summary: 'Rename, pin or archive a conversation, or mark it as read',
  description:
    'An archived conversation keeps its messages. The next message in it restores it. A message of the user marks a ' +
    'conversation as read, and one of the agent as unread.',
  http: { method: 'PATCH', path: '/chat/conversations/{id}' },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({
    id: startedConversationId,
    title: conversationTitle.optional(),
    archived: z.boolean().optional(),
    pinned: z.boolean().optional(),
    unread: z.boolean().optional(),
  }),
  output: z.object({ conversation }),
  errors: ['not-found'],
  uses: { conversations: 'write', events: 'write' },
  run: async ({ input: { id, ...attributes }, actor: { userId }, deps }) => {
    if (Object.keys(attributes).length === 0) throw invalid('title', 'send it, or another attribute.')
    const changed = await deps.conversations.change(userId, id, attributes)
    if (!changed) throw notFound('conversation')
    // Each opened conversation is marked as read: that is no news for webhooks.
    if (Object.keys(attributes).some((name) => name !== 'unread'))
      await deps.events.record(userId, 'conversation.changed', { conversation: changed })
    return { conversation: changed }
  },
})
