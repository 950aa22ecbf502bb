import Stripe from 'stripe'
import * as z from 'zod'
import { lookupKey, type PlanId, planById, planIds } from '../../domain/billing/plans.ts'
import type { Payments } from '../../domain/billing/ports.ts'
import { DomainError, invalid, providerError } from '../../domain/errors.ts'
import { iso } from '../../domain/time.ts'
import { secretReader } from '../aws/secrets.ts'
import type { Env } from '../env.ts'
import { toPaymentEvent } from './payment-event.ts'

const secret = z.object({
  secretKey: z.string(),
  webhookSecrets: z.array(z.string()),
  /** Another origin than Stripe's; the library asks below `/v1/` of an origin, so it has no path. */
  apiBase: z
    .url()
    .refine((text) => new URL(text).pathname === '/')
    .nullish(),
})

/** Seconds a webhook's signature is good for: Stripe signs each delivery anew. */
const toleranceSeconds = 300
/** How long a price's id is believed, ms. */
const priceFreshMs = 5 * 60 * 1000

/** Customers, hosted pages and webhooks of Stripe. */
export const payments = (env: Env): Payments => {
  const readSecret = secretReader(env.secret('stripe'), secret)
  let made: { client: Stripe; from: string } | undefined
  let prices: { byPlan: Map<PlanId, string>; atMs: number } | undefined

  /** A client of the present key; a rotated key makes another. */
  const stripe = async (): Promise<Stripe> => {
    const { secretKey, apiBase } = await readSecret()
    const from = `${secretKey} ${apiBase ?? ''}`
    if (made?.from !== from) made = { client: makeClient(secretKey, apiBase ?? null), from }
    return made.client
  }

  const priceIds = async (nowMs: number): Promise<Map<PlanId, string>> => {
    if (prices && nowMs - prices.atMs < priceFreshMs) return prices.byPlan
    const keys = planIds.map(lookupKey)
    const { data } = await (await stripe()).prices.list({ lookup_keys: keys, active: true, limit: keys.length })
    const found = planIds.flatMap((id) =>
      data.filter((one) => one.lookup_key === lookupKey(id)).map((one) => [id, one.id] as const),
    )
    prices = { byPlan: new Map(found), atMs: nowMs }
    return prices.byPlan
  }

  const wallet = (outcome: string) => `${env.settings().publicOrigin}/wallet?checkout=${outcome}`
  const urls = () => ({ success_url: wallet('success'), cancel_url: wallet('canceled') })

  return {
    customer: ({ id, email, customerId }) =>
      guarded(async () => {
        if (customerId) return customerId
        const ask = { email, metadata: { userId: id } }
        return (await (await stripe()).customers.create(ask, { idempotencyKey: `customer-${id}` })).id
      }),

    topUpPage: ({ userId, customerId, checkoutId, amountCents }) =>
      guarded(async () => {
        const metadata = { userId, checkoutId, kind: 'topup' }
        const product_data = { name: 'Wallet top-up' }
        const session = await (await stripe()).checkout.sessions.create(
          {
            ...urls(),
            mode: 'payment',
            customer: customerId,
            client_reference_id: userId,
            line_items: [{ quantity: 1, price_data: { currency: 'usd', unit_amount: amountCents, product_data } }],
            metadata,
            payment_intent_data: { metadata },
          },
          { idempotencyKey: `page-${checkoutId}` },
        )
        return pageOf(session)
      }),

    planPage: ({ userId, customerId, checkoutId, plan }) =>
      guarded(async () => {
        const price = (await priceIds(Date.now())).get(plan)
        if (!price) throw new Error(`no active price has the look-up key of ${planById(plan).name}`)
        const metadata = { userId, checkoutId, kind: 'subscription', plan }
        const session = await (await stripe()).checkout.sessions.create(
          {
            ...urls(),
            mode: 'subscription',
            customer: customerId,
            client_reference_id: userId,
            line_items: [{ quantity: 1, price }],
            metadata,
            subscription_data: { metadata },
          },
          { idempotencyKey: `page-${checkoutId}` },
        )
        return pageOf(session)
      }),

    readEvent: async (rawBody, signature, nowMs) => {
      const { webhookSecrets } = await guarded(readSecret)
      const event = verified(rawBody, signature, webhookSecrets, nowMs)
      const planOfPrice = async (priceId: string) =>
        [...(await guarded(() => priceIds(nowMs)))].find(([, id]) => id === priceId)?.[0] ?? null
      return toPaymentEvent(event, planOfPrice)
    },
  }
}

function makeClient(secretKey: string, apiBase: string | null): Stripe {
  const base = apiBase ? new URL(apiBase) : null
  const secure = base?.protocol !== 'http:'
  return new Stripe(secretKey, {
    maxNetworkRetries: 2,
    timeout: 8_000,
    telemetry: false,
    ...(base && {
      protocol: secure ? 'https' : 'http',
      host: base.hostname,
      port: base.port || (secure ? 443 : 80),
    }),
  })
}

/** Whatever fails at Stripe or on the way there is one error to the caller; its text stays here. */
async function guarded<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw providerError('The billing provider failed. Retry in 4, 8, 16, then 32 seconds.')
  }
}

/** Several secrets are good while one is being replaced. @throws validation */
function verified(rawBody: string, signature: string | undefined, secrets: string[], nowMs: number): unknown {
  for (const one of signature ? secrets : []) {
    try {
      return Stripe.webhooks.constructEvent(rawBody, signature ?? '', one, toleranceSeconds, undefined, nowMs)
    } catch {
      // Perhaps another secret's.
    }
  }
  throw invalid('stripe-signature', 'it does not hold for this body, or is too old.')
}

function pageOf({ id, url, expires_at }: Stripe.Checkout.Session) {
  if (!url) throw new Error('the page has no address')
  return { sessionId: id, url, expiresAt: iso(expires_at * 1000) }
}
