import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { startApi } from './api/server.ts'
import { catalogueRoutes, type MonthlyPrice, syncPrices } from './catalogue.ts'
import { createCharges } from './charges/charges.ts'
import { chargeRoutes } from './charges/routes.ts'
import { type CheckoutPayments, createCheckoutPayments } from './checkout/payment.ts'
import { checkoutRoutes } from './checkout/routes.ts'
import { customerRoutes } from './customers.ts'
import { invoiceRoutes } from './invoices/routes.ts'
import { createPages } from './pages/server.ts'
import { nowSeconds, openStore, type Store, type StripeStorage } from './store.ts'
import { createLifecycle, type Lifecycle } from './subscriptions/lifecycle.ts'
import { subscriptionRoutes } from './subscriptions/routes.ts'
import { endpointRoutes, eventRoutes, startWebhooks } from './webhooks.ts'

export type { MonthlyPrice } from './catalogue.ts'
export type { StripeStorage } from './store.ts'

export interface StripeEmulatorOptions {
  /** Where browsers reach the pages that `handle` serves, without a slash at the end: `http://127.0.0.1:8787/local`. */
  pagesUrl: string
  webhookUrl: string
  webhookSecret: string
  /** Types of events that the webhook is sent; default: all. */
  webhookEvents?: string[]
  log: (line: string) => void
  /** The account's prices; also applied at a later start, after a price change. */
  prices?: MonthlyPrice[]
  /** Default: in memory, so that a restart starts over. */
  storage?: StripeStorage
  /** The key the API asks for; default `sk_test_local`. */
  secretKey?: string
  /** The port of the API; default: any free port. */
  port?: number
}

export interface StripeEmulator {
  /**
   * Serves `checkout/…`, `portal/…`, `invoice/…` and `stripe` below `pagesUrl`; false when the request is for none of
   * them.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** The API's origin. stripe-node always asks below `/v1/` of an origin, so the API has a port of its own. */
  apiBase: string
  secretKey: string
  close(): Promise<void>
}

/** Milliseconds between two checks of what is due: expired sessions, renewals. */
const DUE_INTERVAL_MS = 60_000

export async function startStripeEmulator(options: StripeEmulatorOptions): Promise<StripeEmulator> {
  const { log, pagesUrl, secretKey = 'sk_test_local', webhookUrl: url, webhookEvents: events = ['*'] } = options
  const store = openStore(options.storage)
  const webhooks = startWebhooks({ store, url, events, secret: options.webhookSecret, log })
  const charges = createCharges({ store, webhooks })
  const lifecycle = createLifecycle({ store, webhooks, charges, pagesUrl })
  const payments = createCheckoutPayments({ store, webhooks, charges, lifecycle })
  syncPrices(store, options.prices ?? [])

  const check = () => {
    if (!runDue(nowSeconds(), store, payments, lifecycle)) return
    store.save()
    void webhooks.deliver()
  }
  check()
  const timer = setInterval(check, DUE_INTERVAL_MS)
  timer.unref()

  const routes = [
    ...customerRoutes({ store, pagesUrl }),
    ...catalogueRoutes(store),
    ...checkoutRoutes({ store, payments, pagesUrl }),
    ...chargeRoutes({ store, charges }),
    ...invoiceRoutes({ store, charges, webhooks, pagesUrl }),
    ...subscriptionRoutes({ store, lifecycle, webhooks }),
    ...eventRoutes(store),
    ...endpointRoutes(url, events),
  ]
  const api = startApi({ store, routes, secretKey, log, onChange: () => void webhooks.deliver() })
  const server = createServer((request, response) => void api(request, response))
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('the Stripe emulator has no port')

  return {
    handle: createPages({ store, payments, lifecycle, charges, webhooks, pagesUrl }),
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

/**
 * Expires sessions, renews and ends subscriptions; answers whether anything was due. `now` is seconds since the epoch.
 */
function runDue(now: number, { value }: Store, payments: CheckoutPayments, lifecycle: Lifecycle): boolean {
  const before = value.deliveries.length
  for (const session of Object.values(value.sessions))
    if (session.status === 'open' && session.expires_at <= now) payments.expire(session)
  for (const subscription of Object.values(value.subscriptions)) {
    const end = () => subscription.items.data[0]?.current_period_end ?? Number.POSITIVE_INFINITY
    while (subscription.status === 'active' && end() <= now) {
      if (subscription.cancel_at_period_end) lifecycle.cancel(subscription)
      else lifecycle.renew(subscription)
    }
  }
  return value.deliveries.length > before
}
