import * as z from 'zod'
import { requireConversation } from '../../app/chat/require-conversation.ts'
import { conversationRef } from '../../domain/chat/conversation.ts'
import { find, foundMessage, searchedAtOnce, searchedTo, searchText } from '../../domain/chat/search.ts'
import { cursor, fromCursor, toCursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const searchMessages = operation({
  id: 'searchMessages',
  summary: 'Search messages for words, newest first',
  description:
    'Searches one conversation, or all of them one after another. A request searches a thousand messages, or fewer ' +
    'if they are long. `nextCursor` continues with older messages, even if nothing was found, and is null at the end.',
  http: { method: 'GET', path: '/chat/search' },
  auth: 'user',
  scope: 'api:chat',
  viewed: 'messages',
  input: z.strictObject({
    text: searchText,
    conversation: conversationRef.optional().meta({ description: 'Only in this conversation. Default: in all.' }),
    cursor,
  }),
  output: z.object({ found: z.array(foundMessage), searchedTo, nextCursor: z.string().nullable() }),
  exampleInput: { text: 'tide' },
  errors: ['not-found'],
  uses: { conversations: 'read' },
  run: async ({ input: { text, conversation = null, cursor }, actor, deps }) => {
    const [within, id] = fromCursor(cursor, /^(main|cnv_\w+) msg_\w+$/)?.split(' ') ?? []
    const before = within && id ? { conversation: within, id } : null
    if (conversation) await requireConversation(deps, actor.userId, conversation)
    const read = await deps.conversations.newestFirst(actor.userId, { conversation, before, limit: searchedAtOnce })
    const { found, last: lastSearched, isWhole } = find(read.items, text)
    const last = isWhole ? read.last : lastSearched
    const next = last && (read.more || !isWhole) ? `${last.conversation} ${last.id}` : null
    return { found, searchedTo: last?.at ?? null, nextCursor: toCursor(next) }
  },
})
