import type Stripe from 'stripe'
import type { Credited, ProviderPayment } from '../../domain/billing/payment-event.ts'
import { wholeAmount } from '../../domain/money.ts'
import { type Client, hasCode, idOf, orMissing } from './client.ts'
import { paidPeriodOf } from './invoices.ts'
import { topUpMetadata } from './metadata.ts'

const disputeStates: Record<string, 'open' | 'won' | 'lost' | undefined> = {
  needs_response: 'open',
  under_review: 'open',
  won: 'won',
  lost: 'lost',
  appeal_needs_response: 'lost',
  appeal_under_review: 'lost',
}

/**
 * A charge with the current state of its refunds and disputes, so that the order of events does not matter. Leaves out
 * inquiries (`warning_…`), which move no money. Null if the charge is not for one of our products.
 */
export const readCharge = (client: Client, chargeId: string): Promise<Omit<ProviderPayment, 'fraudWarning'> | null> =>
  client.call(async (stripe) => {
    const charge = await orMissing(stripe.charges.retrieve(chargeId))
    const paymentId = charge?.payment_intent && idOf(charge.payment_intent)
    const owner = charge?.paid && paymentId ? await ownerOf(client, stripe, charge, paymentId) : null
    if (!charge || !owner || !paymentId) return null
    const [refunds, disputes] = await Promise.all([
      stripe.refunds.list({ charge: chargeId, limit: 100 }),
      stripe.disputes.list({ charge: chargeId, limit: 100 }),
    ])
    return {
      ...owner,
      paymentId,
      chargedCents: wholeAmount(charge.amount),
      // Oldest first.
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
  })

/** A page's payment has user and credit in its metadata; an invoice's payment has them on the invoice. */
async function ownerOf(
  client: Client,
  stripe: Stripe,
  charge: Stripe.Charge,
  payment_intent: string,
): Promise<{ userId: string; credited: Credited } | null> {
  const own = topUpOwner(charge.metadata)
  if (own) return own
  const { data } = await stripe.invoicePayments.list({ payment: { type: 'payment_intent', payment_intent }, limit: 1 })
  const [found] = data
  if (!found) return null
  const invoice = await stripe.invoices.retrieve(idOf(found.invoice))
  const topUp = topUpOwner(invoice.metadata)
  if (topUp) return topUp
  const period = await paidPeriodOf(client, invoice)
  return period && { userId: period.userId, credited: { period } }
}

function topUpOwner(metadata: unknown): { userId: string; credited: Credited } | null {
  const { data } = topUpMetadata.safeParse(metadata)
  return data ? { userId: data.userId, credited: { checkoutId: data.checkoutId } } : null
}

/** Refunds a payment (`pi_…`) or a paid invoice (`in_…`). Does nothing if it was already refunded. */
export async function refund(stripe: Stripe, paidId: string): Promise<void> {
  const payment_intent = paidId.startsWith('in_') ? await paymentOf(stripe, paidId) : paidId
  if (!payment_intent) return
  try {
    await stripe.refunds.create({ payment_intent }, { idempotencyKey: `refund-${payment_intent}` })
  } catch (error) {
    // The payment was already refunded, or the bank took the money back.
    if (!hasCode(error, 'charge_already_refunded', 'charge_disputed')) throw error
  }
}

async function paymentOf(stripe: Stripe, invoice: string): Promise<string | null> {
  const { data } = await stripe.invoicePayments.list({ invoice, status: 'paid', limit: 1 })
  const payment = data[0]?.payment.payment_intent
  return payment ? idOf(payment) : null
}
