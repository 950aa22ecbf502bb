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
import { type Expressions, itemAt } from '../expressions.ts'
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

/** Its condition says whether the subject may enter. The same write sets the item's `ttl`, if there is one. */
interface Subject<T> extends Pick<Expressions, 'table' | 'key' | 'condition' | 'values'> {
  ttl?: number
  /** The same condition for a refused item. */
  isAlive(item: Item): boolean
  read(item: Item): T
}

/** Authenticates a subject, counts its window and records its use in one conditional write. */
export async function admit<T>(subject: Subject<T>, limit: LimitClass, nowMs: number): Promise<Admission<T>> {
  const { table, key, condition, ttl } = subject
  const window = counting(limit, nowMs)
  const written = await change({
    ...itemAt(table, key),
    update: `${ttl === undefined ? '' : 'SET #ttl = :ttl '}${window.update} REMOVE ${window.remove}`,
    condition: `${condition ? `${condition} AND ` : ''}${window.condition}`,
    values: { ...window.values, ...subject.values, ...(ttl !== undefined && { ':ttl': ttl }) },
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
  const keys = Object.keys(key).map((name) => `#${name}`)
  const old = stale.slice(0, 100).map((name) => `#${name}`)
  await change({
    ...itemAt(table, key),
    update: `REMOVE ${old.join(', ')}`,
    condition: `attribute_exists(${keys.join(') AND attribute_exists(')})`,
  }).catch(() => undefined)
}
