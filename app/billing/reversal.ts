import { walletFrozen } from '../../domain/billing/mail-texts.ts'
import { allowanceKey, type ProviderPayment } from '../../domain/billing/payment-event.ts'
import { planById } from '../../domain/billing/plans.ts'
import { reversalsOf } from '../../domain/billing/reversals.ts'
import { DomainError } from '../../domain/errors.ts'
import { iso } from '../../domain/time.ts'
import { type OutboxPorts, outboxOf, sendMail } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import type { Checkouts } from '../ports/billing.ts'
import type { Events } from '../ports/chat.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Suspensions } from '../ports/operator.ts'
import type { Wallets } from '../ports/wallet.ts'
import { suspendWallet } from '../wallet/freeze.ts'
import { recordLine } from '../wallet/record-line.ts'

type ReversalPorts = OutboxPorts & {
  users: Users
  checkouts: Checkouts
  wallets: Wallets
  suspensions: Suspensions
  events: Events
  mail: Mail
}

export async function freezeForFraud(deps: ReversalPorts, userId: string, nowMs: number): Promise<void> {
  const user = await deps.users.find(userId)
  if (!user) return
  const outbox = outboxOf(deps, userId, [sendMail(deps, walletFrozen(user.email))])
  if (await suspendWallet(deps, userId, 'fraud warning', nowMs, outbox)) await outbox.flush()
}

/** Adjusts a wallet to the rest of a payment. Safe to repeat, in any order with other events. */
export async function reverse(deps: ReversalPorts, payment: ProviderPayment, nowMs: number): Promise<void> {
  const user = await deps.users.find(payment.userId)
  const source = user && (await creditOf(deps, payment))
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

/** The credit that a payment bought. A second subscription has none, so nothing is taken back for it. */
async function creditOf(
  { checkouts }: ReversalPorts,
  { userId, credited }: ProviderPayment,
): Promise<{ name: string; amountMicros: number } | null> {
  if ('period' in credited)
    return { name: allowanceKey(credited.period), amountMicros: planById(credited.period.plan).includedMicros }
  const record = await checkouts.find(userId, credited.checkoutId)
  return record?.state === 'credited' ? { name: record.id, amountMicros: record.amountMicros } : null
}
