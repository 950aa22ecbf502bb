import * as z from 'zod'
import type { Conversations } from '../../../app/ports/chat.ts'
import { type Conversation, conversation } from '../../../domain/chat/conversation.ts'
import { mainConversation } from '../../../domain/chat/names.ts'
import { notFound } from '../../../domain/errors.ts'
import { iso } from '../../../domain/time.ts'
import { change, deleteInput, get, itemRange, putNew, query, setting, transact } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse, toItem } from '../item.ts'
import { goneKey } from './gone.ts'
import { newestFirst } from './messages.ts'

/** Without nulls. Earlier releases wrote neither `pinned`, `unread` nor `model`. */
const stored = conversation.omit({ id: true }).extend({
  item: z.string(),
  title: conversation.shape.title.default(null),
  pinned: conversation.shape.pinned.default(false),
  unread: conversation.shape.unread.default(false),
  model: conversation.shape.model.default(null),
  lastMessageAt: conversation.shape.lastMessageAt.default(null),
})

function read(item: Item): Conversation {
  const { item: id, ...rest } = parse(stored, item)
  return { id, ...rest }
}

export const conversationItem = (userId: string, { id, ...rest }: Conversation) => ({ userId, item: id, ...rest })

/** Attributes of the main conversation: missing until one is changed. */
const storedMain = z.object({ readAt: z.string().optional(), model: conversation.shape.model.default(null) })

type Records = Pick<Conversations, 'start' | 'find' | 'remove' | 'list' | 'change' | 'modelOf' | 'main' | 'changeMain'>

export function conversationRecords(table: () => string): Records {
  const mainKey = (userId: string) => ({ userId, item: mainConversation })
  const main: Records['main'] = async (userId) => {
    const page = { conversation: mainConversation, before: null, limit: 1 }
    const [item, newest] = await Promise.all([get(table(), mainKey(userId)), newestFirst(table(), userId, page)])
    const { readAt, model } = parse(storedMain, item ?? {})
    const [last] = newest.items
    return { model, unread: readAt !== undefined && last?.role === 'agent' && last.at > readAt }
  }
  return {
    main,

    async changeMain(userId, { unread, ...more }, nowMs) {
      const attributes = { ...more, ...(unread !== undefined && { readAt: iso(unread ? 0 : nowMs) }) }
      const written = await change({ ...itemAt<'readAt' | 'model'>(table(), mainKey(userId)), ...setting(attributes) })
      if (unread !== false || !written.done) return main(userId)
      return { unread, model: parse(storedMain, written.item).model }
    },

    async modelOf(userId, id) {
      const item = await get(table(), { userId, item: id })
      if (!item && id !== mainConversation) throw notFound('conversation')
      return parse(storedMain, item ?? {}).model
    },

    start: async (userId, started, ...also) =>
      (await putNew(table(), 'item', conversationItem(userId, started), ...also)).done,

    async find(userId, id) {
      const item = await get(table(), { userId, item: id })
      return item && read(item)
    },

    async remove(userId, id, ...also) {
      const record = { ...itemAt(table(), { userId, item: id }), condition: 'attribute_exists(#item)' } as const
      const mark = { TableName: table(), Item: toItem(goneKey(userId, id)) }
      return (await transact([{ Delete: deleteInput(record) }, { Put: mark }], ...also)).done
    },

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
