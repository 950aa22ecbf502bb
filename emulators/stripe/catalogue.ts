import * as z from 'zod'
import type { Account } from './account.ts'
import { missing, StripeError } from './api/error.ts'
import { flag, list, type Route, retrieve, same, text } from './api/route.ts'
import type { Price, Product } from './records.ts'
import { newId, nowSeconds, type Store } from './store.ts'

/** A product with one monthly price in US dollars. */
export interface MonthlyPrice {
  /** The product's id, such as `prod_starter`. */
  product: string
  name: string
  lookupKey: string
  monthlyCents: number
}

export const priceData = z.object({
  currency: z.string().length(3),
  unit_amount: z.coerce.number().int().min(0),
  product: z.string().optional(),
  product_data: z
    .object({ name: z.string().min(1), description: z.string().optional() })
    .loose()
    .optional(),
  recurring: z
    .object({
      interval: z.enum(['day', 'week', 'month', 'year']),
      interval_count: z.coerce.number().int().min(1).default(1),
    })
    .optional(),
  tax_behavior: z.string().optional(),
})

/** Products and prices, to be read. */
export function catalogueRoutes({ store: { value } }: Account): Route[] {
  return [
    retrieve('/v1/products', 'product', value.products),
    list('/v1/products', value.products, { active: flag.optional() }, (product, { active }) =>
      same(active, product.active),
    ),
    retrieve('/v1/prices', 'price', value.prices),
    list(
      '/v1/prices',
      value.prices,
      {
        active: flag.optional(),
        lookup_keys: z.array(z.string()).max(10).optional(),
        product: text,
        type: text,
        currency: text,
      },
      (price, { active, lookup_keys, product, type, currency }) =>
        same(active, price.active) &&
        same(product, price.product) &&
        same(type, price.type) &&
        same(currency, price.currency) &&
        (!Array.isArray(lookup_keys) || lookup_keys.includes(price.lookup_key ?? '')),
    ),
  ]
}

/** A changed price is a new price that takes the look-up key over, as at Stripe, where prices never change. */
export function syncPrices(store: Store, prices: MonthlyPrice[]): void {
  for (const { product: id, name, lookupKey, monthlyCents } of prices) {
    const product = store.value.products[id] ?? addProduct(store, name, undefined, id)
    product.name = name
    const known = Object.values(store.value.prices).find((price) => price.lookup_key === lookupKey)
    if (known?.unit_amount === monthlyCents) continue
    if (known) Object.assign(known, { lookup_key: null, active: false })
    const recurring = { interval: 'month' as const, interval_count: 1 }
    addPrice(store, { product: id, currency: 'usd', amount: monthlyCents, recurring, lookupKey })
  }
  store.save()
}

/** The price that a line item brings with it. */
export function inlinePrice(data: z.infer<typeof priceData>, store: Store): Price {
  if (!data.product && !data.product_data)
    throw new StripeError(400, 'You must specify either `product` or `product_data` when creating a price.')
  if (data.product && !store.value.products[data.product]) throw missing('product', data.product, 'product')
  const product = data.product ?? addProduct(store, data.product_data?.name ?? '', data.product_data?.description).id
  return addPrice(store, {
    product,
    currency: data.currency,
    amount: data.unit_amount,
    recurring: data.recurring ?? null,
  })
}

function addProduct(store: Store, name: string, description?: string, id = newId('prod')): Product {
  const created = nowSeconds()
  const product: Product = {
    id,
    object: 'product',
    created,
    updated: created,
    livemode: false,
    active: true,
    description: description ?? null,
    images: [],
    metadata: {},
    name,
    type: 'service',
  }
  store.value.products[id] = product
  return product
}

function addPrice(
  store: Store,
  from: { product: string; currency: string; amount: number; recurring: Price['recurring']; lookupKey?: string },
): Price {
  const price: Price = {
    id: newId('price'),
    object: 'price',
    created: nowSeconds(),
    livemode: false,
    active: true,
    billing_scheme: 'per_unit',
    currency: from.currency,
    lookup_key: from.lookupKey ?? null,
    metadata: {},
    nickname: null,
    product: from.product,
    recurring: from.recurring && { trial_period_days: null, usage_type: 'licensed', meter: null, ...from.recurring },
    tax_behavior: 'unspecified',
    type: from.recurring ? 'recurring' : 'one_time',
    unit_amount: from.amount,
    unit_amount_decimal: String(from.amount),
  }
  store.value.prices[price.id] = price
  return price
}
