import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import { openState } from '../aws/state-file.ts'
import type { Dispute, FraudWarning, PaymentMethod, Refund } from './charge-records.ts'
import type {
  Charge,
  CheckoutSession,
  Customer,
  Invoice,
  InvoiceItem,
  PaymentIntent,
  PortalSession,
  Price,
  Product,
  Schedule,
  StripeEvent,
  Subscription,
} from './records.ts'

/** An event on its way to the webhook. `nextAt` is milliseconds since the epoch. */
export interface Delivery {
  eventId: string
  payload: string
  attempts: number
  nextAt: number
  since: number
}

// This file alone writes these records, so what is read back is what the types say.
const all = <T>() =>
  z.record(
    z.string(),
    z.custom<T>((value) => typeof value === 'object'),
  )
const state = z.object({
  customers: all<Customer>(),
  products: all<Product>(),
  prices: all<Price>(),
  sessions: all<CheckoutSession>(),
  paymentIntents: all<PaymentIntent>(),
  charges: all<Charge>(),
  subscriptions: all<Subscription>(),
  invoices: all<Invoice>(),
  portals: all<PortalSession>(),
  events: all<StripeEvent>(),
  paymentMethods: all<PaymentMethod>().default({}),
  refunds: all<Refund>().default({}),
  disputes: all<Dispute>().default({}),
  warnings: all<FraudWarning>().default({}),
  invoiceItems: all<InvoiceItem>().default({}),
  schedules: all<Schedule>().default({}),
  deliveries: z.array(z.custom<Delivery>((value) => typeof value === 'object')),
  /** Idempotency-Key → what was asked with it and answered. */
  keys: z.record(z.string(), z.object({ fingerprint: z.string(), answer: z.string(), at: z.number() })),
})

export type Store = ReturnType<typeof openStore>

export function openStore(dataDir: string) {
  return openState<z.infer<typeof state>>(join(dataDir, 'stripe.json'), state, {
    customers: {},
    products: {},
    prices: {},
    sessions: {},
    paymentIntents: {},
    charges: {},
    subscriptions: {},
    invoices: {},
    portals: {},
    events: {},
    paymentMethods: {},
    refunds: {},
    disputes: {},
    warnings: {},
    invoiceItems: {},
    schedules: {},
    deliveries: [],
    keys: {},
  })
}

export const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

/** Seconds since the epoch, as Stripe counts. */
export const nowSeconds = () => Math.floor(Date.now() / 1000)
