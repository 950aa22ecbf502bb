import type { CheckoutRecord } from '../../domain/billing/checkout.ts'
import type { GracePeriod } from '../../domain/billing/grace-period.ts'
import type { Invoice } from '../../domain/billing/invoice.ts'
import type { PaymentEvent, ProviderSubscription } from '../../domain/billing/payment-event.ts'
import type { PlanId } from '../../domain/billing/plans.ts'
import type { Page } from '../../domain/page.ts'

export interface Checkouts {
  create(record: CheckoutRecord): Promise<void>
  setSession(userId: string, id: string, sessionId: string): Promise<void>
  find(userId: string, id: string): Promise<CheckoutRecord | null>
  /** Ends an open checkout without a credit; false when it has ended already. */
  end(userId: string, id: string, as: 'refused' | 'failed'): Promise<boolean>
  /** Notes that a subscription without one of our checkouts is refused. False if that was noted before. */
  noteRefused(userId: string, subscriptionId: string): Promise<boolean>
  /** Opens a checkout again that failed: it was paid after all. */
  reopen(userId: string, id: string): Promise<void>
  /** µUSD that count against a UTC day's limit (`2026-11-21`). */
  countedOn(userId: string, day: string): Promise<number>
  /** Counts a top-up against a day once for ever, unless that would pass the limit: false, and nothing is counted. */
  count(
    userId: string,
    day: string,
    topUp: { checkoutId: string; amountMicros: number; limitMicros: number },
  ): Promise<boolean>
}

/** Files of ended subscriptions, on their way to deletion. */
export interface GracePeriods {
  find(userId: string): Promise<GracePeriod | null>
  /** Nothing happens when the user's files are on their way already. */
  start(grace: GracePeriod): Promise<void>
  /** Notes that the next warning is due at `dueMs`; false when somebody else moved it. */
  advance(grace: GracePeriod, warned: number, dueMs: number): Promise<boolean>
  /** False when there is none. */
  end(userId: string): Promise<boolean>
  /**
   * Ends it with the first write of `act`: all of it is written, or nothing. False when it was ended or moved
   * meanwhile.
   */
  endWith(grace: GracePeriod, act: () => Promise<unknown>): Promise<boolean>
  /** Users of whom something is due, by sweep shard. */
  due(shard: number, nowMs: number): Promise<string[]>
}

export interface HostedPage {
  sessionId: string
  url: string
  expiresAt: string
}

interface PageRequest {
  userId: string
  email: string
  customerId: string
  checkoutId: string
}

/** The billing provider. Every failure of its own is thrown as `provider-error`. */
export interface Payments {
  customer(user: { id: string; email: string; customerId: string | null }): Promise<string>
  topUpPage(request: PageRequest & { amountCents: number }): Promise<HostedPage>
  planPage(request: PageRequest & { plan: PlanId }): Promise<HostedPage>
  /** The provider's page for cards, invoices and cancelling; it comes back to the billing page. */
  portal(customerId: string): Promise<{ url: string }>
  /** Newest first; `after` is an invoice's id. */
  invoices(customerId: string, page: { after: string | null; limit: number }): Promise<Page<Invoice>>
  /** The subscription's current state; null if we have none with this id. */
  subscription(subscriptionId: string): Promise<ProviderSubscription | null>
  /**
   * `now` charges the difference for the rest of the period; `later` changes with the next period; `stay` takes a
   * change to come back. @throws conflict when the card is declined: nothing has changed then
   */
  changePlan(subscriptionId: string, plan: PlanId, when: 'now' | 'later' | 'stay'): Promise<ProviderSubscription>
  /** Has a subscription charge nothing more: it ends with what is paid for, or at once when a payment is due. */
  cancelSubscription(subscriptionId: string): Promise<void>
  /** Ends a subscription at once. Fine when it has ended. */
  endSubscription(subscriptionId: string): Promise<void>
  /** Ends a subscription at once and gives its last payment back. Fine when that was done. */
  undoSubscription(subscriptionId: string): Promise<void>
  /** Gives a payment back as a whole. Fine when that was done. */
  refund(paymentId: string): Promise<void>
  /** An invoice to be charged to a saved card; repeated calls for a checkout make one. Null without a saved card. */
  draftCharge(request: PageRequest & { amountCents: number }): Promise<string | null>
  /** Charges such an invoice while the card's owner is away. One that is declined is never paid later. */
  payCharge(invoiceId: string): Promise<'paid' | 'declined'>
  /** Checks the signature over the raw body. @throws validation when it does not hold */
  readEvent(rawBody: string, signature: string | undefined, nowMs: number): Promise<PaymentEvent>
}
