import * as z from 'zod'
import { unsignedMicros } from '../money.ts'
import { type AutoTopupRecord, showAutoTopup, shownAutoTopup } from './auto-topup.ts'
import { limits, showLimits, spentOf } from './limits.ts'
import { heldOf, type WalletState } from './state.ts'

export const wallet = z
  .object({
    balanceMicros: unsignedMicros.meta({ description: 'Spendable now, in µUSD; never below zero.' }),
    heldMicros: unsignedMicros.meta({ description: 'Held for running model calls, in µUSD.' }),
    owedMicros: unsignedMicros.meta({ description: 'Owed after a refund or dispute. The next credits pay it first.' }),
    currency: z.literal('usd'),
    low: z.boolean().meta({ description: 'True below one dollar.' }),
    runwayDays: z
      .number()
      .nullable()
      .meta({
        description:
          'The number of days for which the balance lasts at the rate of the last seven days; null if nothing was ' +
          'spent.',
      }),
    suspended: z.boolean().meta({ description: 'True while an operator or a fraud warning blocks all spending.' }),
    limits,
    autoTopup: shownAutoTopup.optional().meta({ description: 'Absent if automatic top-up was never set.' }),
  })
  .meta({ id: 'Wallet' })
export type Wallet = z.infer<typeof wallet>

/** µUSD. */
export const lowMicros = 1_000_000

/** µUSD a day: the average of recent days, or today's spending when that is higher. */
const rateOf = (state: WalletState, nowMs: number): number => Math.max(state.rate ?? 0, spentOf(state, 'day', nowMs))

/** To a tenth of a day; null when nothing was spent. */
export function runwayDays(state: WalletState, nowMs: number): number | null {
  const rate = rateOf(state, nowMs)
  return rate === 0 ? null : Math.floor((state.available * 10) / rate) / 10
}

export const showWallet = (state: WalletState, nowMs: number, auto: AutoTopupRecord | null = null): Wallet => ({
  balanceMicros: state.available,
  heldMicros: heldOf(state),
  owedMicros: state.owed,
  currency: 'usd',
  low: state.available < lowMicros,
  runwayDays: runwayDays(state, nowMs),
  suspended: state.frozen !== null,
  limits: showLimits(state, nowMs),
  ...(auto && { autoTopup: showAutoTopup(auto) }),
})
