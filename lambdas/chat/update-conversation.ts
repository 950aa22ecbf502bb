import * as z from 'zod'
import { checkModel } from '../../app/models/check-model.ts'
import { chosenModel, conversation, conversationTitle, startedConversationId } from '../../domain/chat/conversation.ts'
import { invalid, notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const updateConversation = operation({
  id: 'updateConversation',
  summary: 'Rename, pin or archive a conversation, mark it as read, or choose its model',
  description:
    'An archived conversation keeps its messages. The next message in it restores it. A message of the user marks a ' +
    'conversation as read, and one of the agent as unread. A model is used from the next reply on; null chooses ' +
    'the default of the instance.',
  http: { method: 'PATCH', path: '/chat/conversations/{id}' },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({
    id: startedConversationId,
    title: conversationTitle.optional(),
    archived: z.boolean().optional(),
    pinned: z.boolean().optional(),
    unread: z.boolean().optional(),
    model: chosenModel.optional(),
  }),
  output: z.object({ conversation }),
  errors: ['not-found'],
  uses: { conversations: 'write', events: 'write', models: 'read' },
  run: async ({ input: { id, ...attributes }, actor: { userId }, deps }) => {
    if (Object.keys(attributes).length === 0) throw invalid('title', 'send it, or another attribute.')
    if (attributes.model) await checkModel(deps.models, attributes.model)
    const changed = await deps.conversations.change(userId, id, attributes)
    if (!changed) throw notFound('conversation')
    // Each opened conversation is marked as read: that is no news for webhooks.
    if (Object.keys(attributes).some((name) => name !== 'unread'))
      await deps.events.record(userId, 'conversation.changed', { conversation: changed })
    return { conversation: changed }
  },
})
