import { wholeAmount } from '../money.ts'
import type { ProviderPayment } from './payment-event.ts'

/** Money to take back, or to give back after a won dispute or a failed refund. */
interface Reversal {
  key: string
  type: 'refund' | 'dispute'
  amountMicros: number
  undone: boolean
}

/**
 * In the order in which they count: returned money makes room for debits, and a bank disputes the rest after refunds.
 */
export function reversalsOf(payment: ProviderPayment, creditedMicros: number): Reversal[] {
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

/** `amount × part ÷ whole`, rounded down, at most the amount; exact, because it is computed with big integers. */
export function shareOf(amountMicros: number, part: number, whole: number): number {
  for (const number of [amountMicros, part, whole]) wholeAmount(number)
  return part >= whole ? amountMicros : Number((BigInt(amountMicros) * BigInt(part)) / BigInt(whole))
}
