import * as z from 'zod'
import { timestamp } from '../time.ts'
import type { PlanId } from './plans.ts'

export const checkout = z
  .object({ id: z.string(), url: z.url(), expiresAt: timestamp })
  .meta({ id: 'Checkout', description: 'A hosted checkout page for the user to open.' })
export type Checkout = z.infer<typeof checkout>

export const smallestTopUpCents = 500

/** Smallest and largest top-up, in cents. */
export const topUpCents = z
  .int()
  .min(smallestTopUpCents)
  .max(50_000)
  .meta({ description: 'US cents: 500 is $5.00.', example: 1000 })

/** How a checkout may have ended, besides being open. A refused top-up was paid, and its money goes back. */
export const checkoutStates = ['pending', 'credited', 'completed', 'refused', 'failed'] as const

/** `auto-topup` is charged to a saved card without a page. */
export const checkoutKinds = ['topup', 'subscription', 'auto-topup'] as const

/** Our own record of a checkout, written before the page is shown; a top-up is credited from it, never from the event. */
export interface CheckoutRecord {
  id: string
  userId: string
  kind: (typeof checkoutKinds)[number]
  /** µUSD to credit; 0 for a subscription. */
  amountMicros: number
  plan: PlanId | null
  /** The provider's session (or invoice), known once it was made. */
  sessionId: string | null
  createdAt: string
  state: (typeof checkoutStates)[number]
}
