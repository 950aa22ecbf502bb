/** The life of subscriptions after their checkout. */
import type { Account } from '../account.ts'
import { StripeError } from '../api/error.ts'
import { cardError } from '../charges/cards.ts'
import { payInvoice, saveCard } from '../charges/charges.ts'
import { addLine, newInvoice, periodLine } from '../invoices/invoice.ts'
import type { Invoice, Price, Schedule, Subscription } from '../records.ts'
import { newId, nowSeconds, type Store } from '../store.ts'
import { periodEnd } from './subscription.ts'

/** A draft invoice over the present period. */
export function periodInvoice(
  { store, pagesUrl }: Account,
  subscription: Subscription,
  reason: Invoice['billing_reason'],
): Invoice {
  const { currency } = itemOf(subscription).price
  const made = newInvoice(store, { customer: subscription.customer, reason, currency, subscription }, pagesUrl)
  for (const item of subscription.items.data) {
    const amount = item.price.unit_amount * item.quantity
    const start = item.current_period_start
    addLine(made, periodLine(made, subscription, item, { price: item.price, amount, start, proration: false }))
  }
  return made
}

export function cancel({ store, webhooks }: Account, subscription: Subscription): void {
  const now = nowSeconds()
  release(store, subscription)
  Object.assign(subscription, { status: 'canceled', canceled_at: subscription.canceled_at ?? now, ended_at: now })
  webhooks.emit('customer.subscription.deleted', subscription)
}

/** The next period begins: a scheduled price takes over, and the card is charged, if it pays. */
export function renew(account: Account, subscription: Subscription, declined = false): void {
  const { store, webhooks } = account
  const previous = subscription.items.data.map(({ current_period_start, current_period_end }) => ({
    current_period_start,
    current_period_end,
  }))
  const next = store.value.schedules[subscription.schedule ?? '']?.phases[1]
  const price = next?.items[0]?.price
  if (next && price) {
    itemOf(subscription).price = priceOf(store, price)
    Object.assign(subscription.metadata, next.metadata)
    release(store, subscription)
  }
  for (const item of subscription.items.data) {
    item.current_period_start = item.current_period_end
    item.current_period_end = periodEnd(item.current_period_start, item.price.recurring)
  }
  const due = periodInvoice(account, subscription, 'subscription_cycle')
  webhooks.emit('customer.subscription.updated', subscription, { items: { data: previous } })
  const card = declined ? saveCard(account, '4000000000000002', null).id : subscription.default_payment_method
  if (declined) due.default_payment_method = card
  if (!payInvoice(account, due, card)) return
  due.default_payment_method = null
  subscription.status = 'past_due'
  webhooks.emit('customer.subscription.updated', subscription, { status: 'active' })
}

/** Pays what is open of a subscription, perhaps from another card. */
export function payOpen(account: Account, subscription: Subscription): void {
  const { store, webhooks } = account
  const open = Object.values(store.value.invoices).filter(
    ({ status, parent }) => status === 'open' && parent?.subscription_details.subscription === subscription.id,
  )
  const declined = open
    .map((invoice) => payInvoice(account, invoice, subscription.default_payment_method))
    .find(Boolean)
  if (declined) throw cardError(declined)
  if (subscription.status !== 'past_due') return
  subscription.status = 'active'
  webhooks.emit('customer.subscription.updated', subscription, { status: 'past_due' })
}

/** Another price from now on. `invoice` charges the difference for the rest of the period at once, or changes nothing. */
export function switchPrice(account: Account, subscription: Subscription, priceId: string, invoice: boolean): void {
  const item = itemOf(subscription)
  const [before, price] = [item.price, priceOf(account.store, priceId)]
  if (before.id === price.id) return
  if (subscription.schedule)
    throw new StripeError(
      400,
      'The subscription is managed by the subscription schedule and cannot be updated directly.',
    )
  item.price = price
  if (invoice) chargeDifference(account, subscription, before)
  account.webhooks.emit('customer.subscription.updated', subscription, { items: { data: [{ price: before }] } })
}

/** If the card is declined, the subscription has its price from before again. @throws StripeError */
function chargeDifference(account: Account, subscription: Subscription, before: Price): void {
  const { store, pagesUrl } = account
  const item = itemOf(subscription)
  const { price } = item
  const { customer, latest_invoice: latest } = subscription
  const reason = 'subscription_update'
  const due = newInvoice(store, { customer, reason, currency: price.currency, subscription }, pagesUrl)
  const start = nowSeconds()
  const whole = item.current_period_end - item.current_period_start
  const share = (cents: number) => Math.round((cents * (item.current_period_end - start)) / whole)
  const line = (from: Price, amount: number) =>
    addLine(due, periodLine(due, subscription, item, { price: from, amount, start, proration: true }))
  line(before, -share(before.unit_amount * item.quantity))
  line(price, share(price.unit_amount * item.quantity))
  const declined = payInvoice(account, due, subscription.default_payment_method, true)
  if (!declined) return
  item.price = before
  subscription.latest_invoice = latest
  delete store.value.invoices[due.id]
  throw cardError(declined)
}

export function schedule({ store: { value } }: Account, subscription: Subscription): Schedule {
  if (subscription.schedule) throw new StripeError(400, 'This subscription has a schedule already.')
  const item = itemOf(subscription)
  const present = { start_date: item.current_period_start, end_date: item.current_period_end }
  const made: Schedule = {
    id: newId('sub_sched'),
    object: 'subscription_schedule',
    created: nowSeconds(),
    livemode: false,
    canceled_at: null,
    completed_at: null,
    current_phase: present,
    customer: subscription.customer,
    end_behavior: 'release',
    metadata: {},
    phases: [{ ...present, metadata: {}, items: [{ price: item.price.id, quantity: item.quantity }] }],
    released_at: null,
    released_subscription: null,
    status: 'active',
    subscription: subscription.id,
  }
  value.schedules[made.id] = made
  subscription.schedule = made.id
  return made
}

/** Ends the subscription's schedule; its later phases do not begin. */
export function release({ value }: Store, subscription: Subscription): void {
  const found = value.schedules[subscription.schedule ?? '']
  if (!found) return
  Object.assign(found, {
    status: 'released',
    released_at: nowSeconds(),
    released_subscription: subscription.id,
    subscription: null,
    current_phase: null,
  })
  subscription.schedule = null
}

/** Lets a subscription end with its period, or continue after all. */
export function setCancelAtPeriodEnd({ webhooks }: Account, subscription: Subscription, end: boolean): void {
  const { cancel_at_period_end, cancel_at, canceled_at } = subscription
  Object.assign(subscription, {
    cancel_at_period_end: end,
    cancel_at: end ? (subscription.items.data[0]?.current_period_end ?? null) : null,
    canceled_at: end ? (canceled_at ?? nowSeconds()) : null,
  })
  webhooks.emit('customer.subscription.updated', subscription, { cancel_at_period_end, cancel_at, canceled_at })
}

const itemOf = (subscription: Subscription) => {
  const [item] = subscription.items.data
  if (!item) throw new StripeError(400, 'This subscription has no items.')
  return item
}

function priceOf({ value }: Store, id: string): Price {
  const price = value.prices[id]
  if (!price)
    throw new StripeError(400, `No such price: '${id}'`, { code: 'resource_missing', param: 'items[0][price]' })
  return price
}
