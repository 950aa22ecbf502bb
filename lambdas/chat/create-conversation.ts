import * as z from 'zod'
import { conversation, conversationTitle, newConversation } from '../../domain/chat/conversation.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const createConversation = operation({
  id: 'createConversation',
  summary: 'Start a conversation',
  description:
    'In a conversation, the agent knows only that conversation and its own notes. Without a title, the first ' +
    'message becomes the title.',
  http: { method: 'POST', path: '/chat/conversations', status: 201 },
  creates: true,
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({ title: conversationTitle.optional() }),
  output: z.object({ conversation }),
  uses: { conversations: 'write', events: 'write' },
  run: async ({ input, actor: { userId }, deps, now, claims }) => {
    const id = deps.ids.next('cnv')
    const started = newConversation({ id, title: input.title ?? null, startedBy: 'user', createdAt: iso(now) })
    await deps.conversations.start(userId, started, ...claims)
    await deps.events.record(userId, 'conversation.changed', { conversation: started })
    return { conversation: started }
  },
})
