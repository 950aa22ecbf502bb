import * as z from 'zod'
import { message } from '../../domain/chat/message.ts'
import { idPattern } from '../../domain/ids.ts'
import { pageLimit } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const listMessages = operation({
  id: 'listMessages',
  summary: 'The conversation, oldest first',
  description:
    'Without `after` the newest page; with it what came after that message. Long messages make a page shorter than `limit`.',
  http: { method: 'GET', path: '/chat/messages' },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({ after: z.string().regex(idPattern('msg')).optional(), limit: pageLimit }),
  output: z.object({ messages: z.array(message), nextCursor: z.string().nullable() }),
  uses: { conversations: 'read' },
  run: async ({ input, actor, deps }) => {
    const page = await deps.conversations.messages(actor.userId, { after: input.after ?? null, limit: input.limit })
    return { messages: page.items, nextCursor: page.next }
  },
})
