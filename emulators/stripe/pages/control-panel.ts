import { findById } from '../../kit/records.ts'
import { escapeHtml } from '../../kit/text.ts'
import type { Account } from '../account.ts'
import { StripeError } from '../api/error.ts'
import { closeDispute, dispute, refund, warnOfFraud } from '../charges/charges.ts'
import { settle } from '../checkout/payment.ts'
import type { Charge, CheckoutSession, Dispute, Subscription } from '../records.ts'
import { cancel, payOpen, renew } from '../subscriptions/lifecycle.ts'
import { type Asked, alertBox, button, date, money, notAllowed, notFound, type Page } from './page.ts'

/** How many records of a kind are listed, newest first. */
const LISTED = 10

type Actions<T> = Record<string, (account: Account, record: T) => unknown>

const onCharge: Actions<Charge> = {
  refund: (account, charge) => refund(account, charge),
  'refund-half': (account, charge) => refund(account, charge, Math.floor((charge.amount - charge.amount_refunded) / 2)),
  dispute,
  'fraud-warning': warnOfFraud,
}
const onDispute: Actions<Dispute> = {
  win: (account, record) => closeDispute(account, record, 'won'),
  lose: (account, record) => closeDispute(account, record, 'lost'),
}
const onSubscription: Actions<Subscription> = {
  renew: (account, subscription) => renew(account, subscription),
  'fail-payment': (account, subscription) => renew(account, subscription, true),
  'pay-open': payOpen,
  end: cancel,
}
const onSession: Actions<CheckoutSession> = {
  settle: (account, session) => settle(account, session, true),
  bounce: (account, session) => settle(account, session, false),
}

/** `stripe`: what banks, time and people do to payments, a button each, as `POST stripe/{action}/{id}`. */
export async function controlPanel(account: Account, asked: Asked): Promise<Page> {
  const { method, base, id: action, action: id } = asked
  const path = `${base}/stripe`
  if (action === '') return method === 'GET' ? show(account, path) : notAllowed()
  if (method !== 'POST') return notAllowed()
  try {
    if (!act(account, action, id)) return notFound('There is no such thing to do.')
    account.store.save()
    await account.webhooks.deliver()
    return { ...show(account, path), json: { done: action }, redirect: path }
  } catch (error) {
    if (!(error instanceof StripeError)) throw error
    return { ...show(account, path, error.message), status: error.status, json: { error: error.body } }
  }
}

/** False when there is no such action or record. */
function act(account: Account, action: string, id: string): boolean {
  const { charges, disputes, subscriptions, sessions } = account.store.value
  function run<T>(actions: Actions<T>, records: Record<string, T>): boolean {
    const [perform, record] = [findById(actions, action), findById(records, id)]
    if (!perform || !record) return false
    perform(account, record)
    return true
  }
  return (
    run(onCharge, charges) || run(onDispute, disputes) || run(onSubscription, subscriptions) || run(onSession, sessions)
  )
}

function show({ store: { value } }: Account, path: string, problem?: string): Page {
  const paid = newest(value.charges, ({ paid }) => paid)
  const disputes = newest(value.disputes, ({ status }) => status === 'needs_response')
  const subscriptions = newest(value.subscriptions, ({ status }) => status !== 'canceled')
  const sessions = newest(
    value.sessions,
    ({ status, payment_status }) => status === 'complete' && payment_status === 'unpaid',
  )
  const who = (customer: string | null) => escapeHtml(value.customers[customer ?? '']?.email ?? 'a guest')
  const ofCharge = ({ amount, amount_refunded, currency, customer, disputed }: Charge) =>
    `${money(amount, currency)} of ${who(customer)}${amount_refunded ? `, ${money(amount_refunded, currency)} refunded` : ''}${disputed ? ', disputed' : ''}`
  const ofSubscription = ({ customer, status, items }: Subscription) =>
    `${who(customer)}, ${status}, until ${date(items.data[0]?.current_period_end ?? 0)}`
  const body =
    '<h1>What happens to payments</h1>' +
    (problem ? alertBox(problem) : '') +
    section('Payments', paid, ofCharge, onCharge, path) +
    section('Open disputes', disputes, ({ amount, currency }) => money(amount, currency), onDispute, path) +
    section('Subscriptions', subscriptions, ofSubscription, onSubscription, path) +
    section(
      'Bank debits under way',
      sessions,
      ({ amount_total, currency, customer }) => `${money(amount_total, currency)} of ${who(customer)}`,
      onSession,
      path,
    )
  return { status: 200, json: { charges: paid, disputes, subscriptions, sessions }, title: 'Stripe emulator', body }
}

/** `describe` gives HTML. */
function section<T extends { id: string }>(
  name: string,
  records: T[],
  describe: (record: T) => string,
  actions: Actions<T>,
  path: string,
): string {
  const item = (record: T) =>
    `<li><p>${describe(record)}</p><div class="actions">${Object.keys(actions)
      .map((action) => button(`${path}/${action}/${record.id}`, action.replaceAll('-', ' '), true))
      .join('')}</div></li>`
  return `<h2>${name}</h2>${records.length > 0 ? `<ul>${records.map(item).join('')}</ul>` : '<p class="note">None.</p>'}`
}

const newest = <T>(records: Record<string, T>, isListed: (record: T) => boolean): T[] =>
  Object.values(records).filter(isListed).reverse().slice(0, LISTED)
