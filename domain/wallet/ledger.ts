import * as z from 'zod'
import { trigger } from '../chat/message.ts'
import { unitPrices } from '../models/model.ts'
import { micros, unsignedMicros, wholeMicros } from '../money.ts'
import { iso } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { type Hold, heldOf, type WalletState } from './state.ts'

export const transactionTypes = [
  'topup',
  'subscription_credit',
  'trial_credit',
  'usage',
  'refund',
  'dispute',
  'adjustment',
] as const

/** False for a trial's credit: nobody paid it. */
export const isPaid = (type: (typeof transactionTypes)[number]): boolean => type !== 'trial_credit'

/**
 * `usage`: the provider's report. `counted`: a whole answer without a report. `unread`: bytes reached the client that
 * the meter could not read. `interrupted`: the answer ended early. `upstream-error`: an error before any output, which
 * costs nothing. `expired`: nobody settled the hold.
 */
export const settlementReasons = ['usage', 'counted', 'unread', 'interrupted', 'upstream-error', 'expired'] as const
export type SettlementReason = (typeof settlementReasons)[number]

/** All factors of a usage entry's amount, so that anyone can recompute it. Prices are µUSD per million tokens. */
export const usageReceipt = z
  .object({
    callId: z.string(),
    model: z.string(),
    provider: z.string(),
    priceVersion: z.string(),
    inputTokens: z.int().min(0),
    cachedInputTokens: z.int().min(0),
    cacheWriteTokens: z.int().min(0),
    cacheWriteHourTokens: z.int().min(0).optional().meta({
      description:
        'The part of cacheWriteTokens that is cached for an hour, at twice the input price. Absent if there is none.',
    }),
    outputTokens: z.int().min(0),
    reasoningTokens: z.int().min(0),
    searches: z.int().min(0).optional().meta({ description: 'The number of web searches by the provider.' }),
    searchMicros: unsignedMicros.optional().meta({ description: 'The cost of each web search, in µUSD.' }),
    unitPrices,
    markup: z.int().min(0).meta({ description: 'Markup on the provider price, in basis points.' }),
    heldMicros: unsignedMicros,
    settledMicros: unsignedMicros,
    settledBecause: z.enum(settlementReasons).meta({
      description:
        '`usage`: the provider’s own report. `counted`: a whole answer without a report, settled on counted tokens. `unread`: an ' +
        'answer that could not be read, settled on counted bytes. `interrupted`: tokens counted up to the interruption. ' +
        '`upstream-error`: an error before any output; nothing is charged. `expired`: the hold ran out; nothing is charged.',
    }),
    trigger,
    promptId: z.string().optional().meta({ description: 'The prompt for which the agent proved to work.' }),
    conversation: z.string().optional().meta({
      description: 'The conversation of that prompt, `main` or cnv_….',
      example: 'main',
    }),
    child: z.string().optional().meta({ description: 'Its sub-agent that made the call.', example: 'researcher' }),
    tokenId: z.string().optional().meta({
      description: 'The token that made the call; absent if the agent made it.',
      example: 'tok_3QZ6q5b1mS0x5rjS8uWb1A',
    }),
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
    balanceMicros: micros.meta({ description: 'The ledger’s balance after this entry: credits − debits, in µUSD.' }),
    at: timestamp,
    description: z.string(),
    receipt: usageReceipt.optional(),
  })
  .meta({ id: 'Transaction' })
export type Transaction = z.infer<typeof transaction>

export const expiredReceipt = (callId: string, hold: Hold, startedMs: number, endedMs: number): UsageReceipt => ({
  callId,
  model: 'unknown',
  provider: 'unknown',
  priceVersion: 'unknown',
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  unitPrices: { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 },
  markup: 0,
  heldMicros: hold.micros,
  settledMicros: 0,
  settledBecause: 'expired',
  trigger: hold.trigger,
  ...(hold.tokenId && { tokenId: hold.tokenId }),
  startedAt: iso(startedMs),
  firstByteMs: null,
  durationMs: endedMs - startedMs,
})

/** A wallet's numbers after a move, µUSD; adapters write them under the condition the decision was made on. */
export interface Balances {
  available: number
  total: number
  owed: number
}

export const receive = (state: WalletState, micros: number): Pick<Balances, 'available' | 'owed'> => {
  const paid = Math.min(state.owed, micros)
  return { available: state.available + micros - paid, owed: state.owed - paid }
}

/** A credit first pays what is owed. */
export function decideCredit(state: WalletState, amountMicros: number): Balances {
  if (wholeMicros(amountMicros) <= 0) throw new RangeError('a credit is above zero')
  return { ...receive(state, amountMicros), total: state.total + amountMicros }
}

/** Takes money from the balance; the part it cannot cover becomes owed. */
export function decideDebit(state: WalletState, amountMicros: number): Balances {
  if (wholeMicros(amountMicros) <= 0) throw new RangeError('a debit is above zero')
  const taken = Math.min(state.available, amountMicros)
  return {
    available: state.available - taken,
    total: state.total - amountMicros,
    owed: state.owed + amountMicros - taken,
  }
}

export function expectedBalances(ledgerMicros: number, state: Pick<WalletState, 'holds'>): Balances {
  const free = ledgerMicros - heldOf(state)
  return { available: Math.max(0, free), total: ledgerMicros, owed: Math.max(0, -free) }
}

/** Differences between a wallet and its ledger, in words; empty when the books balance. */
export function differences(state: WalletState, ledgerMicros: number): string[] {
  const must = expectedBalances(ledgerMicros, state)
  const names = ['available', 'total', 'owed'] as const
  return names
    .filter((name) => state[name] !== must[name])
    .map((name) => `${name} is ${state[name]}, must be ${must[name]}`)
}
