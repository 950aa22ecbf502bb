/** Who takes the money: the Stripe account of the caller's environment, or the built-in stand-in. */
import type { Doors } from './gateway.ts'
import type { JsonObject } from './json.ts'
import type { Environment } from './options.ts'
import { readStripeKeys } from './options.ts'
import type { StripeOptions } from './stripe/stripe.ts'
import { startStripe } from './stripe/stripe.ts'

export interface Payments {
  /** The value of the `stripe` secret. */
  secret: JsonObject
  /** The stand-in's hosted pages; undefined with a real account, whose pages are Stripe's. */
  handle: Doors['local'] | undefined
  close(): Promise<void>
}

interface PaymentOptions {
  dataDir: string
  /** Where browsers are, and where the API is: no slash at the end of either. */
  url: string
  api: string
  log: (line: string) => void
  plans: readonly StripeOptions['plans'][number][]
}

/** Signs webhooks that only this host sends to itself. */
const LOCAL_WEBHOOK_SECRET = 'whsec_local'

export async function startPayments(options: PaymentOptions, env: Environment): Promise<Payments> {
  const keys = readStripeKeys(env)
  if (keys) {
    const secret = { secretKey: keys.secretKey, webhookSecrets: [keys.webhookSecret] }
    return { secret, handle: undefined, close: async () => {} }
  }
  const { dataDir, url, api, log, plans } = options
  const webhookUrl = `${api}/webhooks/stripe`
  const stripe = await startStripe({
    dataDir,
    publicUrl: url,
    webhookUrl,
    webhookSecret: LOCAL_WEBHOOK_SECRET,
    log,
    plans: [...plans],
  })
  const secret = { secretKey: stripe.secretKey, webhookSecrets: [LOCAL_WEBHOOK_SECRET], apiBase: stripe.apiBase }
  return { secret, handle: stripe.handle, close: stripe.close }
}
