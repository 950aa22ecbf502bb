import * as z from 'zod'
import { unsignedMicros } from '../money.ts'
import { iso } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import type { EventOf } from './payment-event.ts'
import { type PlanId, planIds } from './plans.ts'

export const checkout = z
  .object({ id: z.string(), url: z.url(), expiresAt: timestamp })
  .meta({ id: 'Checkout', description: 'A hosted checkout page for the user to open.' })
export type Checkout = z.infer<typeof checkout>

/** Written before the page is shown. A top-up credits its amount, never the event's. */
export const checkoutRecord = z.object({
  id: z.string(),
  userId: z.string(),
  /** `auto-topup` charges a saved card without a page. */
  kind: z.enum(['topup', 'subscription', 'auto-topup']),
  /** µUSD to credit; 0 for a subscription. */
  amountMicros: unsignedMicros,
  plan: z.enum(planIds).nullable(),
  /** The provider's session or invoice; null until it exists. */
  sessionId: z.string().nullable(),
  createdAt: timestamp,
  /** `refused`: paid, but the money goes back. */
  state: z.enum(['pending', 'credited', 'completed', 'refused', 'failed']),
})
export type CheckoutRecord = z.infer<typeof checkoutRecord>

export type CheckoutRequest = Pick<CheckoutRecord, 'userId' | 'kind' | 'amountMicros'> & { plan?: PlanId }

export const newCheckout = (id: string, { plan, ...asked }: CheckoutRequest, nowMs: number): CheckoutRecord => ({
  id,
  ...asked,
  plan: plan ?? null,
  sessionId: null,
  createdAt: iso(nowMs),
  state: 'pending',
})

export const isPaidBy = (
  record: CheckoutRecord | null,
  event: Pick<EventOf<'topup-paid'>, 'userId' | 'sessionId'>,
): record is CheckoutRecord =>
  record !== null &&
  record.userId === event.userId &&
  record.kind !== 'subscription' &&
  record.sessionId !== null &&
  record.sessionId === event.sessionId
