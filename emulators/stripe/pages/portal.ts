import { findById } from '../../kit/records.ts'
import { escapeHtml } from '../../kit/text.ts'
import type { Account } from '../account.ts'
import { StripeError } from '../api/error.ts'
import { behaviourOf } from '../charges/cards.ts'
import { saveCard } from '../charges/charges.ts'
import type { Customer, PortalSession } from '../records.ts'
import type { Store } from '../store.ts'
import { payOpen, setCancelAtPeriodEnd } from '../subscriptions/lifecycle.ts'
import { cardField } from './checkout.ts'
import { type Asked, alertBox, button, date, money, notAllowed, notFound, type Page, rows } from './page.ts'

/** `portal/{id}`: where a customer cancels, changes the card and pays what is open. `base` is a path. */
export function portalPage(account: Account, { method, base, id, action, form }: Asked): Page {
  const { store, webhooks } = account
  const found = findById(store.value.portals, id)
  const customer = findById(store.value.customers, found?.customer ?? '')
  if (!found || !customer) return notFound('There is no such page.')
  if (method === 'GET' && action === '') return show(store, base, found, customer)
  if (method !== 'POST' || !['cancel', 'resume', 'card'].includes(action)) return notAllowed()
  try {
    act(account, customer, action, form)
    return { ...show(store, base, found, customer), redirect: found.url }
  } catch (error) {
    if (!(error instanceof StripeError)) throw error
    return { ...show(store, base, found, customer, error.message), status: error.status, json: { error: error.body } }
  } finally {
    store.save()
    void webhooks.deliver()
  }
}

function act(account: Account, customer: Customer, action: string, form: URLSearchParams): void {
  const live = liveOf(account.store, customer)
  if (action === 'card') changeCard(account, customer, (form.get('card') ?? '').replaceAll(/\D/g, ''))
  if (live && action !== 'card') setCancelAtPeriodEnd(account, live, action === 'cancel')
}

/** The card is the default from now on, and pays what is open. */
function changeCard(account: Account, customer: Customer, number: string): void {
  behaviourOf(number)
  const card = saveCard(account, number, customer.id)
  Object.assign(Object(customer.invoice_settings), { default_payment_method: card.id })
  const live = liveOf(account.store, customer)
  if (!live) return
  live.default_payment_method = card.id
  account.webhooks.emit('customer.updated', customer)
  payOpen(account, live)
}

function show(store: Store, base: string, found: PortalSession, customer: Customer, problem?: string): Page {
  const subscriptions = Object.values(store.value.subscriptions).filter((record) => record.customer === customer.id)
  const live = liveOf(store, customer)
  const invoices = Object.values(store.value.invoices).filter((record) => record.customer === customer.id)
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

const liveOf = ({ value }: Store, customer: Customer) =>
  Object.values(value.subscriptions).find(
    (subscription) => subscription.customer === customer.id && subscription.status !== 'canceled',
  )
