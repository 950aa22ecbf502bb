import { StripeError } from '../api/error.ts'
import type { Charges } from '../charges/charges.ts'
import type { CheckoutPayments } from '../checkout/payment.ts'
import type { Charge, CheckoutSession, Dispute, Subscription } from '../records.ts'
import { findById, type Store } from '../store.ts'
import type { Lifecycle } from '../subscriptions/lifecycle.ts'
import type { Webhooks } from '../webhooks.ts'
import { alertBox, button, date, escapeHtml, money, notAllowed, notFound, type Page } from './page.ts'

/** How many records of a kind are listed, newest first. */
const LISTED = 10

/** `stripe`: what banks, time and people do to payments, a button each, as `POST stripe/{action}/{id}`. `path` is its own. */
export function createControlPanel(options: {
  store: Store
  payments: CheckoutPayments
  lifecycle: Lifecycle
  charges: Charges
  webhooks: Webhooks
  path: string
}) {
  const { store, payments, lifecycle, charges, webhooks, path } = options
  const { value } = store

  const onCharge: Record<string, (charge: Charge) => unknown> = {
    refund: (charge) => charges.refund(charge),
    'refund-half': (charge) => charges.refund(charge, Math.floor((charge.amount - charge.amount_refunded) / 2)),
    dispute: (charge) => charges.dispute(charge),
    'fraud-warning': (charge) => charges.warnOfFraud(charge),
  }
  const onDispute: Record<string, (dispute: Dispute) => unknown> = {
    win: (dispute) => charges.closeDispute(dispute, 'won'),
    lose: (dispute) => charges.closeDispute(dispute, 'lost'),
  }
  const onSubscription: Record<string, (subscription: Subscription) => unknown> = {
    renew: (subscription) => lifecycle.renew(subscription),
    'fail-payment': (subscription) => lifecycle.renew(subscription, true),
    'pay-open': (subscription) => lifecycle.payOpen(subscription),
    end: (subscription) => lifecycle.cancel(subscription),
  }
  const onSession: Record<string, (session: CheckoutSession) => unknown> = {
    settle: (session) => payments.settle(session, true),
    bounce: (session) => payments.settle(session, false),
  }

  /** False when there is no such action or record. */
  function act(action: string, id: string): boolean {
    return (
      run(onCharge, action, value.charges, id) ||
      run(onDispute, action, value.disputes, id) ||
      run(onSubscription, action, value.subscriptions, id) ||
      run(onSession, action, value.sessions, id)
    )
  }

  /** `describe` gives HTML. */
  function section<T extends { id: string }>(
    name: string,
    records: T[],
    describe: (record: T) => string,
    actions: Record<string, unknown>,
  ): string {
    const item = (record: T) =>
      `<li><p>${describe(record)}</p><div class="actions">${Object.keys(actions)
        .map((action) => button(`${path}/${action}/${record.id}`, action.replaceAll('-', ' '), true))
        .join('')}</div></li>`
    return `<h2>${name}</h2>${records.length > 0 ? `<ul>${records.map(item).join('')}</ul>` : '<p class="note">None.</p>'}`
  }

  function show(problem?: string): Page {
    const paid = newest(value.charges, ({ paid }) => paid)
    const disputes = newest(value.disputes, ({ status }) => status === 'needs_response')
    const subscriptions = newest(value.subscriptions, ({ status }) => status !== 'canceled')
    const sessions = newest(
      value.sessions,
      ({ status, payment_status }) => status === 'complete' && payment_status === 'unpaid',
    )
    const who = (customer: string | null) => escapeHtml(value.customers[customer ?? '']?.email ?? 'a guest')
    const body =
      '<h1>What happens to payments</h1>' +
      (problem ? alertBox(problem) : '') +
      section(
        'Payments',
        paid,
        ({ amount, amount_refunded, currency, customer, disputed }) =>
          `${money(amount, currency)} of ${who(customer)}${amount_refunded ? `, ${money(amount_refunded, currency)} refunded` : ''}${disputed ? ', disputed' : ''}`,
        onCharge,
      ) +
      section('Open disputes', disputes, ({ amount, currency }) => money(amount, currency), onDispute) +
      section(
        'Subscriptions',
        subscriptions,
        ({ customer, status, items }) =>
          `${who(customer)}, ${status}, until ${date(items.data[0]?.current_period_end ?? 0)}`,
        onSubscription,
      ) +
      section(
        'Bank debits under way',
        sessions,
        ({ amount_total, currency, customer }) => `${money(amount_total, currency)} of ${who(customer)}`,
        onSession,
      )
    return { status: 200, json: { charges: paid, disputes, subscriptions, sessions }, title: 'Stripe emulator', body }
  }

  return async (method: string, action: string, id: string): Promise<Page> => {
    if (action === '') return method === 'GET' ? show() : notAllowed()
    if (method !== 'POST') return notAllowed()
    try {
      if (!act(action, id)) return notFound('There is no such thing to do.')
      store.save()
      await webhooks.deliver()
      return { ...show(), json: { done: action }, redirect: path }
    } catch (error) {
      if (!(error instanceof StripeError)) throw error
      return { ...show(error.message), status: error.status, json: { error: error.body } }
    }
  }
}

function run<T>(
  actions: Record<string, (record: T) => unknown>,
  action: string,
  records: Record<string, T>,
  id: string,
): boolean {
  const [perform, record] = [findById(actions, action), findById(records, id)]
  if (!perform || !record) return false
  perform(record)
  return true
}

const newest = <T>(records: Record<string, T>, isListed: (record: T) => boolean): T[] =>
  Object.values(records).filter(isListed).reverse().slice(0, LISTED)
