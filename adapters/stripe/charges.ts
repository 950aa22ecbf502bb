import Stripe from 'stripe'
import type { Payments } from '../../domain/billing/ports.ts'
import { wholeAmount } from '../../domain/money.ts'
import { type Account, idOf, isCardError } from './account.ts'
import { guarded } from './guarded.ts'

/** Charges to saved cards, and giving payments back. */
export function chargesOf(account: Account): Pick<Payments, 'draftCharge' | 'payCharge' | 'refund'> {
  return {
    draftCharge: async ({ userId, customerId, checkoutId, amountCents }) => {
      wholeAmount(amountCents)
      return guarded(async () => {
        const stripe = await account.stripe()
        const card = await savedCard(stripe, customerId)
        if (!card) return null
        const key = (step: string) => ({ idempotencyKey: `${step}-${checkoutId}` })
        const draft = await stripe.invoices.create(
          {
            customer: customerId,
            auto_advance: false,
            collection_method: 'charge_automatically',
            default_payment_method: card,
            pending_invoice_items_behavior: 'exclude',
            description: 'Automatic top-up',
            metadata: { userId, checkoutId, kind: 'auto-topup' },
            ...(await account.tax()),
          },
          key('invoice'),
        )
        const invoice = draft.id ?? ''
        const item = {
          customer: customerId,
          invoice,
          amount: amountCents,
          currency: 'usd',
          description: 'Wallet top-up',
        }
        await stripe.invoiceItems.create(item, key('item'))
        return invoice
      })
    },

    payCharge: (invoiceId) =>
      guarded(async () => {
        const stripe = await account.stripe()
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
        // Nobody pays it later behind our back: the next try is another invoice.
        await stripe.invoices.voidInvoice(invoiceId)
        return 'declined'
      }),

    refund: (paymentId) => guarded(async () => refundAll(await account.stripe(), paymentId)),
  }
}

/** The customer's chosen card, or the one saved last. */
async function savedCard(stripe: Stripe, customerId: string): Promise<string | null> {
  const customer = await stripe.customers.retrieve(customerId)
  if (customer.deleted) return null
  const chosen = customer.invoice_settings.default_payment_method
  if (chosen) return idOf(chosen)
  const { data } = await stripe.paymentMethods.list({ customer: customerId, type: 'card', limit: 1 })
  return data[0]?.id ?? null
}

/** Stripe's refusals of a refund that are as good as one: it was made, or the bank took the money back itself. */
const givenBack = ['charge_already_refunded', 'charge_disputed']

/** Gives back what a payment (`pi_…`) or a paid invoice (`in_…`) took. Fine when that was done, by whomever. */
export async function refundAll(stripe: Stripe, paidId: string): Promise<void> {
  const payment_intent = paidId.startsWith('in_') ? await paymentOf(stripe, paidId) : paidId
  if (!payment_intent) return
  try {
    await stripe.refunds.create({ payment_intent }, { idempotencyKey: `refund-${payment_intent}` })
  } catch (error) {
    const done = error instanceof Stripe.errors.StripeInvalidRequestError && givenBack.includes(error.code ?? '')
    if (!done) throw error
  }
}

async function paymentOf(stripe: Stripe, invoice: string): Promise<string | null> {
  const { data } = await stripe.invoicePayments.list({ invoice, status: 'paid', limit: 1 })
  const payment = data[0]?.payment.payment_intent
  return payment ? idOf(payment) : null
}
