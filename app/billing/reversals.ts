import type { ProviderPayment } from '../../domain/billing/payment-event.ts'
import { planById } from '../../domain/billing/plans.ts'
import { reversalsOf } from '../../domain/billing/reversals.ts'
import { DomainError } from '../../domain/errors.ts'
import { iso } from '../../domain/time.ts'
import { allowanceKey, type CreditPorts, creditPeriod, creditTopUp, recordLine } from './credits.ts'

/** Adjusts a wallet to what is left of a payment; safe to repeat, in any order with other events. */
export async function followPayment(
  deps: CreditPorts,
  payment: ProviderPayment,
  asOfSeconds: number,
  nowMs: number,
): Promise<void> {
  const source = await creditedBy(deps, payment, asOfSeconds, nowMs)
  if (!source) return
  for (const { key, type, amountMicros, undone } of reversalsOf(payment, source.amountMicros)) {
    const at = iso(nowMs)
    const debit = { key, payment: source.name, amountMicros, type, description: descriptions[type].taken, at }
    const move = undone
      ? deps.wallets.undoDebit(payment.userId, key, descriptions[type].back, at)
      : deps.wallets.debitOnce(payment.userId, debit)
    const line = await move.catch(noSuchPayment)
    if (line) await recordLine(deps, payment.userId, line)
  }
}

/** A month that was not credited has nothing to take back. */
function noSuchPayment(error: unknown): null {
  if (error instanceof DomainError && error.code === 'not-found') return null
  throw error
}

const descriptions = {
  refund: { taken: 'Refund of a payment', back: 'Refund that did not go through' },
  dispute: { taken: 'Disputed payment', back: 'Dispute won' },
} as const

/** The payment's credit. A reversible payment was paid, so a payment whose event is missing is credited first. */
async function creditedBy(
  deps: CreditPorts,
  { userId, paymentId, credited, disputes }: ProviderPayment,
  asOfSeconds: number,
  nowMs: number,
): Promise<{ name: string; amountMicros: number } | null> {
  if ('checkoutId' in credited) {
    const record = await deps.checkouts.find(userId, credited.checkoutId)
    if (!record || record.kind === 'subscription') return null
    if (record.state !== 'credited') await creditTopUp(deps, record, paymentId, nowMs, disputes.length > 0)
    const now = await deps.checkouts.find(userId, record.id)
    return now?.state === 'credited' ? { name: now.id, amountMicros: now.amountMicros } : null
  }
  // A second subscription has no credit under its own key, so nothing is taken from it.
  await creditPeriod(deps, credited.period, asOfSeconds, nowMs, disputes.length > 0)
  return { name: allowanceKey(credited.period), amountMicros: planById(credited.period.plan).includedMicros }
}
