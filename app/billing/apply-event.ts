import { isPaidBy } from '../../domain/billing/checkout.ts'
import { paymentFailed, walletFrozen } from '../../domain/billing/mail-texts.ts'
import type { EventOf, PaymentEvent } from '../../domain/billing/payment-event.ts'
import { ofGroup } from '../../domain/notifications/letter.ts'
import { wakeForKept } from '../chat/receive-message.ts'
import { outboxOf, sendMail } from '../outbox/outbox.ts'
import type { Conversations } from '../ports/chat.ts'
import { freezeWallet } from '../wallet/freeze.ts'
import { type CreditPorts, creditPeriod, creditTopUp } from './credits.ts'
import { followPayment } from './reversals.ts'
import { followSubscription } from './subscription.ts'

export type BillingPorts = CreditPorts & { conversations: Conversations }

/** Each effect happens once, so a repeated delivery completes the rest. Unknown records are ignored. */
export async function applyPaymentEvent(deps: BillingPorts, event: PaymentEvent, nowMs: number): Promise<void> {
  switch (event.kind) {
    case 'topup-paid':
      return topUpPaid(deps, event, nowMs)
    case 'topup-failed':
      return topUpFailed(deps, event)
    case 'payment-changed':
      return paymentChanged(deps, event, nowMs)
    case 'subscription-changed':
      return followSubscription(deps, event, nowMs)
    case 'period-paid':
      await creditPeriod(deps, event, event.createdSeconds, nowMs)
      await wakeForKept(deps, event.userId)
      return
    case 'period-unpaid':
      return periodUnpaid(deps, event)
    case 'ignored':
      return
  }
}

async function topUpPaid(deps: BillingPorts, event: EventOf<'topup-paid'>, nowMs: number): Promise<void> {
  const record = await deps.checkouts.find(event.userId, event.checkoutId)
  if (!isPaidBy(record, event)) return
  await creditTopUp(deps, record, event.paymentId, nowMs)
  await wakeForKept(deps, event.userId)
}

async function topUpFailed(deps: BillingPorts, event: EventOf<'topup-failed'>): Promise<void> {
  const record = await deps.checkouts.find(event.userId, event.checkoutId)
  if (isPaidBy(record, event)) await deps.checkouts.end(record.userId, record.id, 'failed')
}

async function paymentChanged(deps: BillingPorts, event: EventOf<'payment-changed'>, nowMs: number): Promise<void> {
  const user = await deps.users.find(event.userId)
  if (!user) return
  if (event.fraudWarning) {
    const outbox = outboxOf(deps, user.id, [sendMail(deps, walletFrozen(user.email))])
    if (await freezeWallet(deps, user.id, 'fraud warning', nowMs, outbox)) await outbox.flush()
  }
  await followPayment(deps, event, event.createdSeconds, nowMs)
}

async function periodUnpaid(deps: BillingPorts, event: EventOf<'period-unpaid'>): Promise<void> {
  const user = await deps.users.find(event.userId)
  if (!user || user.eraseAt || user.subscriptionId !== event.subscriptionId) return
  const letter = ofGroup(user, 'money', paymentFailed(user.email, event.amountCents, deps.settings.publicOrigin))
  if (letter) await deps.mail.send(letter)
  await deps.events.record(user.id, 'subscription.payment_failed', {
    amountCents: event.amountCents,
    paymentEventId: event.eventId,
  })
}
