import type { CheckoutRecord, PaymentEvent } from './checkout.ts'
import type { PlanId } from './plans.ts'

export interface Checkouts {
  create(record: CheckoutRecord): Promise<void>
  setSession(userId: string, id: string, sessionId: string): Promise<void>
  find(userId: string, id: string): Promise<CheckoutRecord | null>
}

/** The billing provider. Every failure of its own is thrown as `provider-error`. */
export interface Payments {
  customer(user: { id: string; email: string; customerId: string | null }): Promise<string>
  topUpPage(ask: {
    userId: string
    customerId: string
    checkoutId: string
    amountCents: number
  }): Promise<{ sessionId: string; url: string; expiresAt: string }>
  planPage(ask: {
    userId: string
    customerId: string
    checkoutId: string
    plan: PlanId
  }): Promise<{ sessionId: string; url: string; expiresAt: string }>
  /** Checks the signature over the raw body. @throws validation when it does not hold */
  readEvent(rawBody: string, signature: string | undefined, nowMs: number): Promise<PaymentEvent>
}
