import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { press, type TestStripe, testStripe } from './stripe.ts'

let at: TestStripe
beforeAll(async () => {
  at = await testStripe()
})
afterAll(() => at.close())
beforeEach(() => {
  at.events.length = 0
})

const urls = {
  success_url: 'http://127.0.0.1:1/wallet?session={CHECKOUT_SESSION_ID}',
  cancel_url: 'http://127.0.0.1:1/wallet',
}
const topUp = (more: object = {}) =>
  at.stripe.checkout.sessions.create({
    mode: 'payment',
    ...urls,
    client_reference_id: 'usr_1',
    line_items: [
      { quantity: 1, price_data: { currency: 'usd', unit_amount: 2000, product_data: { name: 'Wallet <top-up>' } } },
    ],
    metadata: { user: 'usr_1', kind: 'topup' },
    payment_intent_data: { metadata: { user: 'usr_1', intent: 'yes' } },
    ...more,
  })
const priceOf = async (plan: string) => {
  const { data } = await at.stripe.prices.list({ lookup_keys: [`${plan}_monthly`], active: true })
  return data[0]
}

describe('a top-up', () => {
  it('is paid once, and is reported by signed events with its metadata', async () => {
    const session = await topUp()
    expect(session).toMatchObject({
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      amount_total: 2000,
      currency: 'usd',
      client_reference_id: 'usr_1',
      url: `${at.publicUrl}/local/checkout/${session.id}`,
    })
    expect(session).not.toHaveProperty('local')

    const paid = await press(session.url, 'pay')
    expect(paid).toEqual({
      status: 200,
      body: {
        id: session.id,
        status: 'complete',
        payment_status: 'paid',
        redirect: `http://127.0.0.1:1/wallet?session=${session.id}`,
      },
    })
    expect(at.events.map(({ type }) => type)).toEqual(['payment_intent.succeeded', 'checkout.session.completed'])
    expect(at.events.map(({ data }) => data.object)).toMatchObject([
      { object: 'payment_intent', amount_received: 2000, metadata: { user: 'usr_1', intent: 'yes' } },
      {
        id: session.id,
        payment_status: 'paid',
        client_reference_id: 'usr_1',
        metadata: { user: 'usr_1', kind: 'topup' },
      },
    ])
    expect(at.events[1]?.data.object).not.toHaveProperty('local')

    await press(session.url, 'pay')
    expect(at.events).toHaveLength(2)

    const now = await at.stripe.checkout.sessions.retrieve(session.id, {
      expand: ['payment_intent.latest_charge', 'line_items'],
    })
    expect(now).toMatchObject({
      status: 'complete',
      url: null,
      payment_intent: { status: 'succeeded', latest_charge: { object: 'charge', amount: 2000, paid: true } },
      line_items: { data: [{ description: 'Wallet <top-up>', amount_total: 2000 }] },
    })
  })

  it('can be declined, and paid after that', async () => {
    const session = await topUp()
    const declined = await press(session.url, 'decline')
    expect(declined).toMatchObject({ status: 402, body: { error: { type: 'card_error', code: 'card_declined' } } })
    expect((await at.stripe.checkout.sessions.retrieve(session.id)).status).toBe('open')
    await press(session.url, 'pay')
    expect(at.events.map(({ type }) => type)).toEqual([
      'payment_intent.payment_failed',
      'payment_intent.succeeded',
      'checkout.session.completed',
    ])
  })

  it('that has expired cannot be paid', async () => {
    const session = await topUp()
    expect((await at.stripe.checkout.sessions.expire(session.id)).status).toBe('expired')
    const late = await press(`${at.publicUrl}/local/checkout/${session.id}`, 'pay')
    expect(late).toMatchObject({ status: 400, body: { error: { code: 'checkout_session_expired' } } })
    expect(at.events.map(({ type }) => type)).toEqual(['checkout.session.expired'])
    await expect(at.stripe.checkout.sessions.expire(session.id)).rejects.toMatchObject({ statusCode: 400 })
  })
})

describe('a subscription', () => {
  const subscribe = async (plan = 'starter') => {
    const customer = await at.stripe.customers.create({ email: 'ann@example.org', metadata: { user: 'usr_1' } })
    const session = await at.stripe.checkout.sessions.create({
      mode: 'subscription',
      ...urls,
      customer: customer.id,
      line_items: [{ price: (await priceOf(plan))?.id, quantity: 1 }],
      subscription_data: { metadata: { user: 'usr_1', plan } },
    })
    await press(session.url, 'pay')
    return at.stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription', 'invoice'] })
  }

  it('begins with its events, its periods on the items and a paid first invoice', async () => {
    expect(await priceOf('pro')).toMatchObject({ unit_amount: 3000, recurring: { interval: 'month' } })
    const { customer, subscription, invoice } = await subscribe()
    expect(at.events.map(({ type }) => type)).toEqual([
      'customer.subscription.created',
      'invoice.paid',
      'checkout.session.completed',
    ])
    if (!subscription || typeof subscription === 'string' || !invoice || typeof invoice === 'string')
      throw new Error('not expanded')
    expect(subscription).toMatchObject({ status: 'active', customer, metadata: { user: 'usr_1', plan: 'starter' } })
    expect(subscription).not.toHaveProperty('current_period_end')
    const [item] = subscription.items.data
    const days = ((item?.current_period_end ?? 0) - (item?.current_period_start ?? 0)) / 86_400
    expect(days).toBeGreaterThanOrEqual(28)
    expect(days).toBeLessThanOrEqual(31)
    expect(invoice).toMatchObject({
      billing_reason: 'subscription_create',
      status: 'paid',
      amount_paid: 1000,
      parent: { subscription_details: { subscription: subscription.id, metadata: { user: 'usr_1', plan: 'starter' } } },
      lines: { data: [{ amount: 1000, period: { end: item?.current_period_end } }] },
    })
    expect(at.events[1]?.data.object).toMatchObject({ id: invoice.id })
    const { data } = await at.stripe.invoices.list({ customer: String(customer) })
    expect(data.map(({ id }) => id)).toEqual([invoice.id])
    expect((await fetch(invoice.hosted_invoice_url ?? '')).status).toBe(200)
  })

  it('can be set to end, be resumed, and be cancelled', async () => {
    const { subscription } = await subscribe()
    const id = typeof subscription === 'string' ? subscription : (subscription?.id ?? '')
    at.events.length = 0
    const ending = await at.stripe.subscriptions.update(id, { cancel_at_period_end: true })
    expect(ending).toMatchObject({ status: 'active', cancel_at: ending.items.data[0]?.current_period_end })
    expect((await at.stripe.subscriptions.update(id, { cancel_at_period_end: false })).cancel_at).toBeNull()
    expect(await at.stripe.subscriptions.cancel(id)).toMatchObject({ status: 'canceled' })
    await at.stripe.subscriptions.list({ status: 'all' })
    expect(at.events.map(({ type }) => type)).toEqual([
      'customer.subscription.updated',
      'customer.subscription.updated',
      'customer.subscription.deleted',
    ])
    expect(at.events[0]?.data.previous_attributes).toMatchObject({ cancel_at_period_end: false })
  })

  it('is managed on the portal', async () => {
    const { customer, subscription } = await subscribe()
    const portal = await at.stripe.billingPortal.sessions.create({
      customer: String(customer),
      return_url: 'http://127.0.0.1:1/billing',
    })
    expect(await (await fetch(portal.url)).text()).toContain('Invoice of')
    await press(portal.url, 'cancel')
    const id = typeof subscription === 'string' ? subscription : (subscription?.id ?? '')
    expect((await at.stripe.subscriptions.retrieve(id)).cancel_at_period_end).toBe(true)
  })
})

describe('the hosted page', () => {
  const html = async (url: string | null, init: RequestInit = {}) => {
    const response = await fetch(url ?? '', { redirect: 'manual', ...init })
    return { status: response.status, location: response.headers.get('location'), text: await response.text() }
  }

  it('shows the product and the price, and redirects the browser', async () => {
    const session = await topUp()
    const page = await html(session.url)
    expect(page.text).toContain('$20.00')
    expect(page.text).toContain('Wallet &lt;top-up&gt;')
    expect(page.text).toContain('Stripe emulator')
    expect(page.text).not.toContain('<script')
    const declined = await html(`${session.url}/decline`, { method: 'POST' })
    expect([declined.status, declined.text.includes('role="alert"')]).toEqual([402, true])
    const paid = await html(`${session.url}/pay`, { method: 'POST', headers: { origin: at.publicUrl } })
    expect([paid.status, paid.location]).toEqual([303, `http://127.0.0.1:1/wallet?session=${session.id}`])
    expect((await html(session.url)).text).toContain('This is paid.')
  })

  it('rejects a form from another site, and unknown pages', async () => {
    const session = await topUp()
    const forged = await html(`${session.url}/pay`, { method: 'POST', headers: { origin: 'http://evil.test' } })
    expect(forged.status).toBe(403)
    expect((await html(`${at.publicUrl}/local/checkout/cs_test_none`)).status).toBe(404)
    expect((await html(`${at.publicUrl}/local/other`)).status).toBe(418)
    expect(at.events).toEqual([])
  })
})
