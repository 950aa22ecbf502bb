import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { wholeAmount } from '../../domain/money.ts'
import { nextLookMs } from '../../domain/wallet/look.ts'
import type { Due, Look, Wallets } from '../../domain/wallet/ports.ts'
import { warnings } from '../../domain/wallet/wallet.ts'
import { getMany, query } from './calls.ts'
import { fromAttribute, fromItem, type Item, toItem } from './item.ts'
import { dueShard, toState, walletItem, walletKey } from './wallet-item.ts'
import { change } from './wallet-writes.ts'

/** The item that asks for a look at the wallet, apart from it so that its index entry moves without the wallet. */
const lookItem = 'look'

/** A call was refused for want of money: the next sweep looks at its wallet. */
export async function askForLook(table: string, userId: string, nowMs: number): Promise<void> {
  await change({
    table,
    key: { userId, item: lookItem },
    update: 'SET #dueShard = :shard, #dueAt = :now, #refused = :true',
    values: { ':shard': dueShard(userId), ':now': nowMs, ':true': true },
  })
}

const expectLook = (table: string, userId: string, nowMs: number) =>
  change({
    table,
    key: { userId, item: lookItem },
    update: 'SET #dueShard = :shard, #dueAt = if_not_exists(#dueAt, :next)',
    values: { ':shard': dueShard(userId), ':next': nextLookMs(nowMs) },
  })

/**
 * What is due. A wallet stays in the index until a sweep finds none of its holds due, and then moves to the next
 * one's time or leaves: so a busy wallet writes the index once in a while, not with every call.
 */
export async function due(table: string, shard: number, nowMs: number): Promise<Due> {
  const asked = {
    TableName: table,
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard AND dueAt <= :now',
    ExpressionAttributeValues: toItem({ ':shard': String(shard), ':now': nowMs }),
  }
  const keys: Record<string, Item[]> = { [walletItem]: [], [lookItem]: [] }
  for await (const { userId, item } of query(asked)) if (userId && item) keys[item.S ?? '']?.push({ userId, item })
  const [found, looked] = await Promise.all([
    getMany(table, keys[walletItem] ?? []),
    getMany(table, keys[lookItem] ?? []),
  ])
  const holds: Due['holds'] = []
  for (const item of found) {
    const { userId, holds: open } = toState(item)
    const expired = Object.entries(open).filter(([, { expiresMs }]) => expiresMs <= nowMs)
    holds.push(...expired.map(([callId, hold]) => ({ userId, callId, hold })))
    await expectLook(table, userId, nowMs)
    if (expired.length === 0) await moveOn(table, userId, Object.values(open), item.dueAt)
  }
  const used = found.flatMap(({ userId }) => userId?.S ?? [])
  return { holds, used, looks: looked.flatMap((item) => lookOf(item, nowMs)) }
}

function lookOf(item: Item, nowMs: number): Look[] {
  const { userId, dueAt, refused } = fromItem(item)
  if (typeof userId !== 'string' || typeof dueAt !== 'number' || dueAt > nowMs) return []
  return [{ userId, dueMs: dueAt, refused: refused === true }]
}

/** A hold made meanwhile expires later than those seen, or keeps an empty wallet in the index by its condition. */
async function moveOn(
  table: string,
  userId: string,
  holds: { expiresMs: number }[],
  seen: AttributeValue | undefined,
): Promise<void> {
  if (seen?.N === undefined) return
  const nextMs = Math.min(...holds.map(({ expiresMs }) => expiresMs))
  const one = { table, key: walletKey(userId) }
  const values = { ':seen': fromAttribute(seen) }
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

/** See `Wallets.noteLook`. */
export async function noteLook(
  table: string,
  userId: string,
  { rate, from, to }: Parameters<Wallets['noteLook']>[1],
): Promise<boolean> {
  if (rate !== null) wholeAmount(rate)
  const was = from === 'none' ? '(attribute_not_exists(#told) OR #told = :from)' : '#told = :from'
  const written = await change({
    table,
    key: walletKey(userId),
    update: `SET #told = :to${rate === null ? '' : ', #rate = :rate'}`,
    condition: `attribute_exists(#item) AND ${was}`,
    values: {
      ':to': warnings.indexOf(to),
      ':from': warnings.indexOf(from),
      ...(rate !== null && { ':rate': rate }),
    },
  })
  return written.done
}

/** See `Wallets.lookAgain`. */
export async function lookAgain(table: string, { userId, dueMs, refused }: Look, nextMs: number | null): Promise<void> {
  await change({
    table,
    key: { userId, item: lookItem },
    update: nextMs === null ? 'REMOVE #dueShard, #dueAt, #refused' : 'SET #dueAt = :next REMOVE #refused',
    condition: `#dueAt = :seen${refused ? '' : ' AND attribute_not_exists(#refused)'}`,
    values: { ':seen': dueMs, ...(nextMs !== null && { ':next': nextMs }) },
  })
}
