import type { PlanId } from './plans.ts'
import type { Subscription } from './subscription.ts'

/** A subscription as the provider shows it. */
export interface ProviderSubscription {
  userId: string
  subscriptionId: string
  customerId: string
  /** Our record of the page it was bought on. */
  checkoutId: string | null
  /** Seconds since 1970 at which it was bought. */
  boughtSeconds: number
  subscription: Subscription
  /** The provider gave up asking for the money, yet keeps the subscription: it is ours to end. */
  givenUp: boolean
}

/** A plan's month that was paid, with the page it was subscribed on. */
export interface PaidPeriod {
  userId: string
  subscriptionId: string
  checkoutId: string | null
  plan: PlanId
  /** ISO 8601 UTC start of the paid period; the allowance is credited once per subscription and period. */
  periodStart: string
}

/** The credit of a payment: our top-up, or a plan's month. */
export type Credited = { checkoutId: string } | { period: PaidPeriod }

/** A payment as the provider shows it now, with everything that was taken back of it. Amounts are cents. */
export interface ProviderPayment {
  userId: string
  /** The provider's id of the payment. */
  paymentId: string
  credited: Credited
  chargedCents: number
  refunds: { id: string; amountCents: number; state: 'done' | 'failed' }[]
  disputes: { id: string; amountCents: number; state: 'open' | 'won' | 'lost' }[]
  /** The provider received a warning that the payment is probably fraud. */
  fraudWarning: boolean
}

/** The meaning of a verified payment event; `ignored` covers types we do not act on. */
export type PaymentEvent =
  | {
      kind: 'topup-paid'
      eventId: string
      userId: string
      checkoutId: string
      /** The session that was paid, or the invoice of an automatic top-up. */
      sessionId: string
      /** The provider's payment, for the case that it has to go back. */
      paymentId: string | null
    }
  | { kind: 'topup-failed'; eventId: string; userId: string; checkoutId: string; sessionId: string }
  /**
   * Something was taken back, or threatens to be: the payment's whole present state, so that the order is no matter.
   */
  | ({ kind: 'payment-changed'; eventId: string; createdSeconds: number } & ProviderPayment)
  | ({
      kind: 'subscription-changed'
      eventId: string
      /** Seconds since 1970 at which the provider made the event; an older one never overwrites a newer. */
      createdSeconds: number
      /** True when the provider says that it is over for good. */
      deleted: boolean
    } & ProviderSubscription)
  | ({ kind: 'period-paid'; eventId: string; createdSeconds: number } & PaidPeriod)
  | { kind: 'period-unpaid'; eventId: string; userId: string; subscriptionId: string; amountCents: number }
  | { kind: 'ignored'; eventId: string; type: string }

export type EventOf<K extends PaymentEvent['kind']> = Extract<PaymentEvent, { kind: K }>
