import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { byId, record } from '../kit/records.ts'
import type { Storage } from '../kit/storage.ts'
import type {
  Charge,
  CheckoutSession,
  Customer,
  Dispute,
  FraudWarning,
  Invoice,
  InvoiceItem,
  PaymentIntent,
  PaymentMethod,
  PortalSession,
  Price,
  Product,
  Refund,
  Schedule,
  StripeEvent,
  Subscription,
} from './records.ts'

/** An event on its way to the webhook. `nextAt` is milliseconds since the epoch. */
interface Delivery {
  eventId: string
  payload: string
  attempts: number
  nextAt: number
  since: number
}

const state = z.object({
  customers: byId<Customer>(),
  products: byId<Product>(),
  prices: byId<Price>(),
  sessions: byId<CheckoutSession>(),
  paymentIntents: byId<PaymentIntent>(),
  charges: byId<Charge>(),
  subscriptions: byId<Subscription>(),
  invoices: byId<Invoice>(),
  portals: byId<PortalSession>(),
  events: byId<StripeEvent>(),
  paymentMethods: byId<PaymentMethod>(),
  refunds: byId<Refund>(),
  disputes: byId<Dispute>(),
  warnings: byId<FraudWarning>(),
  invoiceItems: byId<InvoiceItem>(),
  schedules: byId<Schedule>(),
  deliveries: z.array(record<Delivery>()).default(() => []),
  /** Idempotency-Key → the request it came with and its answer. `at` is milliseconds since the epoch. */
  keys: z
    .record(
      z.string(),
      z.object({
        request: z.object({ method: z.string(), path: z.string(), input: z.unknown() }),
        answer: z.string(),
        at: z.number(),
      }),
    )
    .default(() => ({})),
})

export interface Store {
  value: z.infer<typeof state>
  save(): void
}

export function openStore(storage: Storage): Store {
  const value = state.parse(storage.load() ?? {})
  return { value, save: () => storage.save(value) }
}

export const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

/** Seconds since the epoch, as Stripe counts. */
export const nowSeconds = () => Math.floor(Date.now() / 1000)
