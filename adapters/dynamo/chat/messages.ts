import type { QueryCommandInput, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Conversations } from '../../../app/ports/chat.ts'
import type { Conversation } from '../../../domain/chat/conversation.ts'
import { type Message, message } from '../../../domain/chat/message.ts'
import { mainConversation } from '../../../domain/chat/names.ts'
import { titleOf } from '../../../domain/chat/title.ts'
import { idPattern } from '../../../domain/ids.ts'
import { bytesInAnswer, maxPageBytes, type Page } from '../../../domain/page.ts'
import { changeInput, get, itemRange, putInput, query } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'
import { withoutGone } from './gone.ts'

/** One conversation's messages sort together, oldest first. */
export const messageKey = ({ conversation, id }: Pick<Message, 'conversation' | 'id'>): string =>
  `in#${conversation}#${id}`

const keyPattern = /^in#([^#]+)#(msg_\w+)$/

function readMessage(item: Item): Message {
  const [, conversation = '', id = ''] = item.item?.S?.match(keyPattern) ?? []
  return { ...parse(message.omit({ id: true, conversation: true }), item), id, conversation }
}

/** Writes a message and its time. The second part is refused where the conversation's record is missing. */
export function messageWrites(table: string, userId: string, said: Message): TransactWriteItem[] {
  const { id: _, conversation, ...rest } = said
  const put = { Put: putInput(table, 'item', { userId, item: messageKey(said), ...rest }) }
  if (conversation === mainConversation) return [put]
  const noted = changeInput({
    ...itemAt<keyof Conversation>(table, { userId, item: conversation }),
    update: `SET #lastMessageAt = :at, #archived = :no, #unread = :unread, #title = if_not_exists(#title, :title)`,
    condition: 'attribute_exists(#item)',
    values: {
      ':at': said.at,
      ':no': false,
      ':unread': said.role === 'agent',
      ':title': titleOf(said.text || (said.attachments?.[0]?.name ?? '')),
    },
  })
  return [put, { Update: noted }]
}

export async function findMessage(table: string, userId: string, key: string): Promise<Message | null> {
  const item = await get(table, { userId, item: key })
  return item && readMessage(item)
}

/** @throws when the message is missing, although something refers to it */
export async function getMessage(table: string, userId: string, key: string): Promise<Message> {
  const found = await findMessage(table, userId, key)
  if (!found) throw new Error('something names a message that does not exist')
  return found
}

/**
 * The messages after one, or the newest, or those before one; oldest first, and fewer if they are long. `next`
 * continues in the same direction; null at the end.
 */
export async function messagePage(
  table: string,
  userId: string,
  { conversation, after, before, limit }: Parameters<Conversations['messages']>[1],
): Promise<Page<Message>> {
  if (after !== null && !idPattern('msg').test(after)) return { items: [], next: null }
  const key = (id: string) => messageKey({ conversation, id })
  const [from, to] = after === null ? [key('msg_'), key(before ?? 'msg_~')] : [key(`${after}!`), key('msg_~')]
  // The range includes `before` itself.
  const range = { ...itemRange(table, userId, from, to), ScanIndexForward: after !== null }
  const { items, more } = await fitting(range, limit, before)
  const next = more ? (items.at(-1)?.id ?? null) : null
  return { items: after === null ? items.reverse() : items, next }
}

export async function everyMessage(
  table: string,
  userId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<Page<Message>> {
  const { items, more } = await fitting(itemRange(table, userId, `${after ?? 'in#'}!`, 'in#~'), limit)
  const youngest = items.at(-1)
  return { items: await withoutGone(table, userId, items), next: more && youngest ? messageKey(youngest) : null }
}

/** Newest first. By key, younger conversations come before older ones, and the main one comes last. */
export async function newestFirst(
  table: string,
  userId: string,
  { conversation, before, limit }: Parameters<Conversations['newestFirst']>[1],
): ReturnType<Conversations['newestFirst']> {
  const prefix = conversation === null ? 'in#' : `in#${conversation}#`
  const range = itemRange(table, userId, prefix, before ? messageKey(before) : `${prefix}~`)
  const { items, more } = await fitting({ ...range, ScanIndexForward: false, ConsistentRead: false }, limit, before?.id)
  const last = items.at(-1)
  return { items: conversation === null ? await withoutGone(table, userId, items) : items, more, last }
}

async function fitting(range: QueryCommandInput, limit: number, without?: string) {
  const items: Message[] = []
  let bytes = 0
  for await (const item of query({ ...range, Limit: limit + (without ? 2 : 1) })) {
    const read = readMessage(item)
    if (read.id === without) continue
    bytes += bytesInAnswer(read)
    if (items.length === limit || (items.length > 0 && bytes > maxPageBytes)) return { items, more: true }
    items.push(read)
  }
  return { items, more: false }
}
