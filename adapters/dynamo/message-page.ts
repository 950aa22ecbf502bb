import type { Message } from '../../domain/chat/message.ts'
import type { Conversations } from '../../domain/chat/ports.ts'
import { idPattern } from '../../domain/ids.ts'
import type { Page } from '../../domain/page.ts'
import { query } from './calls.ts'
import { toItem } from './item.ts'
import { readMessage } from './prompt-item.ts'

/** Sort keys of messages lie between these. */
const first = 'msg_'
const last = 'msg_~'

/** The messages after one, or else the newest; oldest first both times. `next` is null where nothing follows yet. */
export async function messagePage(
  table: string,
  userId: string,
  { after, limit }: Parameters<Conversations['messages']>[1],
): Promise<Page<Message>> {
  if (after !== null && !idPattern('msg').test(after)) return { items: [], next: null }
  const from = after === null ? first : `${after}!`
  const asked = {
    TableName: table,
    KeyConditionExpression: '#userId = :user AND #item BETWEEN :from AND :last',
    ExpressionAttributeNames: { '#userId': 'userId', '#item': 'item' },
    ExpressionAttributeValues: toItem({ ':user': userId, ':from': from, ':last': last }),
    ConsistentRead: true,
    ScanIndexForward: after !== null,
    Limit: after === null ? limit : limit + 1,
  }
  const items: Message[] = []
  for await (const item of query(asked)) {
    if (items.length === limit) return after === null ? newest(items) : { items, next: items.at(-1)?.id ?? null }
    items.push(readMessage(item))
  }
  return after === null ? newest(items) : { items, next: null }
}

const newest = (items: Message[]): Page<Message> => ({ items: items.reverse(), next: null })
