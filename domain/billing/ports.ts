import type { Page } from '../page.ts'
import type { CheckoutRecord } from './checkout.ts'
import type { Grace } from './grace.ts'
import type { Invoice } from './invoice.ts'
import type { PaymentEvent, SeenSubscription } from './payment-event.ts'
import type { PlanId } from './plans.ts'

export interface Checkouts {
  create(record: CheckoutRecord): Promise<void>
  setSession(userId: string, id: string, sessionId: string): Promise<void>
  find(userId: string, id: string): Promise<CheckoutRecord | null>
  /** Ends an open checkout without a credit; false when it has ended already. */
  end(userId: string, id: string, as: 'refused' | 'failed'): Promise<boolean>
  /** Opens a checkout again that failed: it was paid after all. */
  reopen(userId: string, id: string): Promise<void>
  /** µUSD that count against a UTC day's limit (`2026-11-21`). */
  countedOn(userId: string, day: string): Promise<number>
  /** Counts a top-up against a day once for ever, unless that would pass the limit: false, and nothing is counted. */
  count(
    userId: string,
    day: string,
    ask: { checkoutId: string; amountMicros: number; limitMicros: number },
  ): Promise<boolean>
}

/** Files of ended subscriptions, on their way to deletion. */
export interface Graces {
  find(userId: string): Promise<Grace | null>
  /** Nothing happens when the user's files are on their way already. */
  start(grace: Grace): Promise<void>
  /** Notes that the next warning is due at `dueMs`; false when somebody else moved it. */
  advance(grace: Grace, warned: number, dueMs: number): Promise<boolean>
  end(userId: string): Promise<void>
  /** Users of whom something is due, by sweep shard. */
  due(shard: number, nowMs: number): Promise<string[]>
}

export interface HostedPage {
  sessionId: string
  url: string
  expiresAt: string
}

interface PageAsk {
  userId: string
  email: string
  customerId: string
  checkoutId: string
}

/** The billing provider's page for a top-up, and the customer it is opened for. Every failure is `provider-error`. */
export interface Pages {
  customer(user: { id: string; email: string; customerId: string | null }): Promise<string>
  topUpPage(ask: PageAsk & { amountCents: number }): Promise<HostedPage>
}

/** The billing provider. Every failure of its own is thrown as `provider-error`. */
export interface Payments extends Pages {
  planPage(ask: PageAsk & { plan: PlanId }): Promise<HostedPage>
  /** The provider's page for cards, invoices and cancelling; it comes back to the billing page. */
  portal(customerId: string): Promise<{ url: string }>
  /** Newest first; `after` is an invoice's id. */
  invoices(customerId: string, page: { after: string | null; limit: number }): Promise<Page<Invoice>>
  /** The subscription as it is now; null when there is none of ours with this id. */
  subscription(subscriptionId: string): Promise<SeenSubscription | null>
  /**
   * `now` charges the difference for the rest of the period; `later` changes with the next period; `stay` takes a
   * change to come back. @throws conflict when the card is declined: nothing has changed then
   */
  changePlan(subscriptionId: string, plan: PlanId, when: 'now' | 'later' | 'stay'): Promise<SeenSubscription>
  /** Ends a subscription at once. Fine when it has ended. */
  endSubscription(subscriptionId: string): Promise<void>
  /** Ends a subscription at once and gives its last payment back. Fine when that was done. */
  undoSubscription(subscriptionId: string): Promise<void>
  /** Gives a payment back as a whole. Fine when that was done. */
  refund(paymentId: string): Promise<void>
  /** An invoice to be charged to a saved card; repeated calls for a checkout make one. Null without a saved card. */
  draftCharge(ask: PageAsk & { amountCents: number }): Promise<string | null>
  /** Charges such an invoice while the card's owner is away. One that is declined is never paid later. */
  payCharge(invoiceId: string): Promise<'paid' | 'declined'>
  /** Checks the signature over the raw body. @throws validation when it does not hold */
  readEvent(rawBody: string, signature: string | undefined, nowMs: number): Promise<PaymentEvent>
}
