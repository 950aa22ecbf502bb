import * as z from 'zod'
import { missing, StripeError } from '../api/error.ts'
import { expand, flag, get, list, metadata, nothing, type Route, read, retrieve, same, text } from '../api/route.ts'
import { cardError } from '../charges/cards.ts'
import type { Charges } from '../charges/charges.ts'
import type { Invoice, InvoiceItem } from '../records.ts'
import { listOf } from '../records.ts'
import { newId, nowSeconds, type Store } from '../store.ts'
import type { Webhooks } from '../webhooks.ts'
import { addLine, extraLine, finalize, newInvoice } from './invoice.ts'

const create = z.strictObject({
  customer: z.string(),
  auto_advance: flag.optional(),
  automatic_tax: z.unknown().optional(),
  collection_method: z.literal('charge_automatically').optional(),
  currency: z.string().default('usd'),
  default_payment_method: text,
  description: text,
  metadata: metadata.default({}),
  pending_invoice_items_behavior: z.enum(['include', 'exclude']).optional(),
  expand,
})
const item = z.strictObject({
  customer: z.string(),
  invoice: z.string(),
  amount: z.coerce.number().int(),
  currency: z.string(),
  description: text,
  metadata: metadata.default({}),
  expand,
})

/** Invoices, those of subscriptions and those made by hand. */
export function invoiceRoutes(options: {
  store: Store
  charges: Charges
  webhooks: Webhooks
  pagesUrl: string
}): Route[] {
  const { store, charges, webhooks, pagesUrl } = options
  const { value } = store

  return [
    retrieve('/v1/invoices', 'invoice', value.invoices),
    list(
      '/v1/invoices',
      value.invoices,
      { customer: text, subscription: text, status: text },
      (invoice, input) =>
        same(input.customer, invoice.customer) &&
        same(input.status, invoice.status) &&
        same(input.subscription, invoice.parent?.subscription_details.subscription),
    ),
    {
      method: 'POST',
      path: '/v1/invoices',
      run(input) {
        const { customer, metadata: about, ...request } = read(create, input)
        if (!value.customers[customer]) throw missing('customer', customer, 'customer')
        const { currency, description = null, default_payment_method: defaultPaymentMethod = null } = request
        const from = { customer, reason: 'manual' as const, currency, subscription: null, metadata: about }
        return newInvoice(store, { ...from, description, defaultPaymentMethod }, pagesUrl)
      },
    },
    {
      method: 'POST',
      path: '/v1/invoiceitems',
      run(input) {
        const { expand: _, description = null, ...request } = read(item, input)
        const invoice = get(value.invoices, 'invoice', request.invoice)
        if (invoice.status !== 'draft') throw new StripeError(400, 'The invoice is no longer a draft.')
        const base = {
          id: newId('ii'),
          object: 'invoiceitem' as const,
          created: nowSeconds(),
          livemode: false as const,
        }
        const made: InvoiceItem = { ...base, ...request, description }
        value.invoiceItems[made.id] = made
        addLine(invoice, extraLine(invoice, { amount: made.amount, currency: made.currency, description }))
        return made
      },
    },
    {
      method: 'POST',
      path: '/v1/invoices/{id}/finalize',
      run(input, id) {
        read(z.strictObject({ auto_advance: flag.optional(), expand }), input)
        const invoice = inState('draft', get(value.invoices, 'invoice', id))
        finalize(store, invoice)
        webhooks.emit('invoice.finalized', invoice)
        return invoice
      },
    },
    {
      method: 'POST',
      path: '/v1/invoices/{id}/pay',
      run(input, id) {
        const request = read(z.strictObject({ off_session: flag.optional(), payment_method: text, expand }), input)
        const invoice = inState('open', get(value.invoices, 'invoice', id))
        const declined = charges.payInvoice(invoice, request.payment_method)
        if (!declined) return invoice
        store.save()
        void webhooks.deliver()
        throw cardError(declined)
      },
    },
    {
      method: 'POST',
      path: '/v1/invoices/{id}/void',
      run(input, id) {
        read(nothing, input)
        const invoice = inState('open', get(value.invoices, 'invoice', id))
        invoice.status = 'void'
        webhooks.emit('invoice.voided', invoice)
        return invoice
      },
    },
    {
      method: 'GET',
      path: '/v1/invoice_payments',
      run(input) {
        const request = read(payments, input)
        const all = Object.values(value.invoices)
          .filter(({ id }) => same(request.invoice, id))
          .flatMap(({ payments }) => payments.data)
        const wanted = all.filter(
          ({ status, payment }) =>
            same(request.status, status) && same(request.payment?.payment_intent, payment.payment_intent),
        )
        return listOf(wanted.slice(0, request.limit), '/v1/invoice_payments', wanted.length > request.limit)
      },
    },
  ]
}

const payments = z.strictObject({
  invoice: text,
  status: text,
  payment: z.strictObject({ type: z.literal('payment_intent'), payment_intent: z.string() }).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(10),
  expand,
})

function inState(wanted: Invoice['status'], invoice: Invoice): Invoice {
  if (invoice.status === wanted) return invoice
  const message =
    invoice.status === 'paid' ? 'Invoice is already paid' : `This invoice is ${invoice.status}, not ${wanted}.`
  throw new StripeError(400, message)
}
