import * as z from 'zod'
import { missing, StripeError } from '../api/error.ts'
import { expand, metadata } from '../api/route.ts'
import { inlinePrice, priceData } from '../catalogue.ts'
import type { CheckoutSession, LineItem } from '../records.ts'
import { newId, nowSeconds, type Store } from '../store.ts'

const lineItem = z.object({
  price: z.string().optional(),
  price_data: priceData.optional(),
  quantity: z.coerce.number().int().min(1).default(1),
})

// Accepted, and without a meaning here.
const ignored = Object.fromEntries(
  [
    ...['adaptive_pricing', 'after_expiration', 'allow_promotion_codes', 'automatic_tax', 'billing_address_collection'],
    ...['branding_settings', 'consent_collection', 'currency', 'custom_fields', 'custom_text', 'customer_creation'],
    ...['customer_update', 'integration_identifier', 'invoice_creation', 'locale', 'name_collection'],
    ...['payment_method_collection', 'payment_method_options', 'payment_method_types', 'phone_number_collection'],
    ...['saved_payment_method_options', 'submit_type', 'tax_id_collection', 'wallet_options'],
  ].map((name) => [name, z.unknown().optional()]),
)

export const createSession = z.strictObject({
  ...ignored,
  mode: z.enum(['payment', 'subscription']),
  ui_mode: z.literal('hosted_page').default('hosted_page'),
  success_url: z.url(),
  cancel_url: z.url().optional(),
  client_reference_id: z.string().max(200).optional(),
  customer: z.string().optional(),
  customer_email: z.string().optional(),
  line_items: z.array(lineItem).min(1),
  metadata: metadata.default({}),
  payment_intent_data: z
    .object({
      metadata: metadata.default({}),
      description: z.string().optional(),
      receipt_email: z.string().optional(),
      setup_future_usage: z.string().optional(),
    })
    .optional(),
  subscription_data: z.object({ metadata: metadata.default({}), description: z.string().optional() }).optional(),
  expires_at: z.coerce.number().int().optional(),
  expand,
})
type CreateSession = z.infer<typeof createSession>

const DAY = 24 * 60 * 60
const LEAST_AMOUNT = 50

/** A new open session. @throws StripeError where the parameters contradict each other, as Stripe would say it. */
export function newSession(request: CreateSession, store: Store, pagesUrl: string): CheckoutSession {
  const { value } = store
  const now = nowSeconds()
  const items = request.line_items.map((item, index) => newLineItem(item, index, store))
  const currency = items[0]?.currency ?? 'usd'
  const total = items.reduce((sum, { amount_total }) => sum + amount_total, 0)
  check(request, items, total)
  if (request.customer && !value.customers[request.customer]) throw missing('customer', request.customer, 'customer')
  const id = newId('cs_test')
  const data = request.mode === 'payment' ? request.payment_intent_data : request.subscription_data
  return {
    id,
    object: 'checkout.session',
    created: now,
    livemode: false,
    allow_promotion_codes: null,
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: request.cancel_url ?? null,
    client_reference_id: request.client_reference_id ?? null,
    client_secret: null,
    consent: null,
    currency,
    custom_fields: [],
    customer: request.customer ?? null,
    customer_creation: request.customer ? null : request.mode === 'payment' ? 'if_required' : 'always',
    customer_details: null,
    customer_email: request.customer_email ?? null,
    discounts: [],
    expires_at: expiryOf(request, now),
    invoice: null,
    locale: null,
    metadata: request.metadata,
    mode: request.mode,
    payment_intent: null,
    payment_link: null,
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    recovered_from: null,
    setup_intent: null,
    shipping_options: [],
    status: 'open',
    submit_type: null,
    subscription: null,
    success_url: request.success_url,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${pagesUrl}/checkout/${id}`,
    local: {
      items,
      metadata: data?.metadata ?? {},
      description: data?.description ?? null,
      setupFutureUsage: request.payment_intent_data?.setup_future_usage ?? null,
      receiptEmail: request.payment_intent_data?.receipt_email ?? null,
      confirming: null,
    },
  }
}

function expiryOf(request: CreateSession, now: number): number {
  const { expires_at = now + DAY } = request
  if (expires_at >= now + 30 * 60 - 5 && expires_at <= now + DAY + 5) return expires_at
  throw new StripeError(400, 'The `expires_at` timestamp must be between 30 minutes and 24 hours from now.', {
    param: 'expires_at',
  })
}

function check(request: CreateSession, items: LineItem[], total: number): void {
  const subscription = request.mode === 'subscription'
  const recurring = items.some(({ price }) => price.recurring)
  if (request.customer && request.customer_email)
    throw new StripeError(400, 'You may only specify one of these parameters: customer, customer_email.')
  if (subscription && request.payment_intent_data)
    throw new StripeError(400, 'You can not pass `payment_intent_data` in `subscription` mode.')
  if (!subscription && request.subscription_data)
    throw new StripeError(400, 'You can not pass `subscription_data` in `payment` mode.')
  if (subscription && !recurring)
    throw new StripeError(
      400,
      'You must provide at least one recurring price in `subscription` mode when using prices.',
    )
  if (!subscription && recurring)
    throw new StripeError(400, 'You specified `payment` mode but passed a recurring price. Use `subscription` mode.')
  if (new Set(items.map(({ currency }) => currency)).size > 1)
    throw new StripeError(400, 'All line items must have the same currency.', { param: 'line_items' })
  if (total < LEAST_AMOUNT)
    throw new StripeError(400, "The Checkout Session's total amount due must add up to at least $0.50 usd", {
      code: 'amount_too_small',
    })
}

function newLineItem(item: z.infer<typeof lineItem>, index: number, store: Store): LineItem {
  const param = `line_items[${index}]`
  const price = item.price ? store.value.prices[item.price] : item.price_data && inlinePrice(item.price_data, store)
  if (item.price && !price) throw missing('price', item.price, `${param}[price]`)
  if (!price) throw new StripeError(400, 'You must specify either `price` or `price_data`.', { param })
  const amount = price.unit_amount * item.quantity
  return {
    id: newId('li'),
    object: 'item',
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description: store.value.products[price.product]?.name ?? '',
    price,
    quantity: item.quantity,
  }
}
