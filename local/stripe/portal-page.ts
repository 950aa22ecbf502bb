import { behaviourOf } from './cards.ts'
import { cardField } from './checkout-page.ts'
import { StripeFault } from './fault.ts'
import { alertBox, escapeHtml, money, page, rows } from './html.ts'
import { button, date, notAllowed, notFound, own, type Page } from './page.ts'
import type { Customer, PortalSession } from './records.ts'
import type { Store } from './store.ts'
import type { Subscribing } from './subscribing.ts'
import { endWithPeriod } from './subscriptions.ts'
import type { Till } from './till.ts'
import type { Webhooks } from './webhooks.ts'

/** `/local/portal/{id}`: where a customer cancels, changes the card and pays what is open. */
export function startPortalPage(options: { store: Store; subscribing: Subscribing; till: Till; webhooks: Webhooks }) {
  const { store, subscribing, till, webhooks } = options
  const { value } = store

  const liveOf = (customer: Customer) =>
    Object.values(value.subscriptions).find((one) => one.customer === customer.id && one.status !== 'canceled')

  /** The card is the default from now on, and pays what is open. */
  function changeCard(customer: Customer, number: string): void {
    behaviourOf(number)
    const card = till.saveCard(number, customer.id)
    Object.assign(Object(customer.invoice_settings), { default_payment_method: card.id })
    const live = liveOf(customer)
    if (!live) return
    live.default_payment_method = card.id
    webhooks.emit('customer.updated', customer)
    subscribing.payOpen(live)
  }

  function act(customer: Customer, action: string, form: URLSearchParams): void {
    const live = liveOf(customer)
    if (action === 'card') changeCard(customer, (form.get('card') ?? '').replaceAll(/\D/g, ''))
    if (live && action !== 'card') endWithPeriod(live, action === 'cancel', webhooks)
  }

  function show(found: PortalSession, customer: Customer, problem?: string): Page {
    const subscriptions = Object.values(value.subscriptions).filter((one) => one.customer === customer.id)
    const live = liveOf(customer)
    const invoices = Object.values(value.invoices).filter((one) => one.customer === customer.id)
    const end = live?.items.data[0]?.current_period_end
    const verb = live?.cancel_at_period_end ? 'ends' : 'renews'
    const at = `/local/portal/${found.id}`
    const state = live && end ? `Subscription ${verb} on ${date(end)}` : 'No subscription'
    const html =
      `<h1>Billing of ${escapeHtml(customer.email ?? customer.id)}</h1>` +
      `<p class="amount"><small>${state}${live?.status === 'past_due' ? '; a payment is due' : ''}</small></p>` +
      (problem ? alertBox(problem) : '') +
      rows(
        invoices.map(({ created, total, currency, status }) => [
          `Invoice of ${date(created)} (${status})`,
          money(total, currency),
        ]),
      ) +
      button(`${at}/card`, live?.status === 'past_due' ? 'Use this card and pay' : 'Use this card', false, cardField) +
      (live?.cancel_at_period_end ? button(`${at}/resume`, 'Keep the subscription', true) : '') +
      (live && !live.cancel_at_period_end ? button(`${at}/cancel`, 'Cancel at the period’s end', true) : '') +
      (found.return_url ? `<p><a href="${escapeHtml(found.return_url)}">Back</a></p>` : '')
    return { status: 200, json: { subscriptions, invoices }, html: page('Billing', html) }
  }

  return (method: string, id: string, action: string, form: URLSearchParams): Page => {
    const found = own(value.portals, id)
    const customer = own(value.customers, found?.customer ?? '')
    if (!found || !customer) return notFound('There is no such page.')
    if (method === 'GET' && action === '') return show(found, customer)
    if (method !== 'POST' || !['cancel', 'resume', 'card'].includes(action)) return notAllowed()
    try {
      act(customer, action, form)
      return { ...show(found, customer), redirect: found.url }
    } catch (error) {
      if (!(error instanceof StripeFault)) throw error
      return { ...show(found, customer, error.message), status: error.status, json: { error: error.body } }
    } finally {
      store.save()
      void webhooks.deliver()
    }
  }
}
