import * as z from 'zod'
import { plans } from '../billing/plans.ts'
import { timeOfId } from '../ids.ts'
import { centsToMicros, micros, unsignedMicros } from '../money.ts'
import { dayMs, iso } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import type { Transaction, UsageReceipt } from '../wallet/ledger.ts'

/** The days before a check of the books whose ledger lines are added up. */
const totalDays = 7

/** Upper bounds of the counted times to the first word, ms. Longer times are in one more count. */
export const firstWordBounds = [500, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 10_000, 20_000, 40_000, 60_000] as const

/** Sums over the ledgers of all wallets. */
export const ledgerSums = z.object({
  from: timestamp,
  to: timestamp,
  toppedUpMicros: unsignedMicros,
  planMicros: unsignedMicros,
  takenBackMicros: micros,
  givenMicros: micros,
  chargedMicros: unsignedMicros,
  costMicros: unsignedMicros,
  calls: z.int(),
  failedCalls: z.int(),
  /** Messages by the time to their first word: a count per bound, and one for longer times. */
  firstWords: z.array(z.int()),
})
export type LedgerSums = z.infer<typeof ledgerSums>

export const noSums = (toMs: number): LedgerSums => ({
  from: iso(toMs - totalDays * dayMs),
  to: iso(toMs),
  toppedUpMicros: 0,
  planMicros: 0,
  takenBackMicros: 0,
  givenMicros: 0,
  chargedMicros: 0,
  costMicros: 0,
  calls: 0,
  failedCalls: 0,
  firstWords: Array(firstWordBounds.length + 1).fill(0),
})

export const addSums = (a: LedgerSums, b: LedgerSums): LedgerSums => ({
  from: a.from,
  to: a.to,
  toppedUpMicros: a.toppedUpMicros + b.toppedUpMicros,
  planMicros: a.planMicros + b.planMicros,
  takenBackMicros: a.takenBackMicros + b.takenBackMicros,
  givenMicros: a.givenMicros + b.givenMicros,
  chargedMicros: a.chargedMicros + b.chargedMicros,
  costMicros: a.costMicros + b.costMicros,
  calls: a.calls + b.calls,
  failedCalls: a.failedCalls + b.failedCalls,
  firstWords: a.firstWords.map((count, i) => count + (b.firstWords[i] ?? 0)),
})

/** Adds up one wallet's lines, oldest first; lines outside the days are ignored. */
export function sumsOfWallet(empty: LedgerSums): { add(line: Transaction): void; sums: LedgerSums } {
  const sums = { ...empty, firstWords: [...empty.firstWords] }
  const answered = new Set<string>()
  return {
    sums,
    add(line) {
      if (line.at < sums.from || line.at >= sums.to) return
      if (line.receipt) addCall(sums, line.receipt, answered)
      else addMove(sums, line)
    },
  }
}

function addMove(sums: LedgerSums, { type, amountMicros }: Transaction): void {
  if (type === 'topup') sums.toppedUpMicros += amountMicros
  else if (type === 'subscription_credit') sums.planMicros += priceOf(amountMicros)
  else if (type === 'refund' || type === 'dispute') sums.takenBackMicros -= amountMicros
  else sums.givenMicros += amountMicros
}

/** The ledger has the included credit, and not the price. A credit of no present plan counts as it is. */
function priceOf(includedMicros: number): number {
  const plan = plans.find((each) => each.includedMicros === includedMicros)
  return plan ? centsToMicros(plan.priceCents) : includedMicros
}

function addCall(sums: LedgerSums, receipt: UsageReceipt, answered: Set<string>): void {
  const { settledBecause, settledMicros, markup, promptId, trigger, firstByteMs, startedAt } = receipt
  if (settledBecause === 'upstream-error' || settledBecause === 'expired') {
    sums.failedCalls++
    return
  }
  sums.calls++
  sums.chargedMicros += settledMicros
  sums.costMicros += Math.round(settledMicros / (1 + markup / 10_000))
  if (trigger !== 'chat' || !promptId || firstByteMs === null || answered.has(promptId)) return
  answered.add(promptId)
  const ms = Date.parse(startedAt) + firstByteMs - timeOfId(promptId)
  const at = firstWordBounds.findIndex((bound) => ms <= bound)
  const bucket = at < 0 ? firstWordBounds.length : at
  sums.firstWords[bucket] = (sums.firstWords[bucket] ?? 0) + 1
}

/** The bound within which this share of the messages got a first word; null without messages, or above all bounds. */
export function withinMs(firstWords: readonly number[], share: number): number | null {
  const all = firstWords.reduce((sum, count) => sum + count, 0)
  let seen = 0
  for (const [i, count] of firstWords.entries()) {
    seen += count
    if (all > 0 && seen >= all * share) return firstWordBounds[i] ?? null
  }
  return null
}

const firstWord = z.object({
  messages: z.int().meta({ description: 'Messages in chats that got an answer.', example: 412 }),
  halfWithinMs: z.int().nullable().meta({
    description: 'Half of them had a first word within this time, wake-up included; null above a minute.',
    example: 2_000,
  }),
  mostWithinMs: z.int().nullable().meta({ description: 'The same for 95 in 100.', example: 10_000 }),
})

export const shownSums = z
  .object({
    from: timestamp,
    to: timestamp,
    moneyInMicros: micros.meta({ description: 'Top-ups and plans, less what was taken back, in µUSD.' }),
    toppedUpMicros: unsignedMicros.meta({ description: 'Top-ups, in µUSD.' }),
    planMicros: unsignedMicros.meta({ description: 'Paid months of plans at their present prices, in µUSD.' }),
    takenBackMicros: micros.meta({ description: 'Credit taken back after refunds and disputes, in µUSD.' }),
    givenMicros: micros.meta({ description: 'Credit of trials, promotions and corrections, in µUSD.' }),
    chargedMicros: unsignedMicros.meta({ description: 'Charged for model calls, in µUSD.' }),
    marginMicros: micros.meta({
      description: 'The part of `chargedMicros` above the providers’ prices, in µUSD. Machines are not included.',
    }),
    calls: z.int().meta({ description: 'Model calls with an answer.', example: 12_345 }),
    failedCalls: z.int().meta({ description: 'Model calls without one.', example: 12 }),
    firstWord,
  })
  .meta({ id: 'LedgerTotals' })

export const showSums = ({ costMicros, firstWords, ...sums }: LedgerSums): z.infer<typeof shownSums> => ({
  ...sums,
  moneyInMicros: sums.toppedUpMicros + sums.planMicros - sums.takenBackMicros,
  marginMicros: sums.chargedMicros - costMicros,
  firstWord: {
    messages: firstWords.reduce((sum, count) => sum + count, 0),
    halfWithinMs: withinMs(firstWords, 0.5),
    mostWithinMs: withinMs(firstWords, 0.95),
  },
})
