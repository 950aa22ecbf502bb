import * as z from 'zod'
import type { OperatorTotals } from '../../../app/ports/operator.ts'
import { dateOf, dayMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { changeInput, get } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse } from '../item.ts'
import { partOf } from '../part.ts'

const stored = z.object({ cents: z.int() })

/** One item per operator and day, kept for three days. */
export function operatorTotals(env: Env): OperatorTotals {
  const table = () => env.table('console')
  const key = (operator: string, nowMs: number) => ({ list: 'totals', id: `${operator}#${dateOf(nowMs)}` })
  return {
    async movedCents(operator, nowMs) {
      const item = await get(table(), key(operator, nowMs))
      return item ? parse(stored, item).cents : 0
    },

    count(operator, cents, mostCents, nowMs, refusal) {
      if (cents > mostCents) throw refusal()
      const counted = changeInput({
        ...itemAt<keyof typeof stored.shape>(table(), key(operator, nowMs)),
        update: 'SET #ttl = :ttl ADD #cents :cents',
        condition: 'attribute_not_exists(#cents) OR #cents <= :before',
        values: { ':cents': cents, ':before': mostCents - cents, ':ttl': Math.ceil((nowMs + 3 * dayMs) / 1000) },
      })
      return partOf([{ Update: counted }], refusal)
    },
  }
}
