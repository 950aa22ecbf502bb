import { conflict } from '../errors.ts'
import { centsToMicros } from '../money.ts'
import type { Basics, Ports } from '../ports.ts'
import { iso } from '../time.ts'
import type { CheckoutRecord } from './checkout.ts'
import { customerOf } from './customer.ts'
import { topUpRefused } from './mails.ts'
import { checkDayLimit, dayLimit, dayOf } from './new-account.ts'
import type { EventOf } from './payment-event.ts'
import type { HostedPage } from './ports.ts'

type PagePorts = Pick<Ports, 'users' | 'pages' | 'checkouts'> & Basics
type CreditPorts = Pick<Ports, 'users' | 'payments' | 'checkouts' | 'wallets' | 'events' | 'mail'>

export const newTopUp = (
  id: string,
  userId: string,
  kind: 'topup' | 'auto-topup',
  amountMicros: number,
  nowMs: number,
): CheckoutRecord => ({
  id,
  userId,
  kind,
  amountMicros,
  plan: null,
  sessionId: null,
  createdAt: iso(nowMs),
  state: 'pending',
})

/**
 * Makes the page on which a user tops up, after our own record of it.
 * @throws validation when a new account would pass its day's limit
 */
export async function openTopUp(
  deps: PagePorts,
  userId: string,
  amountCents: number,
  nowMs: number,
): Promise<{ id: string; page: HostedPage }> {
  const { email, customerId, createdAt } = await customerOf(deps, deps.pages, userId)
  const amountMicros = centsToMicros(amountCents)
  checkDayLimit(createdAt, await deps.checkouts.countedOn(userId, dayOf(nowMs)), amountMicros, nowMs)
  const record = newTopUp(deps.ids.next('chk'), userId, 'topup', amountMicros, nowMs)
  await deps.checkouts.create(record)
  const page = await deps.pages.topUpPage({ userId, email, customerId, checkoutId: record.id, amountCents })
  await deps.checkouts.setSession(userId, record.id, page.sessionId)
  return { id: record.id, page }
}

/** True when the record is the one the page was made for; the amount is the record's, never the event's. */
export const isPaidBy = (
  record: CheckoutRecord | null,
  event: Pick<EventOf<'topup-paid'>, 'userId' | 'sessionId'>,
): record is CheckoutRecord =>
  record !== null &&
  record.userId === event.userId &&
  record.kind !== 'subscription' &&
  record.sessionId !== null &&
  record.sessionId === event.sessionId

/**
 * Credits a paid top-up, once for ever. What would pass a new account's limit is decided again here, because many
 * pages may have been open at once: it is refused, and its money goes back.
 */
export async function creditTopUp(
  deps: CreditPorts,
  record: CheckoutRecord,
  paymentId: string | null,
  nowMs: number,
): Promise<void> {
  const user = await deps.users.find(record.userId)
  if (!user) return
  if (record.state === 'pending' || record.state === 'failed') {
    const limitMicros = dayLimit(user.createdAt, nowMs)
    const ask = { checkoutId: record.id, amountMicros: record.amountMicros }
    const within = limitMicros === null || (await deps.checkouts.count(user.id, dayOf(nowMs), { ...ask, limitMicros }))
    if (!within) return refuse(deps, record, user.email, paymentId)
  }
  if (record.state === 'failed') await deps.checkouts.reopen(record.userId, record.id)
  if (record.state === 'refused') return refuse(deps, record, user.email, paymentId)
  const description = record.kind === 'auto-topup' ? 'Automatic top-up' : 'Top-up'
  const line = await deps.wallets.creditCheckout(record, description, iso(nowMs))
  if (!line) return
  const { id: transactionId, type, amountMicros } = line
  await deps.events.record(user.id, 'wallet.credited', { transactionId, type, amountMicros })
}

/** Sends a payment back. The refusal is noted first, so that nothing credits it meanwhile. */
async function refuse(
  deps: CreditPorts,
  record: CheckoutRecord,
  email: string,
  paymentId: string | null,
): Promise<void> {
  const first = await deps.checkouts.end(record.userId, record.id, 'refused')
  const now = first ? null : await deps.checkouts.find(record.userId, record.id)
  if (now && now.state !== 'refused') return
  if (!paymentId) throw conflict('A refused payment has no id yet; deliver again.')
  await deps.payments.refund(paymentId)
  if (first) await deps.mail.send(topUpRefused(email, record.amountMicros))
}
