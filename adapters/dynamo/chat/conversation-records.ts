import * as z from 'zod'
import type { Conversations } from '../../../app/ports/chat.ts'
import { type Conversation, conversation } from '../../../domain/chat/conversation.ts'
import { change, itemRange, putNew, query, setting } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'

/** Without nulls. */
const stored = conversation.omit({ id: true }).extend({
  item: z.string(),
  title: conversation.shape.title.default(null),
  lastMessageAt: conversation.shape.lastMessageAt.default(null),
})

function read(item: Item): Conversation {
  const { item: id, ...rest } = parse(stored, item)
  return { id, ...rest }
}

export const conversationItem = (userId: string, { id, ...rest }: Conversation) => ({ userId, item: id, ...rest })

/** The main conversation has no record. */
export function conversationRecords(table: () => string): Pick<Conversations, 'start' | 'list' | 'change'> {
  return {
    start: async (userId, started, ...also) =>
      (await putNew(table(), 'item', conversationItem(userId, started), ...also)).done,

    async list(userId, { after, limit }) {
      const items: Conversation[] = []
      const range = { ...itemRange(table(), userId, 'cnv_', after ?? 'cnv_~'), ScanIndexForward: false }
      // One extra item shows whether more follow; another because the range includes `after` itself.
      for await (const item of query({ ...range, Limit: limit + 2 })) {
        if (item.item?.S === after) continue
        if (items.length === limit) return { items, next: items.at(-1)?.id ?? null }
        items.push(read(item))
      }
      return { items, next: null }
    },

    async change(userId, id, attributes) {
      const written = await change({
        ...itemAt<keyof Conversation>(table(), { userId, item: id }),
        ...setting(attributes),
        condition: 'attribute_exists(#item)',
      })
      return written.done ? read(written.item) : null
    },
  }
}
