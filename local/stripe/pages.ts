import type { IncomingMessage, ServerResponse } from 'node:http'
import { endWithPeriod } from './billing.ts'
import { StripeFault } from './fault.ts'
import { alertBox, escapeHtml, money, page, rows } from './html.ts'
import type { Payments } from './payment.ts'
import { lineItems, toJson } from './present.ts'
import type { CheckoutSession, Customer, PortalSession } from './records.ts'
import type { Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

interface Page {
  status: number
  json: object
  html: string
  /** Where a browser goes instead of seeing `html`. */
  redirect?: string
}

/** The pages a buyer sees: `/local/checkout/{id}`, `/local/portal/{id}`, `/local/invoice/{id}`. */
export function startPages(options: { store: Store; payments: Payments; webhooks: Webhooks; publicUrl: string }) {
  const { store, payments, webhooks } = options
  const { value } = store

  async function checkout(method: string, id: string, action: string): Promise<Page> {
    const session = own(value.sessions, id)
    if (!session) return notFound('There is no such checkout.')
    if (method === 'GET' && action === '') return showCheckout(session)
    if (method !== 'POST' || (action !== 'pay' && action !== 'decline')) return notAllowed()
    try {
      await payments.pay(session, action === 'pay' ? 'succeeded' : 'declined')
      const redirect = successUrl(session)
      return {
        status: 200,
        json: { id, status: session.status, payment_status: session.payment_status, redirect },
        html: '',
        redirect,
      }
    } catch (error) {
      if (!(error instanceof StripeFault)) throw error
      return { ...showCheckout(session, error.message), status: error.status, json: { error: error.body } }
    }
  }

  function portal(method: string, id: string, action: string): Page {
    const found = own(value.portals, id)
    const customer = own(value.customers, found?.customer ?? '')
    if (!found || !customer) return notFound('There is no such page.')
    if (method === 'GET' && action === '') return showPortal(found, customer)
    if (method !== 'POST' || (action !== 'cancel' && action !== 'resume')) return notAllowed()
    for (const subscription of Object.values(value.subscriptions))
      if (subscription.customer === customer.id && subscription.status !== 'canceled')
        endWithPeriod(subscription, action === 'cancel', webhooks)
    store.save()
    void webhooks.deliver()
    return { ...showPortal(found, customer), redirect: found.url }
  }

  function showPortal(found: PortalSession, customer: Customer): Page {
    const subscriptions = Object.values(value.subscriptions).filter((one) => one.customer === customer.id)
    const live = subscriptions.find(({ status }) => status !== 'canceled')
    const invoices = Object.values(value.invoices).filter((one) => one.customer === customer.id)
    const end = live?.items.data[0]?.current_period_end
    const verb = live?.cancel_at_period_end ? 'ends' : 'renews'
    return {
      status: 200,
      json: { subscriptions, invoices },
      html: page(
        'Billing',
        `<h1>Billing of ${escapeHtml(customer.email ?? customer.id)}</h1>` +
          `<p class="amount"><small>${live && end ? `Subscription ${verb} on ${date(end)}` : 'No subscription'}</small></p>` +
          rows(
            invoices.map(({ created, amount_paid, currency }) => [
              `Invoice of ${date(created)}`,
              money(amount_paid, currency),
            ]),
          ) +
          (live
            ? button(
                `/local/portal/${found.id}/${live.cancel_at_period_end ? 'resume' : 'cancel'}`,
                live.cancel_at_period_end ? 'Keep the subscription' : 'Cancel at the period’s end',
                true,
              )
            : '') +
          (found.return_url ? `<p><a href="${escapeHtml(found.return_url)}">Back</a></p>` : ''),
      ),
    }
  }

  function invoice(method: string, id: string): Page {
    const found = own(value.invoices, id)
    if (!found || method !== 'GET') return notFound('There is no such invoice.')
    const lines: [string, string][] = [
      ['Number', String(found.number)],
      ['Date', date(found.created)],
      ['Status', found.status],
    ]
    const html = `<h1>Invoice</h1><p class="amount">${money(found.amount_paid, found.currency)}</p>${rows(lines)}`
    return { status: 200, json: found, html: page('Invoice', html) }
  }

  /** Answers true when the request was for one of these pages. */
  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const [, kind, id = '', action = ''] =
      /^\/local\/(checkout|portal|invoice)\/([^/]+)(?:\/([^/]+))?$/.exec(pathname) ?? []
    if (!kind) return false
    request.resume()
    const method = request.method ?? 'GET'
    const from = request.headers.origin
    const answer =
      method !== 'GET' && from !== undefined && from !== new URL(options.publicUrl).origin
        ? failure(403, 'forbidden', 'This form was sent from another site.')
        : kind === 'checkout'
          ? await checkout(method, id, action)
          : kind === 'portal'
            ? portal(method, id, action)
            : invoice(method, id)
    send(response, answer, String(request.headers.accept ?? ''))
    return true
  }
}

function send(response: ServerResponse, answer: Page, accept: string): void {
  const common = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  if (accept.includes('application/json')) {
    response.writeHead(answer.status, { ...common, 'content-type': 'application/json' }).end(toJson(answer.json))
  } else if (answer.redirect) {
    response.writeHead(303, { ...common, location: answer.redirect }).end()
  } else {
    const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    response
      .writeHead(answer.status, {
        ...common,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
      })
      .end(answer.html)
  }
}

function showCheckout(session: CheckoutSession, problem?: string): Page {
  const { items } = session.local
  const interval = items.find(({ price }) => price.recurring)?.price.recurring?.interval
  const amount = money(session.amount_total, session.currency)
  const what = items.map(({ description, quantity, amount_total, currency }): [string, string] => [
    quantity > 1 ? `${description} × ${quantity}` : description,
    money(amount_total, currency),
  ])
  const back = session.cancel_url ? `<p><a href="${escapeHtml(session.cancel_url)}">Back without paying</a></p>` : ''
  const actions = {
    open:
      button(
        `/local/checkout/${session.id}/pay`,
        interval ? `Subscribe for ${amount} a ${interval}` : `Pay ${amount}`,
      ) +
      button(`/local/checkout/${session.id}/decline`, 'Decline the card', true) +
      back,
    complete: `<p role="status">This is paid.</p><a class="button" href="${escapeHtml(successUrl(session))}">Continue</a>`,
    expired: `<p role="status">This checkout has expired.</p>${back}`,
  }
  const title = interval ? 'Subscribe' : 'Pay'
  return {
    status: 200,
    json: { ...session, line_items: lineItems(session) },
    html: page(
      `${title} ${amount}`,
      `<h1>${title}${session.customer_email ? ` as ${escapeHtml(session.customer_email)}` : ''}</h1>` +
        `<p class="amount">${amount}${interval ? ` <small>a ${interval}</small>` : ''}</p>` +
        (problem ? alertBox(problem) : '') +
        rows(what) +
        actions[session.status],
    ),
  }
}

const successUrl = ({ success_url, id }: CheckoutSession) => success_url.replaceAll('{CHECKOUT_SESSION_ID}', id)

const button = (action: string, label: string, plain = false) =>
  `<form method="post" action="${escapeHtml(action)}"><button${plain ? ' class="plain"' : ''}>${escapeHtml(label)}</button></form>`

const date = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)

const own = <T>(all: Record<string, T>, id: string): T | undefined => (Object.hasOwn(all, id) ? all[id] : undefined)

const failure = (status: number, error: string, message: string): Page => ({
  status,
  json: { error, message },
  html: page(message, `<h1>${escapeHtml(message)}</h1>`),
})
const notFound = (message: string) => failure(404, 'not-found', message)
const notAllowed = () => failure(404, 'not-found', 'There is nothing here to do.')
