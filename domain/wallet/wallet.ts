import * as z from 'zod'
import { micros, unsignedMicros } from '../money.ts'
import { timestamp } from '../time.ts'
import { type AutoTopUpRecord, showAutoTopUp, shownAutoTopUp } from './auto-topup.ts'
import { type Hold, heldOf } from './hold.ts'
import { limits, newCaps, type Spending, showLimits, spentOf } from './limits.ts'

export const wallet = z
  .object({
    balanceMicros: unsignedMicros.meta({ description: 'Spendable now, in µUSD; never below zero.' }),
    heldMicros: unsignedMicros.meta({ description: 'Set aside for model calls under way, in µUSD.' }),
    owedMicros: unsignedMicros.meta({ description: 'Owed after a refund or dispute; the next credits pay it first.' }),
    currency: z.literal('usd'),
    low: z.boolean().meta({ description: 'True below one dollar.' }),
    runwayDays: z
      .number()
      .nullable()
      .meta({ description: 'Days the balance lasts at the rate of the last seven days; null when nothing was spent.' }),
    suspended: z.boolean().meta({ description: 'True while an operator or a fraud warning has stopped all spending.' }),
    limits,
    autoTopup: shownAutoTopUp.optional().meta({ description: 'Absent when automatic top-up was never set.' }),
  })
  .meta({ id: 'Wallet' })
export type Wallet = z.infer<typeof wallet>

export const transactionTypes = ['topup', 'subscription_credit', 'usage', 'refund', 'dispute', 'adjustment'] as const

/** Everything that makes a usage line's amount; anyone can recompute it. Prices are µUSD per million tokens. */
export const usageReceipt = z
  .object({
    callId: z.string(),
    model: z.string(),
    provider: z.string(),
    priceVersion: z.string(),
    inputTokens: z.int().min(0),
    cachedInputTokens: z.int().min(0),
    cacheWriteTokens: z.int().min(0),
    outputTokens: z.int().min(0),
    reasoningTokens: z.int().min(0),
    unitPrices: z.object({
      input: unsignedMicros,
      cachedInput: unsignedMicros,
      cacheWrite: unsignedMicros,
      output: unsignedMicros,
    }),
    markup: z.int().min(0).meta({ description: 'Markup on the provider price, in basis points.' }),
    heldMicros: unsignedMicros,
    settledMicros: unsignedMicros,
    settledBecause: z.enum(['usage', 'interrupted', 'upstream-error', 'expired']),
    trigger: z.enum(['chat', 'schedule', 'heartbeat', 'tool']),
    startedAt: timestamp,
    firstByteMs: z.int().nullable(),
    durationMs: z.int(),
  })
  .meta({ id: 'UsageReceipt' })
export type UsageReceipt = z.infer<typeof usageReceipt>

export const transaction = z
  .object({
    id: z.string().meta({ example: 'txn_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    type: z.enum(transactionTypes),
    amountMicros: micros.meta({ description: 'Signed: credits above zero, debits below, in µUSD.' }),
    balanceMicros: micros.meta({ description: 'The ledger after this line: credits − debits, in µUSD.' }),
    at: timestamp,
    description: z.string(),
    receipt: usageReceipt.optional(),
  })
  .meta({ id: 'Transaction' })
export type Transaction = z.infer<typeof transaction>

/** The wallet as stored. Invariant: `total = available + Σ holds − owed`; `available ≥ 0`, and 0 while anything is owed. */
export interface WalletState extends Spending {
  userId: string
  /** Spendable, µUSD. */
  available: number
  /** Credits − debits of the ledger, µUSD. */
  total: number
  owed: number
  holds: Record<string, Hold>
  /** Generation whose machine may spend; 0 when no machine may. */
  generation: number
  /** Why spending is suspended; null when it is not. */
  frozen: string | null
  /** µUSD spent a day, by the last seven days; null until a day with spending has ended. */
  rate: number | null
  /** The last warning its owner got, until the next credit. */
  told: Told
}

/** Warnings, mildest first; each is given once until money comes in. */
export const warnings = ['none', 'week', 'days', 'day', 'low', 'empty'] as const
export type Told = (typeof warnings)[number]

export const newWallet = (userId: string): WalletState => ({
  userId,
  available: 0,
  total: 0,
  owed: 0,
  holds: {},
  generation: 0,
  frozen: null,
  rate: null,
  told: 'none',
  caps: newCaps,
  left: {},
})

/** The invariant of the books; a wallet that breaks it must never be written. */
export const balances = (state: WalletState): boolean =>
  [state.available, state.owed, state.total, heldOf(state)].every(Number.isSafeInteger) &&
  state.available >= 0 &&
  state.owed >= 0 &&
  (state.owed === 0 || state.available === 0) &&
  state.total === state.available + heldOf(state) - state.owed

/** Below this a wallet is low, µUSD. */
export const lowMicros = 1_000_000

/** µUSD a day: the average of recent days, or today's spending when it is above that already. */
export const rateOf = (state: WalletState, nowMs: number): number =>
  Math.max(state.rate ?? 0, spentOf(state, 'day', nowMs))

/** Days the balance lasts, to a tenth; null when nothing was spent. */
export function runwayDays(state: WalletState, nowMs: number): number | null {
  const rate = rateOf(state, nowMs)
  return rate === 0 ? null : Math.floor((state.available * 10) / rate) / 10
}

export function showWallet(state: WalletState, nowMs: number, auto: AutoTopUpRecord | null = null): Wallet {
  return {
    balanceMicros: state.available,
    heldMicros: heldOf(state),
    owedMicros: state.owed,
    currency: 'usd',
    low: state.available < lowMicros,
    runwayDays: runwayDays(state, nowMs),
    suspended: state.frozen !== null,
    limits: showLimits(state, nowMs),
    ...(auto && { autoTopup: showAutoTopUp(auto) }),
  }
}
