import type { Dispute } from './charge-records.ts'
import { StripeFault } from './fault.ts'
import { alertBox, escapeHtml, money, page } from './html.ts'
import { button, date, notAllowed, notFound, type Page } from './page.ts'
import type { Payments } from './payment.ts'
import type { Charge, CheckoutSession, Subscription } from './records.ts'
import type { Store } from './store.ts'
import type { Subscribing } from './subscribing.ts'
import type { Till } from './till.ts'
import type { Webhooks } from './webhooks.ts'

/** How many things of a kind the desk lists, newest first. */
const shown = 10

/** `/local/stripe`: what banks, time and people do to payments, one button each, as `POST /local/stripe/{verb}/{id}`. */
export function startDesk(options: {
  store: Store
  payments: Payments
  subscribing: Subscribing
  till: Till
  webhooks: Webhooks
}) {
  const { store, payments, subscribing, till, webhooks } = options
  const { value } = store

  const onCharge: Record<string, (charge: Charge) => unknown> = {
    refund: (charge) => till.refund(charge),
    'refund-half': (charge) => till.refund(charge, Math.floor((charge.amount - charge.amount_refunded) / 2)),
    dispute: (charge) => till.dispute(charge),
    'fraud-warning': (charge) => till.warn(charge),
  }
  const onDispute: Record<string, (dispute: Dispute) => unknown> = {
    win: (dispute) => till.closeDispute(dispute, 'won'),
    lose: (dispute) => till.closeDispute(dispute, 'lost'),
  }
  const onSubscription: Record<string, (subscription: Subscription) => unknown> = {
    renew: (subscription) => subscribing.renew(subscription),
    'fail-payment': (subscription) => subscribing.renew(subscription, true),
    'pay-open': (subscription) => subscribing.payOpen(subscription),
    end: (subscription) => subscribing.cancel(subscription),
  }
  const onSession: Record<string, (session: CheckoutSession) => unknown> = {
    settle: (session) => payments.settle(session, true),
    bounce: (session) => payments.settle(session, false),
  }

  /** False when there is no such verb or thing. */
  function act(verb: string, id: string): boolean {
    return (
      run(onCharge, verb, value.charges, id) ||
      run(onDispute, verb, value.disputes, id) ||
      run(onSubscription, verb, value.subscriptions, id) ||
      run(onSession, verb, value.sessions, id)
    )
  }

  function show(problem?: string): Page {
    const charges = newest(value.charges, ({ paid }) => paid)
    const disputes = newest(value.disputes, ({ status }) => status === 'needs_response')
    const subscriptions = newest(value.subscriptions, ({ status }) => status !== 'canceled')
    const sessions = newest(
      value.sessions,
      ({ status, payment_status }) => status === 'complete' && payment_status === 'unpaid',
    )
    const who = (customer: string | null) => escapeHtml(value.customers[customer ?? '']?.email ?? 'a guest')
    const html =
      '<h1>What happens to payments</h1>' +
      (problem ? alertBox(problem) : '') +
      section(
        'Payments',
        charges,
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
    return { status: 200, json: { charges, disputes, subscriptions, sessions }, html: page('Stripe stand-in', html) }
  }

  return async (method: string, verb: string, id: string): Promise<Page> => {
    if (verb === '') return method === 'GET' ? show() : notAllowed()
    if (method !== 'POST') return notAllowed()
    try {
      if (!act(verb, id)) return notFound('There is no such thing to do.')
      store.save()
      await webhooks.deliver()
      return { ...show(), json: { done: verb }, redirect: '/local/stripe' }
    } catch (error) {
      if (!(error instanceof StripeFault)) throw error
      return { ...show(error.message), status: error.status, json: { error: error.body } }
    }
  }
}

function run<T>(verbs: Record<string, (one: T) => unknown>, verb: string, all: Record<string, T>, id: string): boolean {
  const [act, one] = [Object.hasOwn(verbs, verb) && verbs[verb], Object.hasOwn(all, id) && all[id]]
  if (!act || !one) return false
  act(one)
  return true
}

const newest = <T>(all: Record<string, T>, wanted: (one: T) => boolean): T[] =>
  Object.values(all).filter(wanted).reverse().slice(0, shown)

/** `title` says what the thing is; it is HTML already. */
function section<T extends { id: string }>(
  name: string,
  all: T[],
  title: (one: T) => string,
  verbs: Record<string, unknown>,
): string {
  const one = (thing: T) =>
    `<li><p>${title(thing)}</p><div class="verbs">${Object.keys(verbs)
      .map((verb) => button(`/local/stripe/${verb}/${thing.id}`, verb.replaceAll('-', ' '), true))
      .join('')}</div></li>`
  return `<h2>${name}</h2>${all.length > 0 ? `<ul>${all.map(one).join('')}</ul>` : '<p class="note">None.</p>'}`
}
