import Stripe from 'stripe'
import { lookupKey, planIds } from '../../domain/billing/plans.ts'
import { makeStripe, stripeSecret } from './client.ts'
import { webhookEvents } from './webhook-events.ts'

interface StripeFacts {
  /** False for a test key. */
  live: boolean
  /** The endpoint with this address, or null. `missing` are types of events that we read and it does not send. */
  endpoint: { enabled: boolean; apiVersion: string | null; missing: string[] } | null
  /** Look-up keys without an active price. */
  missingPrices: string[]
  /** Whether the secret has a webhook secret. */
  signed: boolean
}

/** The API version that events must have. */
export const apiVersion: string = Stripe.API_VERSION

/** Null if the secret has no key yet. @throws Stripe's error, without the key */
export async function stripeFacts(secret: unknown, webhookUrl: string): Promise<StripeFacts | null> {
  const { secretKey, webhookSecrets, apiBase } = stripeSecret.parse(secret)
  if (secretKey === '') return null
  const stripe = makeStripe(secretKey, apiBase ?? null)
  const keys = planIds.map(lookupKey)
  const prices = await stripe.prices.list({ lookup_keys: keys, active: true, limit: keys.length })
  const { data } = await stripe.webhookEndpoints.list({ limit: 100 })
  const ours = data.find(({ url }) => url === webhookUrl)
  return {
    live: /^(sk|rk)_live_/.test(secretKey),
    signed: webhookSecrets.length > 0,
    missingPrices: keys.filter((key) => !prices.data.some(({ lookup_key }) => lookup_key === key)),
    endpoint: ours
      ? { enabled: ours.status === 'enabled', apiVersion: ours.api_version, missing: missingFrom(ours.enabled_events) }
      : null,
  }
}

const missingFrom = (enabled: readonly string[]): string[] =>
  enabled.includes('*') ? [] : Object.keys(webhookEvents).filter((type) => !enabled.includes(type))
