import { createServer } from 'node:http'
import type { Emulator, PagesOptions, RunningPages } from '../kit/emulator.ts'
import { close, listen } from '../kit/server.ts'
import { openStorage } from '../kit/storage.ts'
import type { Account } from './account.ts'
import { createApi } from './api/server.ts'
import { catalogueRoutes, type MonthlyPrice, syncPrices } from './catalogue.ts'
import { chargeRoutes } from './charges/routes.ts'
import { expire } from './checkout/payment.ts'
import { checkoutRoutes } from './checkout/routes.ts'
import { customerRoutes } from './customers.ts'
import { invoiceRoutes } from './invoices/routes.ts'
import { createPages } from './pages/server.ts'
import { nowSeconds, openStore } from './store.ts'
import { cancel, renew } from './subscriptions/lifecycle.ts'
import { subscriptionRoutes } from './subscriptions/routes.ts'
import { endpointRoutes, eventRoutes, Webhooks } from './webhooks.ts'

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
  const webhooks = new Webhooks({ store, url, events, secret: options.webhookSecret, log })
  const account: Account = { store, webhooks, pagesUrl }
  syncPrices(store, options.prices ?? [])

  const check = () => {
    if (!runDue(nowSeconds(), account)) return
    store.save()
    void webhooks.deliver()
  }
  check()
  const timer = setInterval(check, DUE_INTERVAL_MS)
  timer.unref()

  const routes = [
    ...customerRoutes(account),
    ...catalogueRoutes(account),
    ...checkoutRoutes(account),
    ...chargeRoutes(account),
    ...invoiceRoutes(account),
    ...subscriptionRoutes(account),
    ...eventRoutes(store),
    ...endpointRoutes(url, events),
  ]
  const api = createApi({ store, routes, secretKey, log, onChange: () => void webhooks.deliver() })
  const server = createServer((request, response) => void api(request, response))
  return {
    handle: createPages(account),
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
function runDue(now: number, account: Account): boolean {
  const { value } = account.store
  const before = value.deliveries.length
  for (const session of Object.values(value.sessions))
    if (session.status === 'open' && session.expires_at <= now) expire(account, session)
  for (const subscription of Object.values(value.subscriptions)) {
    const end = () => subscription.items.data[0]?.current_period_end ?? Number.POSITIVE_INFINITY
    while (subscription.status === 'active' && end() <= now) {
      if (subscription.cancel_at_period_end) cancel(account, subscription)
      else renew(account, subscription)
    }
  }
  return value.deliveries.length > before
}
