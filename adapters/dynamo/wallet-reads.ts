import { idPattern } from '../../domain/ids.ts'
import type { Page } from '../../domain/page.ts'
import type { Wallets } from '../../domain/wallet/ports.ts'
import type { Transaction } from '../../domain/wallet/wallet.ts'
import { change, getMany, query } from './calls.ts'
import { toItem } from './item.ts'
import { findLine, readLine, toState, walletKey } from './wallet-item.ts'

/** Sort keys of the ledger lie between these. */
const first = 'txn_'
const last = 'txn_~'

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
    ...(type && { FilterExpression: '#type = :type' }),
    ExpressionAttributeNames: { '#userId': 'userId', '#item': 'item', ...(type && { '#type': 'type' }) },
    ExpressionAttributeValues: toItem({ ':user': userId, ':first': first, ':to': to, ':type': type }),
    ConsistentRead: true,
    ScanIndexForward: false,
    Limit: type ? 100 : limit + 1,
  }
  const items: Transaction[] = []
  for await (const item of query(asked)) {
    if (items.length === limit) return { items, next: items.at(-1)?.id ?? null }
    items.push(readLine(item))
  }
  return { items, next: null }
}

export const transaction = async (table: string, userId: string, id: string): Promise<Transaction | null> =>
  idPattern('txn').test(id) ? findLine(table, userId, id) : null

/**
 * Holds whose time is up. A wallet stays in the index until a sweep finds none of its holds due, and then moves to
 * the next one's time or leaves: so a busy wallet writes the index once in a while, not with every call.
 */
export async function overdueHolds(table: string, shard: number, nowMs: number) {
  const due = {
    TableName: table,
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard AND dueAt <= :now',
    ExpressionAttributeValues: toItem({ ':shard': String(shard), ':now': nowMs }),
  }
  const keys = []
  for await (const { userId, item } of query(due)) if (userId && item) keys.push({ userId, item })
  const overdue: { userId: string; callId: string; micros: number }[] = []
  for (const item of await getMany(table, keys)) {
    const { userId, holds } = toState(item)
    const expired = Object.entries(holds).filter(([, { expiresMs }]) => expiresMs <= nowMs)
    overdue.push(...expired.map(([callId, { micros }]) => ({ userId, callId, micros })))
    if (expired.length === 0) await moveOn(table, userId, Object.values(holds), item.dueAt?.N)
  }
  return overdue
}

/** A hold made meanwhile expires later than those seen, or keeps an empty wallet in the index by its condition. */
async function moveOn(table: string, userId: string, holds: { expiresMs: number }[], seen: string | undefined) {
  if (seen === undefined) return
  const nextMs = Math.min(...holds.map(({ expiresMs }) => expiresMs))
  const one = { table, key: walletKey(userId) }
  const values = { ':seen': Number(seen) }
  await (holds.length === 0
    ? change({
        ...one,
        update: 'REMOVE #dueShard, #dueAt',
        condition: '#dueAt = :seen AND size(#holds) = :none',
        values: { ...values, ':none': 0 },
      })
    : change({
        ...one,
        update: 'SET #dueAt = :next',
        condition: '#dueAt = :seen',
        values: { ...values, ':next': nextMs },
      }))
}
