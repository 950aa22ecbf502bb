import type { PaymentEvent } from '../../domain/billing/payment-event.ts'
import { type PaymentStep, stepsOf } from '../../domain/billing/payment-steps.ts'
import { wakeForKept } from '../chat/receive-message.ts'
import type { Conversations } from '../ports/chat.ts'
import type { Suspensions } from '../ports/operator.ts'
import { freezeForFraud, reverse } from './reversal.ts'
import { creditPeriod, followSubscription, reportUnpaidPeriod, type SubscriptionPorts } from './subscription.ts'
import { creditMissedTopUp, creditPaidTopUp, failTopUp } from './top-up.ts'

type BillingPorts = SubscriptionPorts & { conversations: Conversations; suspensions: Suspensions }

/** Each step takes effect once, so a repeated delivery completes the rest. Unknown records are ignored. */
export async function applyPaymentEvent(deps: BillingPorts, event: PaymentEvent, nowMs: number): Promise<void> {
  for (const step of stepsOf(event)) await take(deps, step, nowMs)
}

async function take(deps: BillingPorts, step: PaymentStep, nowMs: number): Promise<void> {
  switch (step.do) {
    case 'credit-top-up':
      if (await creditPaidTopUp(deps, step.paid, nowMs)) await wakeForKept(deps, step.paid.userId)
      return
    case 'credit-missed-top-up':
      return creditMissedTopUp(deps, step, nowMs)
    case 'fail-top-up':
      return failTopUp(deps, step.failed)
    case 'credit-period':
      return creditPeriod(deps, step, nowMs)
    case 'report-unpaid-period':
      return reportUnpaidPeriod(deps, step.unpaid)
    case 'follow-subscription':
      return followSubscription(deps, step.changed, nowMs)
    case 'freeze-for-fraud':
      return freezeForFraud(deps, step.userId, nowMs)
    case 'reverse':
      return reverse(deps, step.payment, nowMs)
    case 'wake':
      return wakeForKept(deps, step.userId)
  }
}
