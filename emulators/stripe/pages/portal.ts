import { StripeError } from '../api/error.ts'
import { behaviourOf } from '../charges/cards.ts'
import type { Charges } from '../charges/charges.ts'
import type { Customer, PortalSession } from '../records.ts'
import { findById, type Store } from '../store.ts'
import type { Lifecycle } from '../subscriptions/lifecycle.ts'
import type { Webhooks } from '../webhooks.ts'
import { cardField } from './checkout.ts'
import { alertBox, button, date, escapeHtml, money, notAllowed, notFound, type Page, rows } from './page.ts'

/** `portal/{id}`: where a customer cancels, changes the card and pays what is open. `base` is a path. */
export function createPortalPage(options: {
  store: Store
  lifecycle: Lifecycle
  charges: Charges
  webhooks: Webhooks
  base: string
}) {
  const { store, lifecycle, charges, webhooks, base } = options
  const { value } = store

  const liveOf = (customer: Customer) =>
    Object.values(value.subscriptions).find(
      (subscription) => subscription.customer === customer.id && subscription.status !== 'canceled',
    )

  /** The card is the default from now on, and pays what is open. */
  function changeCard(customer: Customer, number: string): void {
    behaviourOf(number)
    const card = charges.saveCard(number, customer.id)
    Object.assign(Object(customer.invoice_settings), { default_payment_method: card.id })
    const live = liveOf(customer)
    if (!live) return
    live.default_payment_method = card.id
    webhooks.emit('customer.updated', customer)
    lifecycle.payOpen(live)
  }

  function act(customer: Customer, action: string, form: URLSearchParams): void {
    const live = liveOf(customer)
    if (action === 'card') changeCard(customer, (form.get('card') ?? '').replaceAll(/\D/g, ''))
    if (live && action !== 'card') lifecycle.setCancelAtPeriodEnd(live, action === 'cancel')
  }

  function show(found: PortalSession, customer: Customer, problem?: string): Page {
    const subscriptions = Object.values(value.subscriptions).filter((record) => record.customer === customer.id)
    const live = liveOf(customer)
    const invoices = Object.values(value.invoices).filter((record) => record.customer === customer.id)
    const end = live?.items.data[0]?.current_period_end
    const verb = live?.cancel_at_period_end ? 'ends' : 'renews'
    const at = `${base}/portal/${found.id}`
    const state = live && end ? `Subscription ${verb} on ${date(end)}` : 'No subscription'
    const body =
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
    return { status: 200, json: { subscriptions, invoices }, title: 'Billing', body }
  }

  return (method: string, id: string, action: string, form: URLSearchParams): Page => {
    const found = findById(value.portals, id)
    const customer = findById(value.customers, found?.customer ?? '')
    if (!found || !customer) return notFound('There is no such page.')
    if (method === 'GET' && action === '') return show(found, customer)
    if (method !== 'POST' || !['cancel', 'resume', 'card'].includes(action)) return notAllowed()
    try {
      act(customer, action, form)
      return { ...show(found, customer), redirect: found.url }
    } catch (error) {
      if (!(error instanceof StripeError)) throw error
      return { ...show(found, customer, error.message), status: error.status, json: { error: error.body } }
    } finally {
      store.save()
      void webhooks.deliver()
    }
  }
}
