import { findById } from '../../kit/records.ts'
import { escapeHtml } from '../../kit/text.ts'
import type { Account } from '../account.ts'
import { StripeError } from '../api/error.ts'
import { lineItems } from '../api/json.ts'
import { defaultCard, testCards } from '../charges/cards.ts'
import { type PaymentInput, pay } from '../checkout/payment.ts'
import type { CheckoutSession } from '../records.ts'
import { type Asked, alertBox, button, money, notAllowed, notFound, type Page, rows } from './page.ts'

/** `checkout/{id}`: the page a buyer pays on, with `POST …/pay`, `/decline`, `/confirm`, `/refuse`, `/debit`. `base` is a path. */
export async function checkoutPage(account: Account, { method, base, id, action, form }: Asked): Promise<Page> {
  const session = findById(account.store.value.sessions, id)
  if (!session) return notFound('There is no such checkout.')
  if (method === 'GET' && action === '') return show(session, base)
  const input = method === 'POST' ? inputOf(session, action, form) : undefined
  if (!input) return notAllowed()
  try {
    const outcome = await pay(account, session, input)
    const about = { id, status: session.status, payment_status: session.payment_status }
    if (outcome === 'confirm') return { ...show(session, base), json: { ...about, next: 'confirm' } }
    const redirect = successUrl(session)
    return { ...show(session, base), json: { ...about, redirect }, redirect }
  } catch (error) {
    if (!(error instanceof StripeError)) throw error
    return { ...show(session, base, error.message), status: error.status, json: { error: error.body } }
  }
}

/** Without a card in the form it is the one that pays. */
function inputOf({ local }: CheckoutSession, action: string, form: URLSearchParams): PaymentInput | undefined {
  const card = (form.get('card') ?? defaultCard).replaceAll(/\D/g, '')
  if (action === 'pay') return { card }
  if (action === 'decline') return { card: '4000000000000002' }
  if (action === 'debit') return 'debit'
  if (local.confirming === null) return undefined
  if (action === 'confirm') return { card: local.confirming, confirmed: true }
  return action === 'refuse' ? { card: local.confirming, confirmed: false } : undefined
}

function show(session: CheckoutSession, base: string, problem?: string): Page {
  const { items } = session.local
  const interval = items.find(({ price }) => price.recurring)?.price.recurring?.interval
  const amount = money(session.amount_total, session.currency)
  const what = items.map(({ description, quantity, amount_total, currency }): [string, string] => [
    quantity > 1 ? `${description} × ${quantity}` : description,
    money(amount_total, currency),
  ])
  const back = session.cancel_url ? `<p><a href="${escapeHtml(session.cancel_url)}">Back without paying</a></p>` : ''
  const at = `${base}/checkout/${session.id}`
  const label = interval ? `Subscribe for ${amount} a ${interval}` : `Pay ${amount}`
  const open = session.local.confirming
    ? '<p role="status">Your bank asks you to confirm this payment.</p>' +
      button(`${at}/confirm`, 'Confirm the payment') +
      button(`${at}/refuse`, 'Refuse it', true)
    : button(`${at}/pay`, label, false, cardField) +
      button(`${at}/decline`, 'Decline the card', true) +
      (interval ? '' : button(`${at}/debit`, 'Use a bank debit, settled later', true)) +
      back
  const actions = {
    open,
    complete: `<p role="status">${session.payment_status === 'paid' ? 'This is paid.' : 'The bank debit is under way.'}</p><a class="button" href="${escapeHtml(successUrl(session))}">Continue</a>`,
    expired: `<p role="status">This checkout has expired.</p>${back}`,
  }
  const title = interval ? 'Subscribe' : 'Pay'
  return {
    status: 200,
    json: { ...session, line_items: lineItems(session) },
    title: `${title} ${amount}`,
    body:
      `<h1>${title}${session.customer_email ? ` as ${escapeHtml(session.customer_email)}` : ''}</h1>` +
      `<p class="amount">${amount}${interval ? ` <small>a ${interval}</small>` : ''}</p>` +
      (problem ? alertBox(problem) : '') +
      rows(what) +
      actions[session.status],
  }
}

const spaced = (number: string) => number.replaceAll(/(\d{4})(?=\d)/g, '$1 ')

export const cardField =
  `<label for="card">Test card</label><input id="card" name="card" list="cards" inputmode="numeric" autocomplete="off" value="${spaced(defaultCard)}">` +
  `<datalist id="cards">${Object.entries(testCards)
    .map(([number, { label }]) => `<option value="${spaced(number)}">${escapeHtml(label)}</option>`)
    .join('')}</datalist>` +
  `<details><summary>Test cards</summary>${rows(Object.entries(testCards).map(([number, { label }]) => [label, spaced(number)]))}</details>`

const successUrl = ({ success_url, id }: CheckoutSession) => success_url.replaceAll('{CHECKOUT_SESSION_ID}', id)
