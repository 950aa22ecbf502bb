import { DomainError } from '../errors.ts'
import { wholeAmount } from '../money.ts'
import { iso } from '../time.ts'
import { type AllowancePorts, allowanceKey, creditPeriod } from './allowance.ts'
import type { SeenPayment } from './payment-event.ts'
import { planById } from './plans.ts'
import { creditTopUp } from './top-up.ts'

export type ReversalPorts = AllowancePorts

/** One thing to take back, or to give back when it was a dispute that we won or a refund that failed. */
export interface Reversal {
  key: string
  type: 'refund' | 'dispute'
  amountMicros: number
  undone: boolean
}

/**
 * What was taken back of a payment, in the order in which it counts, whatever was told first: what is given back makes
 * room for what is taken, and a bank disputes what refunds have left. Part of a payment is the same part of its credit.
 */
export function reversalsOf(payment: SeenPayment, creditedMicros: number): Reversal[] {
  const share = (cents: number) => shareOf(creditedMicros, cents, payment.chargedCents)
  const refunds = payment.refunds.map(({ id, amountCents, state }) => ({
    key: `refund#${id}`,
    type: 'refund' as const,
    amountMicros: share(amountCents),
    undone: state === 'failed',
  }))
  const disputes = payment.disputes.map(({ id, amountCents, state }) => ({
    key: `dispute#${id}`,
    type: 'dispute' as const,
    amountMicros: share(amountCents),
    undone: state === 'won',
  }))
  const all = [...refunds, ...disputes].filter(({ amountMicros }) => amountMicros > 0)
  return [...all.filter(({ undone }) => undone), ...all.filter(({ undone }) => !undone)]
}

/** `amount × part ÷ whole`, rounded down, at most the amount; exact, because it is counted in big integers. */
export function shareOf(amountMicros: number, part: number, whole: number): number {
  for (const one of [amountMicros, part, whole]) wholeAmount(one)
  return part >= whole ? amountMicros : Number((BigInt(amountMicros) * BigInt(part)) / BigInt(whole))
}

/** Brings a wallet to what is left of a payment. Repeating it, in any order with others, changes nothing more. */
export async function followPayment(
  deps: ReversalPorts,
  payment: SeenPayment,
  asOfSeconds: number,
  nowMs: number,
): Promise<void> {
  const source = await creditedBy(deps, payment, asOfSeconds, nowMs)
  if (!source) return
  for (const { key, type, amountMicros, undone } of reversalsOf(payment, source.amountMicros)) {
    const at = iso(nowMs)
    const debit = { key, payment: source.name, amountMicros, type, description: words[type].taken, at }
    const move = undone
      ? deps.wallets.undoDebit(payment.userId, key, words[type].back, at)
      : deps.wallets.debitOnce(payment.userId, debit)
    const line = await move.catch(noSuchPayment)
    if (!line) continue
    await deps.events.record(payment.userId, line.amountMicros > 0 ? 'wallet.credited' : 'wallet.charged', {
      transactionId: line.id,
      type: line.type,
      amountMicros: line.amountMicros,
    })
  }
}

/** A month that was not credited has none to take back. */
function noSuchPayment(error: unknown): null {
  if (error instanceof DomainError && error.code === 'not-found') return null
  throw error
}

const words = {
  refund: { taken: 'Refund of a payment', back: 'Refund that did not go through' },
  dispute: { taken: 'Disputed payment', back: 'Dispute won' },
} as const

/** What the payment credited. What can be taken back was paid, so what nobody told us of yet is credited first. */
async function creditedBy(
  deps: ReversalPorts,
  { userId, paymentId, credited }: SeenPayment,
  asOfSeconds: number,
  nowMs: number,
): Promise<{ name: string; amountMicros: number } | null> {
  if ('checkoutId' in credited) {
    const record = await deps.checkouts.find(userId, credited.checkoutId)
    if (!record || record.kind === 'subscription') return null
    if (record.state !== 'credited') await creditTopUp(deps, record, paymentId, nowMs)
    const now = await deps.checkouts.find(userId, record.id)
    return now?.state === 'credited' ? { name: now.id, amountMicros: now.amountMicros } : null
  }
  // A second subscription has no month of its own, and then there is nothing under its key to take from.
  await creditPeriod(deps, credited.period, asOfSeconds, nowMs)
  return { name: allowanceKey(credited.period), amountMicros: planById(credited.period.plan).includedMicros }
}
