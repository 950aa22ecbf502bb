import * as z from 'zod'
import type { Account } from '../account.ts'
import { missing, StripeError } from '../api/error.ts'
import { expand, flag, get, list, metadata, nothing, type Route, read, retrieve, same, text } from '../api/route.ts'
import { cardError } from '../charges/cards.ts'
import { payInvoice } from '../charges/charges.ts'
import type { Invoice, InvoiceItem } from '../records.ts'
import { listOf } from '../records.ts'
import { newId, nowSeconds } from '../store.ts'
import { addLine, extraLine, finalize, newInvoice } from './invoice.ts'

const createInput = z.strictObject({
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
const itemInput = z.strictObject({
  customer: z.string(),
  invoice: z.string(),
  amount: z.coerce.number().int(),
  currency: z.string(),
  description: text,
  metadata: metadata.default({}),
  expand,
})
const paymentsInput = z.strictObject({
  invoice: text,
  status: text,
  payment: z.strictObject({ type: z.literal('payment_intent'), payment_intent: z.string() }).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(10),
  expand,
})

/** Invoices, those of subscriptions and those made by hand. */
export function invoiceRoutes(account: Account): Route[] {
  const { invoices } = account.store.value
  return [
    retrieve('/v1/invoices', 'invoice', invoices),
    list(
      '/v1/invoices',
      invoices,
      { customer: text, subscription: text, status: text },
      (invoice, input) =>
        same(input.customer, invoice.customer) &&
        same(input.status, invoice.status) &&
        same(input.subscription, invoice.parent?.subscription_details.subscription),
    ),
    { method: 'POST', path: '/v1/invoices', run: (input) => create(account, input) },
    { method: 'POST', path: '/v1/invoiceitems', run: (input) => addItem(account, input) },
    { method: 'POST', path: '/v1/invoices/{id}/finalize', run: (input, id) => finish(account, input, id) },
    { method: 'POST', path: '/v1/invoices/{id}/pay', run: (input, id) => pay(account, input, id) },
    { method: 'POST', path: '/v1/invoices/{id}/void', run: (input, id) => annul(account, input, id) },
    { method: 'GET', path: '/v1/invoice_payments', run: (input) => listPayments(account, input) },
  ]
}

function create({ store, pagesUrl }: Account, input: unknown): Invoice {
  const { customer, metadata: about, ...request } = read(createInput, input)
  if (!store.value.customers[customer]) throw missing('customer', customer, 'customer')
  const { currency, description = null, default_payment_method: defaultPaymentMethod = null } = request
  const from = { customer, reason: 'manual' as const, currency, subscription: null, metadata: about }
  return newInvoice(store, { ...from, description, defaultPaymentMethod }, pagesUrl)
}

function addItem({ store: { value } }: Account, input: unknown): InvoiceItem {
  const { expand: _, description = null, ...request } = read(itemInput, input)
  const invoice = get(value.invoices, 'invoice', request.invoice)
  if (invoice.status !== 'draft') throw new StripeError(400, 'The invoice is no longer a draft.')
  const base = { id: newId('ii'), object: 'invoiceitem' as const, created: nowSeconds(), livemode: false as const }
  const made: InvoiceItem = { ...base, ...request, description }
  value.invoiceItems[made.id] = made
  addLine(invoice, extraLine(invoice, { amount: made.amount, currency: made.currency, description }))
  return made
}

function finish({ store, webhooks }: Account, input: unknown, id: string): Invoice {
  read(z.strictObject({ auto_advance: flag.optional(), expand }), input)
  const invoice = inState('draft', get(store.value.invoices, 'invoice', id))
  finalize(store, invoice)
  webhooks.emit('invoice.finalized', invoice)
  return invoice
}

function pay(account: Account, input: unknown, id: string): Invoice {
  const { store, webhooks } = account
  const request = read(z.strictObject({ off_session: flag.optional(), payment_method: text, expand }), input)
  const invoice = inState('open', get(store.value.invoices, 'invoice', id))
  const declined = payInvoice(account, invoice, request.payment_method)
  if (!declined) return invoice
  store.save()
  void webhooks.deliver()
  throw cardError(declined)
}

function annul({ store, webhooks }: Account, input: unknown, id: string): Invoice {
  read(nothing, input)
  const invoice = inState('open', get(store.value.invoices, 'invoice', id))
  invoice.status = 'void'
  webhooks.emit('invoice.voided', invoice)
  return invoice
}

function listPayments({ store }: Account, input: unknown): object {
  const request = read(paymentsInput, input)
  const wanted = Object.values(store.value.invoices)
    .filter(({ id }) => same(request.invoice, id))
    .flatMap(({ payments }) => payments.data)
    .filter(
      ({ status, payment }) =>
        same(request.status, status) && same(request.payment?.payment_intent, payment.payment_intent),
    )
  return listOf(wanted.slice(0, request.limit), '/v1/invoice_payments', wanted.length > request.limit)
}

function inState(wanted: Invoice['status'], invoice: Invoice): Invoice {
  if (invoice.status === wanted) return invoice
  const message =
    invoice.status === 'paid' ? 'Invoice is already paid' : `This invoice is ${invoice.status}, not ${wanted}.`
  throw new StripeError(400, message)
}
