import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { change } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import type { Item } from '../item.ts'

/** When the lease of a waiting item ends, and the generation that holds it. */
export const lease = z.object({ leaseUntil: z.int(), leaseGeneration: z.int() })
type Lease = z.infer<typeof lease>
type Attribute = keyof Lease | 'leasedBy' | 'attempt' | 'activities'

export const unleased = { attempt: 0, leaseUntil: 0, leaseGeneration: 0 } as const

/** A lease ends at its time, or earlier with its generation. */
export const isFree = ({ leaseUntil, leaseGeneration }: Lease, generation: number, nowMs: number): boolean =>
  leaseGeneration <= generation && (leaseUntil <= nowMs || leaseGeneration < generation)

/** Null if somebody else was faster. */
export async function takeLease(
  table: string,
  { userId, item }: Item,
  generation: number,
  nowMs: number,
  forMs: number,
): Promise<Item | null> {
  const me = randomUUID()
  const written = await change({
    ...itemAt<Attribute>(table, { userId: userId?.S ?? '', item: item?.S ?? '' }),
    update: 'SET #leaseUntil = :until, #leaseGeneration = :generation, #leasedBy = :me, #attempt = #attempt + :one',
    condition: `attribute_exists(#item) AND #leaseGeneration <= :generation
      AND (#leaseUntil <= :now OR #leaseGeneration < :generation)`,
    values: { ':until': nowMs + forMs, ':generation': generation, ':me': me, ':one': 1, ':now': nowMs },
  })
  if (written.done) return written.item
  return written.old?.leasedBy?.S === me ? written.old : null
}

/** Moves the end of a lease (0 frees the item) and counts the work; null if another generation holds the lease. */
export async function renewLease(
  table: string,
  key: { userId: string; item: string },
  generation: number,
  untilMs: number,
  activities = 0,
): Promise<Item | null> {
  const written = await change({
    ...itemAt<Attribute>(table, key),
    update: `SET #leaseUntil = :until${activities > 0 ? ' ADD #activities :activities' : ''}`,
    condition: '#leaseGeneration = :generation',
    values: { ':until': untilMs, ':generation': generation, ...(activities > 0 && { ':activities': activities }) },
  })
  return written.done ? written.item : null
}
