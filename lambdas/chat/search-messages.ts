import * as z from 'zod'
import { conversationRef } from '../../domain/chat/conversation.ts'
import { find, foundMessage, searchedAtOnce, searchedTo, searchText } from '../../domain/chat/search.ts'
import { cursor, fromCursor, toCursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const searchMessages = operation({
  id: 'searchMessages',
  summary: 'Messages that have these words, newest first',
  description:
    'Of all conversations, one after another, or of one. It reads a thousand messages, fewer when they are long; `nextCursor` ' +
    'goes on with those before them, also when nothing was found, and is null once all were read.',
  http: { method: 'GET', path: '/chat/search' },
  auth: 'user',
  scope: 'api:chat',
  viewed: 'messages',
  input: z.strictObject({
    text: searchText,
    conversation: conversationRef.optional().meta({ description: 'Only in this one; in all when left out.' }),
    cursor,
  }),
  output: z.object({ found: z.array(foundMessage), searchedTo, nextCursor: z.string().nullable() }),
  exampleInput: { text: 'tide' },
  uses: { conversations: 'read' },
  run: async ({ input: { text, conversation = null, cursor }, actor, deps }) => {
    const [within, id] = fromCursor(cursor, /^(main|cnv_\w+) msg_\w+$/)?.split(' ') ?? []
    const before = within && id ? { conversation: within, id } : null
    const read = await deps.conversations.newestFirst(actor.userId, { conversation, before, limit: searchedAtOnce })
    const { found, last, isWhole } = find(read.items, text)
    const next = last && (read.more || !isWhole) ? `${last.conversation} ${last.id}` : null
    return { found, searchedTo: last?.at ?? null, nextCursor: toCursor(next) }
  },
})
