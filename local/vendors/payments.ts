/** The payment provider: the caller's Stripe account, or the Stripe emulator. */
import { lookupKey, plans } from '../../domain/billing/plans.ts'
import { stripeEmulator } from '../../emulators/stripe/emulator.ts'
import type { LocalHandler } from '../gateway/local-handler.ts'
import { type Environment, readStripeKeys } from '../start/options.ts'
import type { JsonObject } from '../template/json.ts'
import type { VendorOptions } from './channels.ts'

export interface Payments {
  secret: JsonObject
  /** Pages of the emulator; undefined with a real account. */
  pages: LocalHandler | undefined
  close(): Promise<void>
}

/** For webhooks that this host sends to itself. */
const localWebhookSecret = 'whsec_local'

export async function startPayments(options: VendorOptions, env: Environment): Promise<Payments> {
  const keys = readStripeKeys(env)
  if (keys) {
    const secret = { secretKey: keys.secretKey, webhookSecrets: [keys.webhookSecret] }
    return { secret, pages: undefined, close: async () => {} }
  }
  const { dataDir, url, api, log } = options
  const stripe = await stripeEmulator.start({
    pagesUrl: `${url}/local`,
    webhookUrl: `${api}/webhooks/stripe`,
    webhookSecret: localWebhookSecret,
    prices: plans.map(({ id, name, priceCents }) => ({
      product: `prod_berth_${id}`,
      name,
      lookupKey: lookupKey(id),
      monthlyCents: priceCents,
    })),
    stateFolder: dataDir,
    log,
  })
  const secret = { secretKey: stripe.secretKey, webhookSecrets: [localWebhookSecret], apiBase: stripe.apiBase }
  return { secret, pages: stripe.handle, close: stripe.stop }
}
