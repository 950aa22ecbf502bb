import type { CheckoutRecord } from '../../domain/billing/checkout.ts'
import type { GracePeriod } from '../../domain/billing/grace-period.ts'
import type { Invoice } from '../../domain/billing/invoice.ts'
import type { PaymentEvent, ProviderSubscription } from '../../domain/billing/payment-event.ts'
import type { PlanId } from '../../domain/billing/plans.ts'
import type { Page } from '../../domain/page.ts'
import type { Part } from './part.ts'

export interface Checkouts {
  /** False when the checkout exists. */
  create(record: CheckoutRecord, ...also: Part[]): Promise<boolean>
  setSession(userId: string, id: string, sessionId: string): Promise<void>
  find(userId: string, id: string): Promise<CheckoutRecord | null>
  /** Ends an open checkout without a credit; false for an ended one. */
  end(userId: string, id: string, as: 'refused' | 'failed', ...also: Part[]): Promise<boolean>
  /** Records the refusal of a subscription without one of our checkouts; false for a repetition. */
  noteRefused(userId: string, subscriptionId: string, ...also: Part[]): Promise<boolean>
  /** Reopens a failed checkout that was paid after all. */
  reopen(userId: string, id: string): Promise<void>
  /** µUSD that count against a UTC day's limit (`2026-11-21`). */
  countedOn(userId: string, day: string): Promise<number>
  /** Counts a top-up once; false, with nothing counted, when it would exceed the day's limit. */
  count(
    userId: string,
    day: string,
    topUp: { checkoutId: string; amountMicros: number; limitMicros: number },
  ): Promise<boolean>
}

export interface GracePeriods {
  find(userId: string): Promise<GracePeriod | null>
  /** No effect when the user has a grace period already. */
  start(grace: GracePeriod): Promise<void>
  /** Sets the next warning to `dueMs`; false when another run has changed it. */
  advance(grace: GracePeriod, warned: number, dueMs: number): Promise<boolean>
  /** False when there is none. */
  end(userId: string, ...also: Part[]): Promise<boolean>
  /** The end of this grace period as part of another write, on the condition that it is unchanged. */
  endOf(grace: GracePeriod): Part
  /** Users with a due step, by sweep shard. */
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

/** The billing provider. Every failure at the provider is thrown as `provider-error`. */
export interface Payments {
  customer(user: { id: string; email: string; customerId: string | null }): Promise<string>
  topUpPage(request: PageRequest & { amountCents: number }): Promise<HostedPage>
  planPage(request: PageRequest & { plan: PlanId }): Promise<HostedPage>
  /** The provider's page for cards, invoices and cancelling, which links back to the billing page. */
  portal(customerId: string): Promise<{ url: string }>
  /** Newest first; `after` is an invoice's id. */
  invoices(customerId: string, page: { after: string | null; limit: number }): Promise<Page<Invoice>>
  /** Null when we have no subscription with this id. */
  subscription(subscriptionId: string): Promise<ProviderSubscription | null>
  /**
   * `now` charges the rest of the period; `later` changes with the next; `stay` cancels a pending change.
   * @throws conflict when the card is declined; then nothing has changed
   */
  changePlan(subscriptionId: string, plan: PlanId, when: 'now' | 'later' | 'stay'): Promise<ProviderSubscription>
  /** Stops further charges: it ends with the paid period, or at once when a payment is due. */
  cancelSubscription(subscriptionId: string): Promise<void>
  /** Safe to repeat. */
  endSubscription(subscriptionId: string): Promise<void>
  /** Refunds its last payment; safe to repeat. */
  undoSubscription(subscriptionId: string): Promise<void>
  /** Refunds the whole payment; safe to repeat. */
  refund(paymentId: string): Promise<void>
  /** Drafts an invoice for the saved card, once per checkout. Null without a saved card. */
  draftCharge(request: PageRequest & { amountCents: number }): Promise<string | null>
  /** Charges the invoice off-session. A declined invoice is never paid later. */
  payCharge(invoiceId: string): Promise<'paid' | 'declined'>
  /** Checks the signature over the raw body. @throws validation when it is wrong */
  readEvent(rawBody: string, signature: string | undefined, nowMs: number): Promise<PaymentEvent>
}
