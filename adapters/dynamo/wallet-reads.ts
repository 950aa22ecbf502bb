import { idPattern, ulid } from '../../domain/ids.ts'
import type { Page } from '../../domain/page.ts'
import type { Wallets } from '../../domain/wallet/ports.ts'
import { type UsageDay, usageDay } from '../../domain/wallet/usage.ts'
import type { Transaction } from '../../domain/wallet/wallet.ts'
import { query } from './calls.ts'
import { parse, toItem } from './item.ts'
import { dayItem, findLine, readLine } from './wallet-item.ts'
import { putNew } from './wallet-writes.ts'

/** Sort keys of the ledger lie between these. */
const first = 'txn_'
const last = 'txn_~'

/** Lines that one page looks at: of a rare kind it may hold few, or none, and say where to go on. */
const mostRead = 1_000

/** The least id a line of this instant can have. */
const lineIdAt = (ms: number): string => `txn_${ulid(ms, new Uint8Array(16))}`

/** A key that no item has and that sorts right before `id`. */
const justBefore = (id: string): string => `${id.slice(0, -1)}${String.fromCharCode(id.charCodeAt(id.length - 1) - 1)}~`

export async function transactions(
  table: string,
  userId: string,
  { after, limit, type }: Parameters<Wallets['transactions']>[1],
): Promise<Page<Transaction>> {
  if (after !== null && !idPattern('txn').test(after)) return { items: [], next: null }
  const to = after === null ? last : justBefore(after)
  const asked = {
    TableName: table,
    KeyConditionExpression: '#userId = :user AND #item BETWEEN :first AND :to',
    ExpressionAttributeNames: { '#userId': 'userId', '#item': 'item' },
    ExpressionAttributeValues: toItem({ ':user': userId, ':first': first, ':to': to }),
    ConsistentRead: true,
    ScanIndexForward: false,
    Limit: type ? 200 : limit + 1,
  }
  const items: Transaction[] = []
  let seen: string | null = null
  let read = 0
  for await (const item of query(asked)) {
    if (items.length === limit || read === mostRead) return { items, next: seen }
    if (!type || item.type?.S === type) items.push(readLine(item))
    seen = item.item?.S ?? null
    read++
  }
  return { items, next: null }
}

export const transaction = async (table: string, userId: string, id: string): Promise<Transaction | null> =>
  idPattern('txn').test(id) ? findLine(table, userId, id) : null

/** See `Wallets.lines`. */
export async function* lines(table: string, userId: string, fromMs: number, toMs: number): AsyncGenerator<Transaction> {
  const asked = {
    TableName: table,
    KeyConditionExpression: 'userId = :user AND #item BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#item': 'item' },
    ExpressionAttributeValues: toItem({ ':user': userId, ':from': lineIdAt(fromMs), ':to': lineIdAt(toMs) }),
    ConsistentRead: true,
  }
  for await (const item of query(asked)) yield readLine(item)
}

/** See `Wallets.usageDays`. */
export async function usageDays(table: string, userId: string, from: string, to: string): Promise<UsageDay[]> {
  const asked = {
    TableName: table,
    KeyConditionExpression: 'userId = :user AND #item BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#item': 'item' },
    ExpressionAttributeValues: toItem({ ':user': userId, ':from': dayItem(from), ':to': dayItem(to) }),
  }
  const found: UsageDay[] = []
  for await (const item of query(asked)) found.push(parse(usageDay, item))
  return found
}

/** See `Wallets.keepUsageDay`. */
export async function keepUsageDay(table: string, userId: string, day: UsageDay): Promise<void> {
  await putNew(table, { userId, item: dayItem(day.day), ...day })
}
