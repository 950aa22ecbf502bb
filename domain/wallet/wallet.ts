import * as z from 'zod'
import { micros, unsignedMicros } from '../money.ts'
import { timestamp } from '../time.ts'

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
      .meta({ description: 'Days the balance lasts at the recent rate; null when unknown.' }),
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

export interface Hold {
  micros: number
  /** Milliseconds since 1970 after which a sweep may settle it. */
  expiresMs: number
}

/** The wallet as stored. Invariant: `total = available + Σ holds − owed`, and `available ≥ 0`. */
export interface WalletState {
  userId: string
  /** Spendable, µUSD. */
  available: number
  /** Credits − debits of the ledger, µUSD. */
  total: number
  owed: number
  holds: Record<string, Hold>
  /** Generation whose machine may spend; 0 when no machine may. */
  generation: number
}

export const newWallet = (userId: string): WalletState => ({
  userId,
  available: 0,
  total: 0,
  owed: 0,
  holds: {},
  generation: 0,
})

export const heldOf = (state: Pick<WalletState, 'holds'>): number =>
  Object.values(state.holds).reduce((sum, hold) => sum + hold.micros, 0)

/** The invariant of the books; a wallet that breaks it must never be written. */
export const balances = (state: WalletState): boolean =>
  state.available >= 0 && state.owed >= 0 && state.total === state.available + heldOf(state) - state.owed

const lowMicros = 1_000_000

export function showWallet(state: WalletState): Wallet {
  return {
    balanceMicros: state.available,
    heldMicros: heldOf(state),
    owedMicros: state.owed,
    currency: 'usd',
    low: state.available < lowMicros,
    runwayDays: null,
  }
}
