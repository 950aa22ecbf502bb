import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody } from '../aws/wire.ts'
import { startCheckoutPage } from './checkout-page.ts'
import { startDesk } from './desk.ts'
import { money, page, rows } from './html.ts'
import { date, failure, notFound, own, type Page, send } from './page.ts'
import type { Payments } from './payment.ts'
import { startPortalPage } from './portal-page.ts'
import type { Store } from './store.ts'
import type { Subscribing } from './subscribing.ts'
import type { Till } from './till.ts'
import type { Webhooks } from './webhooks.ts'

const FORM_LIMIT = 64 * 1024

/** The pages people see: `/local/checkout/{id}`, `/local/portal/{id}`, `/local/invoice/{id}` and `/local/stripe`. */
export function startPages(options: {
  store: Store
  payments: Payments
  subscribing: Subscribing
  till: Till
  webhooks: Webhooks
  publicUrl: string
}) {
  const { store } = options
  const checkout = startCheckoutPage(options)
  const portal = startPortalPage(options)
  const desk = startDesk(options)

  function invoice(method: string, id: string): Page {
    const found = own(store.value.invoices, id)
    if (!found || method !== 'GET') return notFound('There is no such invoice.')
    const lines: [string, string][] = [
      ['Number', String(found.number)],
      ['Date', date(found.created)],
      ['Status', found.status],
    ]
    const html = `<h1>Invoice</h1><p class="amount">${money(found.total, found.currency)}</p>${rows(lines)}`
    return { status: 200, json: found, html: page('Invoice', html) }
  }

  /** Answers true when the request was for one of these pages. */
  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const [, kind, id = '', action = ''] =
      /^\/local\/(checkout|portal|invoice|stripe)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(pathname) ?? []
    if (!kind || (kind !== 'stripe' && id === '')) return false
    const form = new URLSearchParams(String((await readBody(request, FORM_LIMIT)) ?? ''))
    const method = request.method ?? 'GET'
    const from = request.headers.origin
    const foreign = method !== 'GET' && from !== undefined && from !== new URL(options.publicUrl).origin
    const pages = {
      checkout: () => checkout(method, id, action, form),
      portal: () => portal(method, id, action, form),
      invoice: () => invoice(method, id),
      stripe: () => desk(method, id, action),
    }
    // safe because the pattern has no other kinds
    const show = pages[kind as keyof typeof pages]
    const answer = foreign ? failure(403, 'forbidden', 'This form was sent from another site.') : await show()
    send(response, answer, String(request.headers.accept ?? ''))
    return true
  }
}
