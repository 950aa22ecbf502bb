import type { UserRecord } from '../../domain/account/user.ts'
import { type CheckoutRecord, isPaidBy } from '../../domain/billing/checkout.ts'
import { topUpRefused } from '../../domain/billing/mail-texts.ts'
import type { EventOf } from '../../domain/billing/payment-event.ts'
import type { StepOf } from '../../domain/billing/payment-steps.ts'
import { dayLimit } from '../../domain/billing/top-up.ts'
import { conflict } from '../../domain/errors.ts'
import { dateOf, iso } from '../../domain/time.ts'
import { type OutboxPorts, outboxOf, sendMail } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import type { Checkouts, Payments } from '../ports/billing.ts'
import type { Events } from '../ports/chat.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Wallets } from '../ports/wallet.ts'
import { recordLine } from '../wallet/record-line.ts'

export type TopUpPorts = OutboxPorts & {
  users: Users
  payments: Payments
  checkouts: Checkouts
  wallets: Wallets
  events: Events
  mail: Mail
}

/** False without a record that this event pays. */
export async function creditPaidTopUp(deps: TopUpPorts, paid: EventOf<'topup-paid'>, nowMs: number): Promise<boolean> {
  const record = await deps.checkouts.find(paid.userId, paid.checkoutId)
  if (!isPaidBy(record, paid)) return false
  await creditTopUp(deps, record, paid.paymentId, nowMs)
  return true
}

export async function creditMissedTopUp(
  deps: TopUpPorts,
  { userId, checkoutId, paymentId, isDisputed }: StepOf<'credit-missed-top-up'>,
  nowMs: number,
): Promise<void> {
  const record = await deps.checkouts.find(userId, checkoutId)
  if (!record || record.kind === 'subscription' || record.state === 'credited') return
  await creditTopUp(deps, record, paymentId, nowMs, isDisputed)
}

export async function failTopUp({ checkouts }: TopUpPorts, failed: EventOf<'topup-failed'>): Promise<void> {
  const record = await checkouts.find(failed.userId, failed.checkoutId)
  if (isPaidBy(record, failed)) await checkouts.end(record.userId, record.id, 'failed')
}

/**
 * Credits a paid top-up once. A new account's limit is checked again, because many pages may have been open at once. A
 * payment over the limit is refunded, as is one of a closed account, unless it is disputed.
 */
export async function creditTopUp(
  deps: TopUpPorts,
  record: CheckoutRecord,
  paymentId: string | null,
  nowMs: number,
  isDisputed = false,
): Promise<void> {
  const user = await deps.users.find(record.userId)
  if (!user || (record.state === 'refused' && isDisputed)) return
  // A disputed payment is not refunded, because the bank takes the money back: the ledger records both entries.
  if (user.eraseAt && record.state !== 'credited' && !isDisputed) return refuse(deps, record, user, paymentId)
  if (record.state === 'pending' || record.state === 'failed') {
    const limitMicros = dayLimit(user.createdAt, nowMs)
    const topUp = { checkoutId: record.id, amountMicros: record.amountMicros }
    const within =
      limitMicros === null || (await deps.checkouts.count(user.id, dateOf(nowMs), { ...topUp, limitMicros }))
    if (!within) return refuse(deps, record, user, paymentId)
  }
  if (record.state === 'failed') await deps.checkouts.reopen(record.userId, record.id)
  if (record.state === 'refused') return refuse(deps, record, user, paymentId)
  const description = record.kind === 'auto-topup' ? 'Automatic top-up' : 'Top-up'
  const line = await deps.wallets.creditCheckout(record, description, iso(nowMs))
  if (line) await recordLine(deps, user.id, line)
}

/** Records the refusal before the refund, so that nothing credits the payment meanwhile. */
async function refuse(
  deps: TopUpPorts,
  record: CheckoutRecord,
  { id, email, eraseAt }: UserRecord,
  paymentId: string | null,
): Promise<void> {
  if (record.state === 'failed') await deps.checkouts.reopen(id, record.id)
  const letter = topUpRefused(email, record.amountMicros, eraseAt ? 'closed' : 'limit')
  const outbox = outboxOf(deps, id, [sendMail(deps, letter)])
  const isFirst = await deps.checkouts.end(id, record.id, 'refused', outbox)
  const now = isFirst ? null : await deps.checkouts.find(id, record.id)
  if (now && now.state !== 'refused') return
  if (!paymentId) throw conflict('A refused payment has no id yet; deliver again.')
  await deps.payments.refund(paymentId)
  if (isFirst) await outbox.flush()
}
