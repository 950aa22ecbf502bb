import type { PlanId } from './plans.ts'
import type { Subscription } from './subscription.ts'

export interface ProviderSubscription {
  userId: string
  subscriptionId: string
  customerId: string
  checkoutId: string | null
  /** Time of the purchase, seconds since 1970. */
  boughtSeconds: number
  subscription: Subscription
  /** The provider gave up charging but keeps the subscription, so we end it. */
  givenUp: boolean
}

export interface PaidPeriod {
  userId: string
  subscriptionId: string
  checkoutId: string | null
  plan: PlanId
  /** ISO 8601 UTC start of the period; the allowance is credited once per subscription and period. */
  periodStart: string
}

/** The idempotency key of a month's credit; subscriptions that start in the same second have different keys. */
export const allowanceKey = ({ subscriptionId, periodStart }: PaidPeriod) =>
  `allowance#${subscriptionId}#${periodStart}`

export type Credited = { checkoutId: string } | { period: PaidPeriod }

/** The present state at the provider, with all refunds and disputes. Amounts are cents. */
export interface ProviderPayment {
  userId: string
  paymentId: string
  credited: Credited
  chargedCents: number
  refunds: { id: string; amountCents: number; state: 'done' | 'failed' }[]
  disputes: { id: string; amountCents: number; state: 'open' | 'won' | 'lost' }[]
  fraudWarning: boolean
}

/** A verified event; `ignored` covers types without an effect. */
export type PaymentEvent =
  | {
      kind: 'topup-paid'
      eventId: string
      userId: string
      checkoutId: string
      /** The paid session, or the invoice of an automatic top-up. */
      sessionId: string
      paymentId: string | null
    }
  | { kind: 'topup-failed'; eventId: string; userId: string; checkoutId: string; sessionId: string }
  /** Carries the payment's whole present state, so that the order of events does not matter. */
  | ({ kind: 'payment-changed'; eventId: string; createdSeconds: number } & ProviderPayment)
  | ({
      kind: 'subscription-changed'
      eventId: string
      /** The provider's time of the event, seconds since 1970; an older event never overwrites a newer one. */
      createdSeconds: number
      /** True when the subscription is over for good. */
      deleted: boolean
    } & ProviderSubscription)
  | ({ kind: 'period-paid'; eventId: string; createdSeconds: number } & PaidPeriod)
  | { kind: 'period-unpaid'; eventId: string; userId: string; subscriptionId: string; amountCents: number }
  | { kind: 'ignored'; eventId: string; type: string }

export type EventOf<K extends PaymentEvent['kind']> = Extract<PaymentEvent, { kind: K }>
