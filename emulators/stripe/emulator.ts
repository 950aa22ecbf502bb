import { createServer } from 'node:http'
import type { Emulator, PagesOptions, RunningPages } from '../kit/emulator.ts'
import { close, listen } from '../kit/server.ts'
import { openStorage } from '../kit/storage.ts'
import { startApi } from './api/server.ts'
import { catalogueRoutes, type MonthlyPrice, syncPrices } from './catalogue.ts'
import { createCharges } from './charges/charges.ts'
import { chargeRoutes } from './charges/routes.ts'
import { type CheckoutPayments, createCheckoutPayments } from './checkout/payment.ts'
import { checkoutRoutes } from './checkout/routes.ts'
import { customerRoutes } from './customers.ts'
import { invoiceRoutes } from './invoices/routes.ts'
import { createPages } from './pages/server.ts'
import { nowSeconds, openStore, type Store } from './store.ts'
import { createLifecycle, type Lifecycle } from './subscriptions/lifecycle.ts'
import { subscriptionRoutes } from './subscriptions/routes.ts'
import { endpointRoutes, eventRoutes, startWebhooks } from './webhooks.ts'

export type { MonthlyPrice } from './catalogue.ts'

/** Below `pagesUrl` are `checkout/…`, `portal/…`, `invoice/…` and `stripe`. */
export interface StripeOptions extends PagesOptions {
  webhookUrl: string
  webhookSecret: string
  /** Types of events that the webhook is sent; default: all. */
  webhookEvents?: string[]
  /** The account's prices; also applied at a later start, after a price change. */
  prices?: MonthlyPrice[]
  /** The key the API asks for; default `sk_test_local`. */
  secretKey?: string
}

/** stripe-node always asks below `/v1/` of an origin, so the API has a port of its own. */
export interface RunningStripe extends RunningPages {
  secretKey: string
}

/** Milliseconds between two checks of what is due: expired sessions, renewals. */
const DUE_INTERVAL_MS = 60_000

/** Milliseconds between two writes of the state. */
const SAVE_INTERVAL_MS = 100

export const stripeEmulator: Emulator<StripeOptions, RunningStripe> = { name: 'stripe', start }

async function start(options: StripeOptions): Promise<RunningStripe> {
  const { pagesUrl, secretKey = 'sk_test_local', webhookUrl: url, webhookEvents: events = ['*'] } = options
  const { log = () => {} } = options
  const storage = openStorage(options.stateFolder, stripeEmulator.name, SAVE_INTERVAL_MS)
  const store = openStore(storage)
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
  return {
    handle: createPages({ store, payments, lifecycle, charges, webhooks, pagesUrl }),
    apiBase: await listen(server, options.port),
    routes: routes.map(({ method, path }) => `${method} ${path}`),
    secretKey,
    async stop() {
      clearInterval(timer)
      await webhooks.close()
      await close(server)
      storage.flush()
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
