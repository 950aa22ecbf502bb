import * as z from 'zod'
import { conversation, conversationTitle, startedConversationId } from '../../domain/chat/conversation.ts'
import { invalid, notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const updateConversation = operation({
  id: 'updateConversation',
  summary: 'Rename or archive a conversation',
  description: 'An archived conversation keeps its messages. The next message in it restores it.',
  http: { method: 'PATCH', path: '/chat/conversations/{id}' },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({
    id: startedConversationId,
    title: conversationTitle.optional(),
    archived: z.boolean().optional(),
  }),
  output: z.object({ conversation }),
  errors: ['not-found'],
  uses: { conversations: 'write', events: 'write' },
  run: async ({ input: { id, ...attributes }, actor: { userId }, deps }) => {
    if (Object.keys(attributes).length === 0) throw invalid('title', 'send it or `archived`.')
    const changed = await deps.conversations.change(userId, id, attributes)
    if (!changed) throw notFound('conversation')
    await deps.events.record(userId, 'conversation.changed', { conversation: changed })
    return { conversation: changed }
  },
})
