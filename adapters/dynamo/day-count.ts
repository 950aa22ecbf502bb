import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { DayLimit } from '../../domain/day-limit.ts'
import { dayMs, secondMs } from '../../domain/time.ts'
import { changeInput, get } from './calls.ts'
import { itemAt } from './expressions.ts'

interface DayCount {
  table: string
  key: Readonly<Record<string, string>>
  limit: DayLimit
  bytes: number
  nowMs: number
}

export const dayOf = (nowMs: number): number => Math.floor(nowMs / dayMs)

/** Adds one to the count of a UTC day. The part is refused on a full day. */
export function countOfDay({ table, key, limit, bytes, nowMs }: DayCount): TransactWriteItem {
  return {
    Update: changeInput({
      ...itemAt<'count' | 'bytes'>(table, key),
      update: 'ADD #count :one, #bytes :bytes SET #ttl = :ttl',
      condition: 'attribute_not_exists(#count) OR (#count < :most AND #bytes <= :room)',
      values: {
        ':one': 1,
        ':bytes': bytes,
        ':most': limit.aDay,
        ':room': limit.bytesADay - bytes,
        ':ttl': ((dayOf(nowMs) + 2) * dayMs) / secondMs,
      },
    }),
  }
}

/** Whether a full day is the reason why a transaction with `countOfDay` was refused. */
export async function isFullDay({ table, key, limit, bytes }: Omit<DayCount, 'nowMs'>): Promise<boolean> {
  const item = await get(table, key)
  const [count, sum] = [Number(item?.count?.N ?? 0), Number(item?.bytes?.N ?? 0)]
  return item !== undefined && item !== null && (count >= limit.aDay || sum > limit.bytesADay - bytes)
}
