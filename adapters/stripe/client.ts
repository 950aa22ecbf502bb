import Stripe from 'stripe'
import * as z from 'zod'
import { lookupKey, type PlanId, planById, planIds } from '../../domain/billing/plans.ts'
import { DomainError, providerError } from '../../domain/errors.ts'
import { secretReader } from '../aws/secrets.ts'
import type { Env } from '../env.ts'

const priceFreshMs = 5 * 60 * 1000

export const stripeSecret = z.object({
  secretKey: z.string(),
  webhookSecrets: z.array(z.string()),
  /** Whether Stripe Tax computes the tax of pages and invoices. */
  automaticTax: z.boolean().default(false),
  /** Replaces Stripe's origin. Without a path, because the library requests `/v1/` below an origin. */
  apiBase: z
    .url()
    .refine((text) => new URL(text).pathname === '/')
    .nullish(),
})

export type Client = ReturnType<typeof stripeClient>

export function stripeClient(env: Env) {
  const readSecret = secretReader(env.secret('stripe'), stripeSecret)
  let made: { stripe: Stripe; from: string } | undefined
  let prices: { byPlan: Map<PlanId, string>; atMs: number } | undefined

  const library = async (): Promise<Stripe> => {
    const { secretKey, apiBase } = await readSecret()
    const from = `${secretKey} ${apiBase ?? ''}`
    if (made?.from !== from) made = { stripe: makeStripe(secretKey, apiBase ?? null), from }
    return made.stripe
  }

  const priceIds = async (): Promise<Map<PlanId, string>> => {
    if (prices && Date.now() - prices.atMs < priceFreshMs) return prices.byPlan
    const keys = planIds.map(lookupKey)
    const { data } = await (await library()).prices.list({ lookup_keys: keys, active: true, limit: keys.length })
    const found = planIds.flatMap((plan) =>
      data.filter((price) => price.lookup_key === lookupKey(plan)).map((price) => [plan, price.id] as const),
    )
    prices = { byPlan: new Map(found), atMs: Date.now() }
    return prices.byPlan
  }

  return {
    /** @throws provider-error */
    call: <T>(run: (stripe: Stripe) => Promise<T>): Promise<T> => mapErrors(async () => run(await library())),
    webhookSecrets: () => mapErrors(async () => (await readSecret()).webhookSecrets),
    /** Parameters that add tax to a page or an invoice. */
    async taxParams(): Promise<{ automatic_tax?: { enabled: true } }> {
      return (await readSecret()).automaticTax ? { automatic_tax: { enabled: true } } : {}
    },
    priceOf: (plan: PlanId): Promise<string> =>
      mapErrors(async () => {
        const price = (await priceIds()).get(plan)
        if (!price) throw new Error(`no active price has the look-up key of ${planById(plan).name}`)
        return price
      }),
    planOf: (priceId: string): Promise<PlanId | null> =>
      mapErrors(async () => [...(await priceIds())].find(([, id]) => id === priceId)?.[0] ?? null),
  }
}

export function makeStripe(secretKey: string, apiBase: string | null): Stripe {
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

/** The caller gets one error for all failures, without Stripe's text. */
async function mapErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof DomainError) throw error
    const status = error instanceof Stripe.errors.StripeError ? error.statusCode : undefined
    const upstream = status === undefined ? 'no answer' : `HTTP ${status}`
    throw providerError('The billing provider failed. Retry in 4, 8, 16, then 32 seconds.', upstream)
  }
}

/** The card was declined, or requires its owner's confirmation. */
export const isCardError = (error: unknown): boolean => error instanceof Stripe.errors.StripeCardError

export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && codes.includes(error.code ?? '')

/** Null if Stripe does not know the id. */
export const orMissing = <T>(found: Promise<T>): Promise<T | null> =>
  found.catch((error: unknown) => {
    if (hasCode(error, 'resource_missing')) return null
    throw error
  })

/** Stripe returns an id, or the expanded object. */
export const idOf = (value: string | { id: string }): string => (typeof value === 'string' ? value : value.id)
export const stripeId = z.union([z.string(), z.object({ id: z.string() })]).transform(idOf)
