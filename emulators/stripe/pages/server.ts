import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Charges } from '../charges/charges.ts'
import type { CheckoutPayments } from '../checkout/payment.ts'
import { findById, type Store } from '../store.ts'
import type { Lifecycle } from '../subscriptions/lifecycle.ts'
import type { Webhooks } from '../webhooks.ts'
import { createCheckoutPage } from './checkout.ts'
import { createControlPanel } from './control-panel.ts'
import { date, failure, money, notFound, type Page, rows, send } from './page.ts'
import { createPortalPage } from './portal.ts'

/** The pages people see, below `pagesUrl`: `checkout/{id}`, `portal/{id}`, `invoice/{id}` and `stripe`. */
export function createPages(options: {
  store: Store
  payments: CheckoutPayments
  lifecycle: Lifecycle
  charges: Charges
  webhooks: Webhooks
  pagesUrl: string
}) {
  const { origin, pathname } = new URL(options.pagesUrl)
  const base = pathname.replace(/\/$/, '')
  const panelPath = `${base}/stripe`
  const checkout = createCheckoutPage({ ...options, base })
  const portal = createPortalPage({ ...options, base })
  const controlPanel = createControlPanel({ ...options, path: panelPath })

  function invoice(method: string, id: string): Page {
    const found = findById(options.store.value.invoices, id)
    if (!found || method !== 'GET') return notFound('There is no such invoice.')
    const lines: [string, string][] = [
      ['Number', String(found.number)],
      ['Date', date(found.created)],
      ['Status', found.status],
    ]
    const body = `<h1>Invoice</h1><p class="amount">${money(found.total, found.currency)}</p>${rows(lines)}`
    return { status: 200, json: found, title: 'Invoice', body }
  }

  /** Answers true when the request was for one of these pages. */
  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const { pathname: path } = new URL(request.url ?? '/', origin)
    if (!path.startsWith(base)) return false
    const [, kind, id = '', action = ''] =
      /^\/(checkout|portal|invoice|stripe)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(path.slice(base.length)) ?? []
    if (!kind || (kind !== 'stripe' && id === '')) return false
    const form = new URLSearchParams(await text(request))
    const method = request.method ?? 'GET'
    const from = request.headers.origin
    const foreign = method !== 'GET' && from !== undefined && from !== origin
    const pages = {
      checkout: () => checkout(method, id, action, form),
      portal: () => portal(method, id, action, form),
      invoice: () => invoice(method, id),
      stripe: () => controlPanel(method, id, action),
    }
    // safe because the pattern has no other kinds
    const show = pages[kind as keyof typeof pages]
    const page = foreign ? failure(403, 'forbidden', 'This form was sent from another site.') : await show()
    send(response, page, String(request.headers.accept ?? ''), panelPath)
    return true
  }
}
