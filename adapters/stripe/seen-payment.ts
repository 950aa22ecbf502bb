import type Stripe from 'stripe'
import * as z from 'zod'
import type { Credited, SeenPayment } from '../../domain/billing/payment-event.ts'
import type { PlanId } from '../../domain/billing/plans.ts'
import { wholeAmount } from '../../domain/money.ts'
import { idOf, isMissing } from './account.ts'
import { readPeriod } from './payment-event.ts'

/** What a page's payment and an automatic top-up's invoice carry. */
const ours = z.object({ userId: z.string(), checkoutId: z.string() })

const disputeStates: Record<string, 'open' | 'won' | 'lost' | undefined> = {
  needs_response: 'open',
  under_review: 'open',
  won: 'won',
  lost: 'lost',
  appeal_needs_response: 'lost',
  appeal_under_review: 'lost',
}

/**
 * A charge with all its refunds and disputes as they are now: whatever order the events came in, they lead to the
 * same. An inquiry of a bank (`warning_…`) moves no money and is left out. Null when nothing of ours was paid.
 */
export async function seenPayment(
  stripe: Stripe,
  planOf: (priceId: string) => Promise<PlanId | null>,
  chargeId: string,
): Promise<Omit<SeenPayment, 'fraudWarning'> | null> {
  const charge = await chargeOf(stripe, chargeId)
  const paymentId = charge?.payment_intent && idOf(charge.payment_intent)
  const owner = charge?.paid && paymentId ? await ownerOf(stripe, planOf, charge, paymentId) : null
  if (!charge || !owner || !paymentId) return null
  const [refunds, disputes] = await Promise.all([
    stripe.refunds.list({ charge: chargeId, limit: 100 }),
    stripe.disputes.list({ charge: chargeId, limit: 100 }),
  ])
  return {
    ...owner,
    paymentId,
    chargedCents: wholeAmount(charge.amount),
    // Oldest first, as the money went.
    refunds: refunds.data.toReversed().map(({ id, amount, status }) => ({
      id,
      amountCents: wholeAmount(amount),
      state: status === 'failed' || status === 'canceled' ? 'failed' : 'done',
    })),
    disputes: disputes.data.toReversed().flatMap(({ id, amount, status }) => {
      const state = disputeStates[status]
      return state ? [{ id, amountCents: wholeAmount(amount), state }] : []
    }),
  }
}

/** Null when this account has no such charge: asking again would not find it either. */
async function chargeOf(stripe: Stripe, chargeId: string): Promise<Stripe.Charge | null> {
  try {
    return await stripe.charges.retrieve(chargeId)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Whose payment it was, and what it credited: a page's payment says so itself, that of an invoice says so there. */
async function ownerOf(
  stripe: Stripe,
  planOf: (priceId: string) => Promise<PlanId | null>,
  charge: Stripe.Charge,
  payment_intent: string,
): Promise<{ userId: string; credited: Credited } | null> {
  const own = ours.safeParse(charge.metadata)
  if (own.success) return { userId: own.data.userId, credited: { checkoutId: own.data.checkoutId } }
  const { data } = await stripe.invoicePayments.list({ payment: { type: 'payment_intent', payment_intent }, limit: 1 })
  const [found] = data
  if (!found) return null
  const invoice = await stripe.invoices.retrieve(idOf(found.invoice))
  const topUp = ours.safeParse(invoice.metadata)
  if (topUp.success) return { userId: topUp.data.userId, credited: { checkoutId: topUp.data.checkoutId } }
  const period = await readPeriod(invoice, planOf)
  return period && { userId: period.userId, credited: { period } }
}
