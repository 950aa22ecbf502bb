import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { DueWallets, WalletCheck, Wallets } from '../../../app/ports/wallet.ts'
import { wholeAmount } from '../../../domain/money.ts'
import { dayMs } from '../../../domain/time.ts'
import { warningLevels } from '../../../domain/wallet/state.ts'
import { nextCheckMs } from '../../../domain/wallet/warnings.ts'
import { dueItems, getMany, setting } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { fromAttribute, fromItem, type Item } from '../item.ts'
import { autoTopupItem, dueShard, toState, walletAt, walletItem } from './item.ts'
import { change, changed, putNew } from './writes.ts'

export const checks = (
  table: string,
): Pick<Wallets, 'due' | 'recordCheck' | 'scheduleCheck' | 'scheduleTopUp' | 'noteReached'> => ({
  /**
   * A wallet stays in the index until a sweep finds none of its holds due. It then moves to its next hold's time or
   * leaves the index. So a busy wallet seldom writes the index.
   */
  async due(shard, nowMs) {
    const keys: Record<string, Item[]> = { [walletItem]: [], [checkItem]: [] }
    const due = await dueItems(table, shard, nowMs)
    for (const { userId, item } of due) if (userId && item) keys[item.S ?? '']?.push({ userId, item })
    const [found, checkItems] = await Promise.all([
      getMany(table, keys[walletItem] ?? []),
      getMany(table, keys[checkItem] ?? []),
    ])
    const holds: DueWallets['holds'] = []
    for (const item of found) {
      const { userId, holds: open } = toState(item)
      const expired = Object.entries(open).filter(([, { expiresMs }]) => expiresMs <= nowMs)
      holds.push(...expired.map(([callId, hold]) => ({ userId, callId, hold })))
      await expectCheck(table, userId, nowMs)
      if (expired.length === 0) await moveDueTime(table, userId, Object.values(open), item.dueAt)
    }
    const used = found.flatMap(({ userId }) => userId?.S ?? [])
    const topUps = due.filter(({ item }) => item?.S === autoTopupItem).flatMap((item) => checkOf(item, nowMs))
    return { holds, used, checks: checkItems.flatMap((item) => checkOf(item, nowMs)), topUps }
  },

  async recordCheck(userId, { rate, from, to }, ...also) {
    if (rate !== null) wholeAmount(rate)
    const unchanged = from === 'none' ? '(attribute_not_exists(#warned) OR #warned = :from)' : '#warned = :from'
    return changed(
      {
        ...walletAt(table, userId),
        update: `SET #warned = :to${rate === null ? '' : ', #rate = :rate'}`,
        condition: `attribute_exists(#item) AND ${unchanged}`,
        values: {
          ':to': warningLevels.indexOf(to),
          ':from': warningLevels.indexOf(from),
          ...(rate !== null && { ':rate': rate }),
        },
      },
      ...also,
    )
  },

  async scheduleCheck({ userId, dueMs, refused }, nextMs) {
    await change({
      ...checkAt(table, userId),
      update: nextMs === null ? 'REMOVE #dueShard, #dueAt, #refused' : 'SET #dueAt = :next REMOVE #refused',
      condition: `#dueAt = :seen${refused ? '' : ' AND attribute_not_exists(#refused)'}`,
      values: { ':seen': dueMs, ...(nextMs !== null && { ':next': nextMs }) },
    })
  },

  async scheduleTopUp({ userId, dueMs }, nextMs) {
    await change({
      ...itemAt(table, { userId, item: autoTopupItem }),
      update: nextMs === null ? 'REMOVE #dueShard, #dueAt' : 'SET #dueAt = :next',
      condition: '#dueAt = :seen',
      values: { ':seen': dueMs, ...(nextMs !== null && { ':next': nextMs }) },
    })
  },

  async noteReached(userId, { of, period, capMicros, token }, nowMs, ...also) {
    const item = `reached#${token?.id ?? 'wallet'}#${of}#${period}#${wholeAmount(capMicros)}`
    const ttl = period === 'total' ? {} : { ttl: Math.ceil((nowMs + reachedKeptMs) / 1000) }
    return (await putNew(table, { userId, item, ...ttl }, ...also)).done
  },
})

/** Longer than any month. */
const reachedKeptMs = 40 * dayMs

/** Requests a check of the wallet. A separate item, so that its index entry changes without the wallet. */
const checkItem = 'check'
const checkAt = (table: string, userId: string) => itemAt<'refused'>(table, { userId, item: checkItem })

/** After a call without enough money, the next sweep checks the wallet. */
export async function requestCheck(table: string, userId: string, nowMs: number): Promise<void> {
  await change({
    ...checkAt(table, userId),
    ...setting({ dueShard: dueShard(userId), dueAt: nowMs, refused: true }),
  })
}

const expectCheck = (table: string, userId: string, nowMs: number) =>
  change({
    ...checkAt(table, userId),
    update: 'SET #dueShard = :shard, #dueAt = if_not_exists(#dueAt, :next)',
    values: { ':shard': dueShard(userId), ':next': nextCheckMs(nowMs) },
  })

function checkOf(item: Item, nowMs: number): WalletCheck[] {
  const { userId, dueAt, refused } = fromItem(item)
  if (typeof userId !== 'string' || typeof dueAt !== 'number' || dueAt > nowMs) return []
  return [{ userId, dueMs: dueAt, refused: refused === true }]
}

/** A parallel hold expires later than those seen, or its condition keeps an empty wallet in the index. */
async function moveDueTime(
  table: string,
  userId: string,
  holds: { expiresMs: number }[],
  seen: AttributeValue | undefined,
): Promise<void> {
  if (seen?.N === undefined) return
  const nextMs = Math.min(...holds.map(({ expiresMs }) => expiresMs))
  const wallet = walletAt(table, userId)
  const values = { ':seen': fromAttribute(seen) }
  await (holds.length === 0
    ? change({
        ...wallet,
        update: 'REMOVE #dueShard, #dueAt',
        condition: '#dueAt = :seen AND size(#holds) = :none',
        values: { ...values, ':none': 0 },
      })
    : change({
        ...wallet,
        update: 'SET #dueAt = :next',
        condition: '#dueAt = :seen',
        values: { ...values, ':next': nextMs },
      }))
}
