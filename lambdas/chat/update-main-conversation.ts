import * as z from 'zod'
import { mainState } from '../../domain/chat/conversation.ts'
import { operation } from '../kit/operation.ts'

export const updateMainConversation = operation({
  id: 'updateMainConversation',
  summary: 'Mark the main conversation as read or unread',
  http: { method: 'PATCH', path: '/chat/conversations/main' },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({ unread: z.boolean() }),
  output: z.object({ main: mainState }),
  uses: { conversations: 'write' },
  run: async ({ input, actor: { userId }, deps, now }) => ({
    main: await deps.conversations.changeMain(userId, input, now),
  }),
})
