import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type Stripe from 'stripe'
import { type TestStripe, testStripe } from './stripe.ts'

let at: TestStripe
beforeAll(async () => {
  at = await testStripe()
})
afterAll(() => at.close())
beforeEach(() => {
  at.events.length = 0
})

const success_url = 'http://127.0.0.1:1/wallet'

async function form(url: string, fields: Record<string, string> = {}) {
  const headers = { accept: 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(fields) })
  return { status: response.status, body: await response.json() }
}

async function page(customer?: string) {
  const price_data = { currency: 'usd', unit_amount: 2000, product_data: { name: 'Top-up' } }
  const session = await at.stripe.checkout.sessions.create({
    mode: 'payment',
    success_url,
    customer,
    line_items: [{ price_data }],
    payment_intent_data: { setup_future_usage: 'off_session', receipt_email: 'ann@example.org' },
  })
  return { id: session.id, url: session.url ?? '' }
}

async function paid(card = '4242424242424242') {
  const customer = (await at.stripe.customers.create({ email: 'ann@example.org' })).id
  const { id, url } = await page(customer)
  await form(`${url}/pay`, { card })
  const session = await at.stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] })
  const intent = session.payment_intent as Stripe.PaymentIntent // safe because the request expanded it
  return { customer, intent: intent.id, charge: String(intent.latest_charge) }
}

describe('test cards', () => {
  it.each([
    ['4000 0000 0000 0002', 'generic_decline'],
    ['4000 0000 0000 9995', 'insufficient_funds'],
  ])('%s is declined as %s', async (card, decline_code) => {
    const { url } = await page()
    const { status, body } = await form(`${url}/pay`, { card })
    expect([status, body.error.code, body.error.decline_code]).toEqual([402, 'card_declined', decline_code])
  })

  it('outside the list of test cards are refused', async () => {
    const { status, body } = await form(`${(await page()).url}/pay`, { card: '5555 5555 5555 4444' })
    expect([status, body.error.code]).toEqual([402, 'incorrect_number'])
  })

  it('that require authentication are charged once their owner confirms', async () => {
    const { id, url } = await page()
    expect(await form(`${url}/confirm`)).toMatchObject({ status: 404 })
    expect((await form(`${url}/pay`, { card: '4000002500003155' })).body).toMatchObject({
      next: 'confirm',
      status: 'open',
    })
    expect((await form(`${url}/refuse`)).status).toBe(402)
    await form(`${url}/pay`, { card: '4000002500003155' })
    expect((await form(`${url}/confirm`)).body).toMatchObject({ status: 'complete' })
    expect((await at.stripe.checkout.sessions.retrieve(id)).payment_status).toBe('paid')
  })

  it('are saved for later, without their numbers', async () => {
    const { customer } = await paid()
    const { data } = await at.stripe.paymentMethods.list({ customer, type: 'card' })
    expect(data).toMatchObject([{ card: { last4: '4242' } }])
    expect(JSON.stringify(data)).not.toContain('424242424242')
  })
})

describe('an invoice', () => {
  const draft = async (customer: string) => {
    const { id = '' } = await at.stripe.invoices.create({ customer, auto_advance: false, metadata: { a: 'b' } })
    await at.stripe.invoiceItems.create({ customer, invoice: id, amount: 700, currency: 'usd' })
    return id
  }

  it('is finalized and paid with the saved card', async () => {
    const { customer } = await paid()
    const id = await draft(customer)
    expect(await at.stripe.invoices.finalizeInvoice(id)).toMatchObject({ status: 'open', amount_due: 700 })
    expect(await at.stripe.invoices.pay(id, { off_session: true })).toMatchObject({ status: 'paid', amount_paid: 700 })
    const { data } = await at.stripe.invoicePayments.list({ invoice: id })
    expect(data).toHaveLength(1)
    await expect(at.stripe.invoices.pay(id)).rejects.toMatchObject({ statusCode: 400 })
  })

  it('that is declined stays open until it is voided', async () => {
    const { customer } = await paid('4000000000000341')
    const id = await draft(customer)
    await at.stripe.invoices.finalizeInvoice(id)
    await expect(at.stripe.invoices.pay(id)).rejects.toMatchObject({ type: 'StripeCardError', code: 'card_declined' })
    expect(await at.stripe.invoices.voidInvoice(id)).toMatchObject({ status: 'void' })
  })
})

describe('refunds and disputes', () => {
  it('a refund can be partial, and refunds never exceed the payment', async () => {
    const { charge, intent } = await paid()
    await at.stripe.refunds.create({ charge, amount: 500 })
    await expect(at.stripe.refunds.create({ charge, amount: 1600 })).rejects.toMatchObject({ param: 'amount' })
    await at.stripe.refunds.create({ payment_intent: intent })
    await expect(at.stripe.refunds.create({ charge })).rejects.toMatchObject({ code: 'charge_already_refunded' })
    expect(await at.stripe.charges.retrieve(charge)).toMatchObject({ amount_refunded: 2000, refunded: true })
    expect((await at.stripe.refunds.list({ charge })).data.map(({ amount }) => amount)).toEqual([1500, 500])
  })

  it('a charge is disputed once, and cannot be refunded then', async () => {
    const { charge } = await paid('4000000000000259')
    const [dispute] = (await at.stripe.disputes.list({ charge })).data
    expect(dispute).toMatchObject({ amount: 2000, status: 'needs_response' })
    expect((await form(`${at.publicUrl}/local/stripe/dispute/${charge}`)).status).toBe(400)
    await expect(at.stripe.refunds.create({ charge })).rejects.toMatchObject({ code: 'charge_disputed' })
    await form(`${at.publicUrl}/local/stripe/lose/${dispute?.id}`)
    expect((await at.stripe.disputes.retrieve(dispute?.id ?? '')).status).toBe('lost')
  })
})

describe('the control panel', () => {
  it('lists all records, and rejects unknown actions and records', async () => {
    const { charge } = await paid()
    const html = await (await fetch(`${at.publicUrl}/local/stripe`)).text()
    expect(html).toContain(`/local/stripe/refund/${charge}`)
    expect(html).not.toContain('<script')
    expect((await form(`${at.publicUrl}/local/stripe/burn/${charge}`)).status).toBe(404)
    expect((await form(`${at.publicUrl}/local/stripe/refund/ch_none`)).status).toBe(404)
    expect((await form(`${at.publicUrl}/local/stripe/__proto__/${charge}`)).status).toBe(404)
  })

  it('rejects a form from another site', async () => {
    const { charge } = await paid()
    const url = `${at.publicUrl}/local/stripe/refund/${charge}`
    expect((await fetch(url, { method: 'POST', headers: { origin: 'http://evil.test' } })).status).toBe(403)
    expect((await at.stripe.charges.retrieve(charge)).amount_refunded).toBe(0)
  })
})
