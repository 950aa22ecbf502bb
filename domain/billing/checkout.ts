import * as z from 'zod'
import { timestamp } from '../time.ts'
import type { PlanId, Subscription } from './plans.ts'

export const checkout = z
  .object({ id: z.string(), url: z.url(), expiresAt: timestamp })
  .meta({ id: 'Checkout', description: 'A hosted checkout page for the user to open.' })
export type Checkout = z.infer<typeof checkout>

/** Smallest and largest top-up, in cents. */
export const topUpCents = z.int().min(500).max(50_000).meta({ description: 'US cents: 500 is $5.00.', example: 1000 })

/** Our own record of a checkout, written before the page is shown; a top-up is credited from it, never from the event. */
export interface CheckoutRecord {
  id: string
  userId: string
  kind: 'topup' | 'subscription'
  /** µUSD to credit; 0 for a subscription. */
  amountMicros: number
  plan: PlanId | null
  /** The provider's session, known once the page was made. */
  sessionId: string | null
  createdAt: string
  state: 'pending' | 'credited' | 'completed'
}

/** What a verified payment event means to us; `ignored` covers types we do not act on. */
export type PaymentEvent =
  | { kind: 'topup-paid'; eventId: string; userId: string; checkoutId: string; sessionId: string }
  | {
      kind: 'subscription-changed'
      eventId: string
      userId: string
      subscriptionId: string
      customerId: string
      /** Seconds since 1970 at which the provider made the event; an older one never overwrites a newer. */
      createdSeconds: number
      subscription: Subscription
    }
  | {
      kind: 'period-paid'
      eventId: string
      userId: string
      subscriptionId: string
      plan: PlanId
      /** ISO 8601 UTC start of the paid period; the allowance is credited once per user and period. */
      periodStart: string
    }
  | { kind: 'ignored'; eventId: string; type: string }
