import type Stripe from 'stripe'
import * as z from 'zod'
import type { Payments } from '../../app/ports/billing.ts'
import { type Invoice, invoice as shown } from '../../domain/billing/invoice.ts'
import type { PaidPeriod } from '../../domain/billing/payment-event.ts'
import { wholeAmount } from '../../domain/money.ts'
import { iso } from '../../domain/time.ts'
import { type Client, idOf, isCardError, stripeId } from './client.ts'
import { subscriptionMetadata, topUpMetadata } from './metadata.ts'

/** Invoices to customers, and charges of a saved card for automatic top-ups. */
export const invoicesOf = (client: Client): Pick<Payments, 'invoices' | 'draftCharge' | 'payCharge'> => ({
  invoices: (customer, { after, limit }) =>
    client.call(async (stripe) => {
      const page = await stripe.invoices.list({ customer, limit, ...(after && { starting_after: after }) })
      const last = page.data.at(-1)
      return { items: page.data.map(toInvoice), next: page.has_more && last?.id ? last.id : null }
    }),

  draftCharge: async ({ userId, customerId: customer, checkoutId, amountCents }) => {
    wholeAmount(amountCents)
    return client.call(async (stripe) => {
      const card = await savedCard(stripe, customer)
      if (!card) return null
      const draft = await stripe.invoices.create(
        {
          customer,
          auto_advance: false,
          collection_method: 'charge_automatically',
          default_payment_method: card,
          pending_invoice_items_behavior: 'exclude',
          description: 'Automatic top-up',
          metadata: { userId, checkoutId, kind: 'auto-topup' },
          ...(await client.taxParams()),
        },
        { idempotencyKey: `invoice-${checkoutId}` },
      )
      const invoice = draft.id ?? ''
      await stripe.invoiceItems.create(
        { customer, invoice, amount: amountCents, currency: 'usd', description: 'Wallet top-up' },
        { idempotencyKey: `item-${checkoutId}` },
      )
      return invoice
    })
  },

  payCharge: (invoiceId) =>
    client.call(async (stripe) => {
      const draft = await stripe.invoices.retrieve(invoiceId)
      const invoice = draft.status === 'draft' ? await stripe.invoices.finalizeInvoice(invoiceId) : draft
      if (invoice.status === 'paid') return 'paid'
      if (invoice.status !== 'open') return 'declined'
      try {
        const { status } = await stripe.invoices.pay(invoiceId, { off_session: true })
        if (status === 'paid') return 'paid'
      } catch (error) {
        if (!isCardError(error)) throw error
      }
      // Void the invoice, so that nobody pays it later: the next try is a new invoice.
      await stripe.invoices.voidInvoice(invoiceId)
      return 'declined'
    }),
})

/** The default card, or the last saved one. */
async function savedCard(stripe: Stripe, customerId: string): Promise<string | null> {
  const customer = await stripe.customers.retrieve(customerId)
  if (customer.deleted) return null
  const chosen = customer.invoice_settings.default_payment_method
  if (chosen) return idOf(chosen)
  const { data } = await stripe.paymentMethods.list({ customer: customerId, type: 'card', limit: 1 })
  return data[0]?.id ?? null
}

const toInvoice = ({ id, number, created, total, status, ...rest }: Stripe.Invoice): Invoice => ({
  id: id ?? '',
  number,
  at: iso(created * 1000),
  amountCents: total,
  status: shown.shape.status.catch('draft').parse(status),
  description: reasons[rest.billing_reason ?? ''] ?? rest.description ?? 'Payment',
  url: rest.hosted_invoice_url ?? null,
})

const reasons: Record<string, string> = {
  subscription_create: 'Subscription',
  subscription_cycle: 'Subscription, next month',
  subscription_update: 'Change of plan',
}

const line = z.object({
  period: z.object({ start: z.int() }),
  parent: z.object({ subscription_item_details: z.object({ proration: z.boolean().nullish() }).nullish() }).nullish(),
  pricing: z.object({ price_details: z.object({ price: stripeId }).nullish() }).nullish(),
})
export const invoiceObject = z.object({
  id: z.string(),
  billing_reason: z.string().nullish(),
  amount_due: z.int().default(0),
  metadata: topUpMetadata
    .extend({ kind: z.literal('auto-topup') })
    .nullable()
    .catch(null),
  parent: z
    .object({ subscription_details: z.object({ subscription: stripeId, metadata: subscriptionMetadata }).nullish() })
    .nullish(),
  lines: z.object({ data: z.array(line) }),
})

/** The period that a first or recurring invoice pays. Null for others (prorations, extras): they add no credit. */
export async function paidPeriodOf(client: Client, invoice: unknown): Promise<PaidPeriod | null> {
  const { billing_reason, parent, lines } = invoiceObject.parse(invoice)
  const details = parent?.subscription_details
  const cycle = billing_reason === 'subscription_create' || billing_reason === 'subscription_cycle'
  const paid = lines.data.find(({ parent }) => parent?.subscription_item_details?.proration === false)
  if (!cycle || !details?.metadata || !paid) return null
  const { userId, checkoutId, plan: planAtCheckout } = details.metadata
  const priceId = paid.pricing?.price_details?.price
  // The plan may have changed since checkout; the paid price shows the current one.
  const plan = (priceId && (await client.planOf(priceId))) || planAtCheckout
  if (!plan) return null
  const periodStart = iso(paid.period.start * 1000)
  return { userId, subscriptionId: details.subscription, checkoutId, plan, periodStart }
}
