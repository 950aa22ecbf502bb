import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import Stripe from 'stripe'
import { until } from '../../kit/test/until.ts'
import { parseForm } from '../api/form.ts'
import { periodEnd } from '../subscriptions/subscription.ts'
import { press, type TestStripe, testStripe } from './stripe.ts'

let at: TestStripe
beforeEach(async () => {
  at = await testStripe()
})
afterEach(() => at.close())

const params: Stripe.Checkout.SessionCreateParams = {
  mode: 'payment',
  success_url: 'http://127.0.0.1:1/',
  line_items: [{ price_data: { currency: 'usd', unit_amount: 500, product_data: { name: 'Top-up' } } }],
}

describe('the API', () => {
  it('requires its key', async () => {
    const { hostname, port } = new URL(at.emulator.apiBase)
    const stranger = new Stripe('sk_test_wrong', { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 })
    await expect(stranger.customers.create({})).rejects.toBeInstanceOf(Stripe.errors.StripeAuthenticationError)
  })

  it('repeats its answer for an idempotency key, and refuses other parameters and addresses with it', async () => {
    const first = await at.stripe.checkout.sessions.create(params, { idempotencyKey: 'topup-1' })
    const again = await at.stripe.checkout.sessions.create(params, { idempotencyKey: 'topup-1' })
    expect(again.id).toBe(first.id)
    expect(again.lastResponse.headers).toMatchObject({ 'idempotent-replayed': 'true', 'idempotency-key': 'topup-1' })
    await at.restart()
    expect((await at.stripe.checkout.sessions.create(params, { idempotencyKey: 'topup-1' })).id).toBe(first.id)
    await expect(
      at.stripe.checkout.sessions.create({ ...params, client_reference_id: 'x' }, { idempotencyKey: 'topup-1' }),
    ).rejects.toBeInstanceOf(Stripe.errors.StripeIdempotencyError)
    await expect(at.stripe.customers.create({}, { idempotencyKey: 'topup-1' })).rejects.toThrow(
      "for the same endpoint they were first used for ('/v1/customers' vs '/v1/checkout/sessions')",
    )
  })

  it.each([
    ['an unknown parameter', { ...params, wishes: '1' }, { code: 'parameter_unknown', param: 'wishes' }],
    ['a missing parameter', { ...params, success_url: undefined }, { code: 'parameter_missing', param: 'success_url' }],
    ['an unknown customer', { ...params, customer: 'cus_no' }, { code: 'resource_missing', param: 'customer' }],
    [
      'an amount that is too small',
      { ...params, line_items: [{ price_data: { currency: 'usd', unit_amount: 49, product_data: { name: 'x' } } }] },
      { code: 'amount_too_small' },
    ],
    [
      'data of the other mode',
      { ...params, subscription_data: { metadata: { a: 'b' } } },
      { type: 'StripeInvalidRequestError' },
    ],
    ['a date too far in the future', { ...params, expires_at: 4_000_000_000 }, { param: 'expires_at' }],
  ])('refuses %s as Stripe does', async (_, bad, error) => {
    await expect(at.stripe.checkout.sessions.create(bad)).rejects.toMatchObject({ statusCode: 400, ...error })
  })

  it('returns 404 for unknown objects', async () => {
    await expect(at.stripe.customers.retrieve('cus_no')).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    })
    await expect(at.stripe.coupons.list()).rejects.toMatchObject({ statusCode: 404 })
  })

  it('returns lists in pages', async () => {
    for (let n = 0; n < 5; n++) await at.stripe.customers.create({ name: `n${n}` })
    const names: (string | null | undefined)[] = []
    for await (const { name } of at.stripe.customers.list({ limit: 2 })) names.push(name)
    expect(names).toEqual(['n4', 'n3', 'n2', 'n1', 'n0'])
  })

  it('keeps a plan’s price id by its lookup key when the price changes', async () => {
    const before = await at.stripe.prices.list({ lookup_keys: ['pro_monthly'] })
    await at.restart()
    const after = await at.stripe.prices.list({ lookup_keys: ['pro_monthly'], expand: ['data.product'] })
    expect(after.data.map(({ id }) => id)).toEqual(before.data.map(({ id }) => id))
    expect(after.data[0]?.product).toMatchObject({ object: 'product', name: 'Pro' })
  })
})

describe('a webhook that fails', () => {
  it('gets the event again', async () => {
    at.answers.push(500)
    const session = await at.stripe.checkout.sessions.create(params)
    await press(session.url, 'pay')
    expect(at.events.map(({ type }) => type)).toEqual(['checkout.session.completed'])
    await until(() => at.events.length === 2, 4_000)
    expect(at.events[1]?.type).toBe('payment_intent.succeeded')
  })

  it('gets it again even after a restart', async () => {
    at.answers.push(503, 503)
    const session = await at.stripe.checkout.sessions.create(params)
    await press(session.url, 'pay')
    expect(at.events).toEqual([])
    await at.restart()
    await until(() => at.events.length === 2, 4_000)
    await at.restart()
    expect(at.events.map(({ type }) => type)).toEqual(['payment_intent.succeeded', 'checkout.session.completed'])
  })
})

describe('a change of the clock', () => {
  it('renews a subscription, and ends one that was to be cancelled', async () => {
    const price = (await at.stripe.prices.list({ lookup_keys: ['starter_monthly'] })).data[0]?.id
    const subscribe = async () => {
      const session = await at.stripe.checkout.sessions.create({
        mode: 'subscription',
        success_url: params.success_url,
        line_items: [{ price, quantity: 1 }],
      })
      await press(session.url, 'pay')
      const { subscription } = await at.stripe.checkout.sessions.retrieve(session.id)
      return String(subscription)
    }
    const [renewed, ended] = [await subscribe(), await subscribe()]
    await at.stripe.subscriptions.update(ended, { cancel_at_period_end: true })
    await until(() => at.events.length === 7)
    at.events.length = 0

    await at.emulator.stop()
    // Both periods end now.
    const ago = Math.floor(Date.now() / 1000) - 1
    const file = join(at.stateFolder, 'stripe.json')
    const state = readFileSync(file, 'utf8')
    writeFileSync(file, state.replaceAll(/"current_period_end":\d+/g, `"current_period_end":${ago}`))
    await at.restart()
    await until(() => at.events.length === 3)
    expect(at.events.map(({ type }) => type)).toEqual([
      'customer.subscription.updated',
      'invoice.paid',
      'customer.subscription.deleted',
    ])
    expect(at.events[1]?.data.object).toMatchObject({
      billing_reason: 'subscription_cycle',
      amount_paid: 1000,
      parent: { subscription_details: { subscription: renewed } },
    })
    expect((await at.stripe.subscriptions.retrieve(ended)).status).toBe('canceled')
  })

  it('handles months of different lengths', () => {
    const month = { interval: 'month' as const, interval_count: 1 }
    const end = (text: string) => new Date(periodEnd(Date.parse(text) / 1000, month) * 1000).toISOString().slice(0, 10)
    expect(end('2026-01-31T10:00:00Z')).toBe('2026-02-28')
    expect(end('2026-12-15T10:00:00Z')).toBe('2027-01-15')
  })
})

it('forms are parsed in Stripe’s notation', () => {
  expect(parseForm('a=1&b[c]=2&d[0][e]=3&d[1][e]=4&f[]=5&f[]=6&g[__proto__]=7')).toEqual({
    a: '1',
    b: { c: '2' },
    d: [{ e: '3' }, { e: '4' }],
    f: ['5', '6'],
    g: JSON.parse('{"__proto__":"7"}'),
  })
})
