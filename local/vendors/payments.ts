/** The payment provider: the caller's Stripe account, or the Stripe emulator. */
import { lookupKey, plans } from '../../domain/billing/plans.ts'
import { stripeEmulator } from '../../emulators/stripe/emulator.ts'
import type { LocalHandler } from '../gateway/local-handler.ts'
import { StartProblem } from '../kit/problem.ts'
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

export async function startPayments(options: VendorOptions, env: NodeJS.ProcessEnv): Promise<Payments> {
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

/** A Stripe account instead of the emulator; undefined if none is set. */
export function readStripeKeys(env: NodeJS.ProcessEnv): { secretKey: string; webhookSecret: string } | undefined {
  const secretKey = env.STRIPE_SECRET_KEY
  if (!secretKey) return undefined
  const live = /^(sk|rk)_live_/.test(secretKey)
  if (live && env.BERTH_ALLOW_LIVE !== '1') {
    throw new StartProblem(
      'STRIPE_SECRET_KEY is a live key and would move real money: use a test key, or set BERTH_ALLOW_LIVE=1',
    )
  }
  if (!live && !/^(sk|rk)_test_\w+$/.test(secretKey)) {
    throw new StartProblem(
      'STRIPE_SECRET_KEY is not a Stripe key (sk_test_… or rk_test_…): correct it, or unset it to use the emulator',
    )
  }
  const webhookSecret = env.STRIPE_WEBHOOK_SECRET
  if (!webhookSecret?.startsWith('whsec_'))
    throw new StartProblem('STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET (whsec_…) too: `stripe listen` prints one')
  return { secretKey, webhookSecret }
}
