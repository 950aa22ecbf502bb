import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { startApi } from './api.ts'
import { billingRoutes } from './billing.ts'
import { addPrice, addProduct } from './checkout.ts'
import { invoiceRoutes } from './invoices.ts'
import { startPages } from './pages.ts'
import { startPayments } from './payment.ts'
import { checkoutRoutes } from './resources.ts'
import { nowSeconds, openStore, type Store } from './store.ts'
import { startSubscribing } from './subscribing.ts'
import { subscriptionRoutes } from './subscriptions.ts'
import { openTill } from './till.ts'
import { startWebhooks } from './webhooks.ts'

export interface StripeOptions {
  dataDir: string
  /** Where browsers reach the pages, without a slash at the end: `http://127.0.0.1:8787`. */
  publicUrl: string
  webhookUrl: string
  webhookSecret: string
  log: (line: string) => void
  /** Each becomes a product and a monthly price in US dollars with the look-up key `berth_<id>_monthly`. */
  plans: { id: string; name: string; priceCents: number }[]
  /** The key the API asks for; default `sk_test_local`. */
  secretKey?: string
  /** Of the API; default: any free port. */
  port?: number
}

export interface StripeStandIn {
  /** Serves `/local/checkout/…`, `/local/portal/…`, `/local/invoice/…` and `/local/stripe`; false when the request is for none of them. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** The API's origin. stripe-node always asks below `/v1/` of an origin, so the API has a port of its own. */
  apiBase: string
  secretKey: string
  close(): Promise<void>
}

/** Milliseconds between looks at what time has brought: expired sessions, renewals. */
const SWEEP = 60_000

export async function startStripe(options: StripeOptions): Promise<StripeStandIn> {
  const { log, publicUrl, secretKey = 'sk_test_local' } = options
  const store = openStore(options.dataDir)
  const webhooks = startWebhooks({ store, url: options.webhookUrl, secret: options.webhookSecret, log })
  const till = openTill({ store, webhooks })
  const subscribing = startSubscribing({ store, webhooks, till, publicUrl })
  const payments = startPayments({ store, webhooks, till, subscribing })
  syncPlans(store, options.plans)
  payments.sweep(nowSeconds())
  const timer = setInterval(() => payments.sweep(nowSeconds()), SWEEP)
  timer.unref()

  const routes = [
    ...checkoutRoutes({ store, payments, publicUrl }),
    ...billingRoutes({ store, till, publicUrl }),
    ...invoiceRoutes({ store, till, webhooks, publicUrl }),
    ...subscriptionRoutes({ store, subscribing, webhooks }),
  ]
  const api = startApi({ store, routes, secretKey, log, changed: () => void webhooks.deliver() })
  const server = createServer((request, response) => void api(request, response))
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('the Stripe stand-in has no port')

  return {
    handle: startPages({ store, payments, subscribing, till, webhooks, publicUrl }),
    apiBase: `http://127.0.0.1:${address.port}`,
    secretKey,
    async close() {
      clearInterval(timer)
      await webhooks.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A changed price is a new price that takes the look-up key over, as at Stripe, where prices never change. */
function syncPlans(store: Store, plans: StripeOptions['plans']): void {
  for (const plan of plans) {
    const productId = `prod_berth_${plan.id}`
    const product = store.value.products[productId] ?? addProduct(store, plan.name, undefined, productId)
    product.name = plan.name
    const lookupKey = `berth_${plan.id}_monthly`
    const known = Object.values(store.value.prices).find((price) => price.lookup_key === lookupKey)
    if (known?.unit_amount === plan.priceCents) continue
    if (known) Object.assign(known, { lookup_key: null, active: false })
    const recurring = { interval: 'month' as const, interval_count: 1 }
    addPrice(store, { product: product.id, currency: 'usd', amount: plan.priceCents, recurring, lookupKey })
  }
  store.save()
}
