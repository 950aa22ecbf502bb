import * as z from 'zod'
import type { OperatorTotals } from '../../../app/ports/operator.ts'
import { dateOf, dayMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { CarriedRefused, writeAlong } from '../along.ts'
import { changeInput, get } from '../calls.ts'
import { parse } from '../item.ts'

const stored = z.object({ cents: z.int() })

/** One item per operator and day, kept for three days. */
export function operatorTotals(env: Env): OperatorTotals {
  const table = () => env.table('console')
  const key = (operator: string, nowMs: number) => ({ list: 'totals', id: `${operator}#${dateOf(nowMs)}` })
  const movedCents: OperatorTotals['movedCents'] = async (operator, nowMs) => {
    const item = await get(table(), key(operator, nowMs))
    return item ? parse(stored, item).cents : 0
  }
  return {
    movedCents,

    async count(operator, cents, mostCents, nowMs, act) {
      if (cents > mostCents) return { counted: false }
      const counted = changeInput({
        table: table(),
        key: key(operator, nowMs),
        update: 'SET #ttl = :ttl ADD #cents :cents',
        condition: 'attribute_not_exists(#cents) OR #cents <= :before',
        values: { ':cents': cents, ':before': mostCents - cents, ':ttl': Math.ceil((nowMs + 3 * dayMs) / 1000) },
      })
      try {
        return { counted: true, result: (await writeAlong([{ Update: counted }], act)).result }
      } catch (error) {
        // A carried item may have refused the write.
        if (error instanceof CarriedRefused && (await movedCents(operator, nowMs)) > mostCents - cents)
          return { counted: false }
        throw error
      }
    },
  }
}
