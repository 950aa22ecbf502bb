import type { Admission } from '../../../app/ports/rates.ts'
import {
  bucketName,
  bucketOf,
  bucketSeconds,
  bucketsCounted,
  type Counts,
  decidingBucket,
  type LimitClass,
  limits,
  staleBuckets,
  usedOf,
} from '../../../domain/rates/rate-limits.ts'
import { type Change, change } from '../calls.ts'
import { fromAttribute, type Item } from '../item.ts'

/** Clocks differ: a bucket is kept until no function can count in it. */
const skewBuckets = 2

/** Past buckets that each admission removes; removing a missing bucket costs nothing. */
const clearedBuckets = 36

/** Above this number, a separate write removes the leftovers of rare callers. */
const staleAllowed = 30

/** Counts the admission in the window, refuses a full window, and removes old buckets. */
export function counting(limit: LimitClass, nowMs: number) {
  const counted = bucketsCounted(nowMs).map((bucket) => bucketName(limit, bucket))
  const read = bucketName(limit, decidingBucket(nowMs))
  const now = bucketOf(nowMs)
  const old = Array.from({ length: clearedBuckets }, (_, i) => bucketName(limit, now - skewBuckets - i))
  return {
    update: `ADD ${counted.map((name) => `#${name} :one`).join(', ')}`,
    remove: old.map((name) => `#${name}`).join(', '),
    condition: `(attribute_not_exists(#${read}) OR #${read} < :limit)`,
    values: { ':one': 1, ':limit': limits[limit] },
  } as const
}

export const isFull = (counts: Counts, limit: LimitClass, nowMs: number): boolean =>
  usedOf(limit, counts, nowMs) >= limits[limit]

export function countsOf(item: Item): Counts {
  const buckets = Object.entries(item).filter(([name]) => name.startsWith('w_'))
  return Object.fromEntries(buckets.map(([name, value]) => [name, Number(fromAttribute(value))]))
}

export interface Subject<T> {
  table: string
  key: Readonly<Record<string, string>>
  /** The condition that the subject may enter; `true` without one. Its values are in `values`. */
  alive: string | true
  /** The same condition for a refused item. */
  isAlive(item: Item): boolean
  /** Further updates in the same write, such as `#ttl = :ttl`. */
  note?: string
  values?: Change['values']
  read(item: Item): T
}

/** Authenticates a subject, counts its window and records its use in one conditional write. */
export async function admit<T>(subject: Subject<T>, limit: LimitClass, nowMs: number): Promise<Admission<T>> {
  const { table, key, alive, note } = subject
  const window = counting(limit, nowMs)
  const written = await change({
    table,
    key,
    update: `${note ? `SET ${note} ` : ''}${window.update} REMOVE ${window.remove}`,
    condition: alive === true ? window.condition : `${alive} AND ${window.condition}`,
    values: { ...window.values, ...subject.values },
  })
  if (written.done) {
    await clearStale(table, key, written.item, nowMs, staleAllowed)
    return { admitted: true, record: subject.read(written.item), counts: countsOf(written.item) }
  }
  const { old } = written
  if (!old || !subject.isAlive(old)) return { admitted: false, because: 'unknown' }
  return { admitted: false, because: 'limited', counts: countsOf(old) }
}

/** Removes more than `allowed` stale buckets. A failure is harmless. */
export async function clearStale(
  table: string,
  key: Change['key'],
  item: Item,
  nowMs: number,
  allowed: number,
): Promise<void> {
  const stale = staleBuckets(Object.keys(item), nowMs - (skewBuckets - 1) * bucketSeconds * 1000)
  if (stale.length <= allowed) return
  const condition = Object.keys(key).map((name) => `attribute_exists(#${name})`)
  const update = `REMOVE ${stale
    .slice(0, 100)
    .map((name) => `#${name}`)
    .join(', ')}`
  await change({ table, key, update, condition: condition.join(' AND ') }).catch(() => undefined)
}
