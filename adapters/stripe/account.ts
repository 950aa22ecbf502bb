import Stripe from 'stripe'
import { lookupKey, type PlanId, planById, planIds } from '../../domain/billing/plans.ts'
import type { Env } from '../env.ts'
import { stripeSecret, taxOf } from './secret.ts'

/** How long a price's id is believed, ms. */
const priceFreshMs = 5 * 60 * 1000

export type Account = ReturnType<typeof openAccount>

/** The client of our account at Stripe, its webhooks' secrets, and the prices of our plans. */
export function openAccount(env: Env) {
  const readSecret = stripeSecret(env)
  let made: { client: Stripe; from: string } | undefined
  let prices: { byPlan: Map<PlanId, string>; atMs: number } | undefined

  /** A client of the present key; a rotated key makes another. */
  const stripe = async (): Promise<Stripe> => {
    const { secretKey, apiBase } = await readSecret()
    const from = `${secretKey} ${apiBase ?? ''}`
    if (made?.from !== from) made = { client: makeClient(secretKey, apiBase ?? null), from }
    return made.client
  }

  const priceIds = async (): Promise<Map<PlanId, string>> => {
    if (prices && Date.now() - prices.atMs < priceFreshMs) return prices.byPlan
    const keys = planIds.map(lookupKey)
    const { data } = await (await stripe()).prices.list({ lookup_keys: keys, active: true, limit: keys.length })
    const found = planIds.flatMap((id) =>
      data.filter((one) => one.lookup_key === lookupKey(id)).map((one) => [id, one.id] as const),
    )
    prices = { byPlan: new Map(found), atMs: Date.now() }
    return prices.byPlan
  }

  return {
    stripe,
    webhookSecrets: async () => (await readSecret()).webhookSecrets,
    /** What a page or an invoice is given so that tax is added where it is due. */
    tax: async () => taxOf(await readSecret()),
    async priceOf(plan: PlanId): Promise<string> {
      const price = (await priceIds()).get(plan)
      if (!price) throw new Error(`no active price has the look-up key of ${planById(plan).name}`)
      return price
    },
    planOf: async (priceId: string): Promise<PlanId | null> =>
      [...(await priceIds())].find(([, id]) => id === priceId)?.[0] ?? null,
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

/** True when Stripe refused for the card's sake: it was declined, or wants its owner to confirm. */
export const isCardError = (error: unknown): boolean => error instanceof Stripe.errors.StripeCardError

/** True when there is nothing of this id at Stripe. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'

/** The id of something that Stripe gives as an id or, expanded, as an object. */
export const idOf = (one: string | { id: string }): string => (typeof one === 'string' ? one : one.id)
