import { formatMicros } from '../../domain/dollars.ts'
import { type CapPeriod, capPeriods } from '../../domain/tokens/caps.ts'
import type { Pat } from '../../domain/tokens/pat.ts'
import { centMicros, showBalance } from '../format.ts'
import { tokenTexts } from '../texts/tokens.ts'
import { mostCapCents, problemOf, readCents, writeCents } from '../wallet/dollar-field.tsx'

/** Periods, and the token's field of each cap. */
const capFields = {
  total: 'capMicros',
  day: 'dailyCapMicros',
  month: 'monthlyCapMicros',
} as const satisfies Record<CapPeriod, keyof Pat>

/** Caps as typed, in dollars; empty for none. */
export type TypedCaps = Record<CapPeriod, string>

/** µUSD; undefined without a cap. */
const capOf = (token: Pat, period: CapPeriod): number | undefined =>
  (period === 'total' ? token.app?.capMicros : undefined) ?? token[capFields[period]]

export function typedCaps(token: Pat): TypedCaps {
  const typed = (period: CapPeriod) => {
    const micros = capOf(token, period)
    return micros === undefined ? '' : writeCents(Math.floor(micros / centMicros))
  }
  return { total: typed('total'), day: typed('day'), month: typed('month') }
}

export const capProblems = (typed: TypedCaps): Partial<TypedCaps> =>
  Object.fromEntries(
    capPeriods.flatMap((period) => {
      const problem = typed[period].trim() === '' ? undefined : problemOf(typed[period], 0, mostCapCents)
      return problem ? [[period, problem]] : []
    }),
  )

/** The caps in the service's form; null for none. */
export function readCaps(typed: TypedCaps): Record<(typeof capFields)[CapPeriod], number | null> {
  const read = (period: CapPeriod) => {
    const cents = readCents(typed[period])
    return cents === null ? null : cents * centMicros
  }
  return { capMicros: read('total'), dailyCapMicros: read('day'), monthlyCapMicros: read('month') }
}

/** Empty for a token that spends nothing. */
export function spentWords(token: Pat): string[] {
  const { spentMicros, spentTodayMicros = 0, spentThisMonthMicros = 0 } = token
  if (spentMicros === undefined) return []
  const words = tokenTexts.spent
  const show = (period: CapPeriod, spent: number, say: (spent: string, cap: string) => string) => {
    const cap = capOf(token, period)
    return cap === undefined ? [] : [say(showBalance(spent), formatMicros(cap))]
  }
  const total = show('total', spentMicros, words.totalOf)
  return [
    ...(total.length > 0 ? total : [words.total(showBalance(spentMicros))]),
    ...show('day', spentTodayMicros, words.dayOf),
    ...show('month', spentThisMonthMicros, words.monthOf),
  ]
}
