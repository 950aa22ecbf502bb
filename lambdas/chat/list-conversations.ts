import * as z from 'zod'
import { conversation, mainState } from '../../domain/chat/conversation.ts'
import { cursor, fromCursor, pageLimit, toCursor } from '../../domain/page.ts'
import { operation } from '../kit/operation.ts'

export const listConversations = operation({
  id: 'listConversations',
  summary: 'List all conversations except the main one, latest start first',
  description:
    'The main conversation, `main`, always exists and is not listed. The first page has its state besides the list.',
  http: { method: 'GET', path: '/chat/conversations' },
  auth: 'user',
  scope: 'api:chat',
  viewed: 'messages',
  input: z.strictObject({ cursor, limit: pageLimit }),
  output: z.object({
    conversations: z.array(conversation),
    main: mainState.optional().meta({ description: 'On the first page: the state of the main conversation.' }),
    nextCursor: z.string().nullable(),
  }),
  uses: { conversations: 'read' },
  run: async ({ input, actor, deps }) => {
    const after = fromCursor(input.cursor, 'cnv')
    const [page, main] = await Promise.all([
      deps.conversations.list(actor.userId, { after, limit: input.limit }),
      after === null ? deps.conversations.main(actor.userId) : null,
    ])
    return { conversations: page.items, ...(main && { main }), nextCursor: toCursor(page.next) }
  },
})
