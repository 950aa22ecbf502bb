import { readFileSync } from 'node:fs'
import Stripe from 'stripe'
import { payments } from '../../../adapters/stripe/payments.ts'
import { webhookEvents } from '../../../adapters/stripe/webhook-events.ts'
import type { Payments } from '../../../app/ports/billing.ts'
import type { PaymentEvent } from '../../../domain/billing/payment-event.ts'
import { lookupKey } from '../../../domain/billing/plans.ts'
import type { TestCloud } from '../../../emulators/aws/test/cloud.ts'
import { press, type TestStripe, testStripe, WEBHOOK_SECRET } from '../../../emulators/stripe/test/stripe.ts'
import { env, openCloud } from '../../cloud.ts'

let cloud: TestCloud
let stripe: TestStripe
beforeAll(async () => {
  cloud = await openCloud()
  stripe = await testStripe(lookupKey)
  await secret({})
})
afterAll(async () => {
  await stripe.close()
  await cloud.close()
})

const secret = async (change: object) => {
  const { secretKey, apiBase } = stripe.emulator
  const webhookSecrets = ['whsec_older', WEBHOOK_SECRET]
  await cloud.cloud.putSecret('stripe', JSON.stringify({ secretKey, apiBase, webhookSecrets, ...change }))
}

const userId = 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0'
const user = { id: userId, email: 'ada@example.com', customerId: null }
const library = new Stripe('sk_unused')

/** The provider's event as our webhook receives it: the body and a fresh signature. */
function delivered(event: object, change: { secret?: string; at?: number } = {}) {
  const payload = JSON.stringify(event)
  const timestamp = Math.floor((change.at ?? Date.now()) / 1000)
  const signature = library.webhooks.generateTestHeaderString({
    payload,
    secret: change.secret ?? WEBHOOK_SECRET,
    timestamp,
  })
  return { payload, signature }
}

async function read(event: object, port: Payments = payments(env)): Promise<PaymentEvent> {
  const { payload, signature } = delivered(event)
  return port.readEvent(payload, signature, Date.now())
}

const newest = (type: string): Stripe.Event => {
  const found = stripe.events.filter((event) => event.type === type).at(-1)
  if (!found) throw new Error(`no ${type} was delivered`)
  return found
}
/** A copy of an event with a changed object. */
const but = (event: Stripe.Event, change: object) => ({
  ...event,
  data: { object: { ...event.data.object, ...change } },
})

describe('a customer', () => {
  test('is created once per user, and never when its id is known', async () => {
    const port = payments(env)
    const customerId = await port.customer(user)
    expect(await port.customer(user)).toBe(customerId)
    expect(await port.customer({ ...user, customerId: 'cus_known' })).toBe('cus_known')
    expect(await stripe.stripe.customers.retrieve(customerId)).toMatchObject({
      email: 'ada@example.com',
      metadata: { userId },
    })
  })
})

test('an amount that is not in whole cents never reaches the provider', async () => {
  const port = payments(env)
  const ask = { userId, email: user.email, customerId: 'cus_1', checkoutId: 'chk_odd' }
  for (const amountCents of [0.5, 1_000.000_1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -500]) {
    await expect(port.topUpPage({ ...ask, amountCents })).rejects.toThrow(RangeError)
    await expect(port.draftCharge({ ...ask, amountCents })).rejects.toThrow(RangeError)
  }
})

describe('a top-up page', () => {
  test('charges the amount, returns to the wallet page, and its payment carries the id of our record', async () => {
    const port = payments(env)
    const customerId = await port.customer(user)
    const ask = { userId, email: user.email, customerId, checkoutId: 'chk_topup', amountCents: 1_234 }
    const page = await port.topUpPage(ask)
    expect(await port.topUpPage(ask)).toEqual(page)
    const session = await stripe.stripe.checkout.sessions.retrieve(page.sessionId, { expand: ['line_items'] })
    expect(session).toMatchObject({
      mode: 'payment',
      amount_total: 1_234,
      currency: 'usd',
      customer: customerId,
      client_reference_id: userId,
      success_url: 'http://localhost/wallet?checkout=success',
      cancel_url: 'http://localhost/wallet?checkout=canceled',
    })
    expect(Date.parse(page.expiresAt)).toBe((session.expires_at ?? 0) * 1000)
    await press(page.url, 'pay')
    expect(await read(newest('checkout.session.completed'))).toEqual({
      kind: 'topup-paid',
      eventId: newest('checkout.session.completed').id,
      userId,
      checkoutId: 'chk_topup',
      sessionId: page.sessionId,
      paymentId: expect.stringMatching(/^pi_/),
    })
    expect(newest('payment_intent.succeeded').data.object).toMatchObject({
      metadata: { userId, checkoutId: 'chk_topup' },
    })
  })

  test('credits nothing while it is unpaid, and credits once it is paid', async () => {
    const event = newest('checkout.session.completed')
    expect(await read(but(event, { payment_status: 'unpaid' }))).toMatchObject({ kind: 'ignored' })
    const later = { ...event, type: 'checkout.session.async_payment_succeeded' }
    expect(await read(later)).toMatchObject({ kind: 'topup-paid' })
    expect(await read(but(event, { metadata: {} }))).toMatchObject({ kind: 'ignored' })
  })
})

describe('a plan page', () => {
  test('subscribes at the plan’s price, and its events carry the plan and the period', async () => {
    const port = payments(env)
    const customerId = await port.customer(user)
    const page = await port.planPage({ userId, email: user.email, customerId, checkoutId: 'chk_plan', plan: 'pro' })
    await press(page.url, 'pay')
    const created = newest('customer.subscription.created')
    const subscription = created.data.object as Stripe.Subscription // safe because the event's type says so
    const [item] = subscription.items.data
    expect(await read(created)).toEqual({
      kind: 'subscription-changed',
      eventId: created.id,
      userId,
      subscriptionId: subscription.id,
      customerId,
      createdSeconds: created.created,
      deleted: false,
      checkoutId: 'chk_plan',
      boughtSeconds: subscription.created,
      givenUp: false,
      subscription: {
        status: 'active',
        plan: 'pro',
        currentPeriodEnd: new Date((item?.current_period_end ?? 0) * 1000).toISOString(),
        cancelAtPeriodEnd: false,
      },
    })
    expect(await read(newest('invoice.paid'))).toEqual({
      kind: 'period-paid',
      eventId: newest('invoice.paid').id,
      userId,
      subscriptionId: subscription.id,
      checkoutId: 'chk_plan',
      plan: 'pro',
      periodStart: new Date((item?.current_period_start ?? 0) * 1000).toISOString(),
      createdSeconds: newest('invoice.paid').created,
    })
    expect(await read(newest('checkout.session.completed'))).toMatchObject({ kind: 'ignored' })
  })

  test.each([
    ['trialing', 'active'],
    ['past_due', 'past_due'],
    ['unpaid', 'past_due'],
    ['canceled', 'canceled'],
    ['paused', 'canceled'],
    ['incomplete', null],
    ['incomplete_expired', null],
  ])('the provider’s status %s maps to our status %s', async (status, ours) => {
    const event = but(
      { ...newest('customer.subscription.created'), type: 'customer.subscription.updated' } as Stripe.Event,
      { status },
    ) // safe because both types carry a subscription
    expect(await read(event)).toMatchObject(ours ? { subscription: { status: ours } } : { kind: 'ignored' })
  })

  test('a deleted subscription is canceled; one with a scheduled end says so', async () => {
    const event = newest('customer.subscription.created')
    const deleted = { ...event, type: 'customer.subscription.deleted' }
    expect(await read(deleted)).toMatchObject({ subscription: { status: 'canceled' } })
    expect(await read(but(event, { cancel_at_period_end: true }))).toMatchObject({
      subscription: { status: 'active', cancelAtPeriodEnd: true },
    })
  })

  test.each(['subscription_update', 'manual', null])('an invoice for %s includes no credit', async (billing_reason) => {
    expect(await read(but(newest('invoice.paid'), { billing_reason }))).toMatchObject({ kind: 'ignored' })
  })

  test('an invoice for a changed plan credits the plan that was paid', async () => {
    const event = newest('invoice.paid')
    const invoice = event.data.object as Stripe.Invoice // safe because the event's type says so
    const { data } = await stripe.stripe.prices.list({ lookup_keys: [lookupKey('starter')] })
    const lines = invoice.lines.data.map((line) => ({ ...line, pricing: { price_details: { price: data[0]?.id } } }))
    expect(await read(but(event, { lines: { data: lines } }))).toMatchObject({ kind: 'period-paid', plan: 'starter' })
  })
})

test('docs/billing.md lists exactly the event types that we handle', () => {
  const text = readFileSync(new URL('../../../docs/billing.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter((line) => line.startsWith('| `'))
  const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([\w.]+)`/g)].map(([, type]) => type))
  expect(listed.sort()).toEqual(Object.keys(webhookEvents).sort())
})

describe('a webhook signature', () => {
  const event = { id: 'evt_1', object: 'event', type: 'ping', created: 1, data: { object: {} } }
  const refused = { code: 'validation', details: { 'stripe-signature': [expect.any(String)] } }

  test('is valid with any of the configured secrets; unknown event types are ignored', async () => {
    for (const secret of ['whsec_older', WEBHOOK_SECRET]) {
      const { payload, signature } = delivered(event, { secret })
      expect(await payments(env).readEvent(payload, signature, Date.now())).toEqual({
        kind: 'ignored',
        eventId: 'evt_1',
        type: 'ping',
      })
    }
  })

  test.each([
    ['absent', () => ({ ...delivered(event), signature: undefined })],
    ['malformed', () => ({ ...delivered(event), signature: 'nonsense' })],
    ['made with another secret', () => delivered(event, { secret: 'whsec_of_another' })],
    ['made for another body', () => ({ ...delivered(event), payload: JSON.stringify({ ...event, id: 'evt_2' }) })],
    ['too old', () => delivered(event, { at: Date.now() - 302_000 })],
    ['dated in the future', () => delivered(event, { at: Date.now() + 302_000 })],
  ])('that is %s is rejected, and the error reveals no secret', async (_, make) => {
    const { payload, signature } = make()
    const error = await payments(env)
      .readEvent(payload, signature, Date.now())
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject(refused)
    expect(JSON.stringify(error)).not.toContain('whsec')
  })

  test('on an event that we cannot read leads to an error, so that Stripe delivers it again', async () => {
    await expect(read({ ...event, type: 'invoice.paid' })).rejects.toThrow()
  })

  test.each([
    ['without a charge', null],
    ['of a charge that this account does not have', 'ch_of_another'],
  ])('on a refund %s is valid; the event is ignored because a retry would not change it', async (_, charge) => {
    const refund = { ...event, type: 'refund.created', data: { object: { id: 're_1', charge } } }
    expect(await read(refund)).toMatchObject({ kind: 'ignored' })
  })

  test('is valid for five minutes', async () => {
    const { payload, signature } = delivered(event, { at: Date.now() - 298_000 })
    expect(await payments(env).readEvent(payload, signature, Date.now())).toMatchObject({ kind: 'ignored' })
  })
})

describe('a provider that fails', () => {
  afterEach(() => secret({}))

  test.each([
    ['refuses the key', { secretKey: 'sk_test_hidden' }],
    ['has no key', { secretKey: '' }],
    ['is unreachable', { apiBase: 'http://127.0.0.1:9' }],
    ['is misconfigured', { webhookSecrets: 'hidden' }],
  ])('because it %s causes one error that reveals none of its details', async (_, change) => {
    await secret(change)
    const error = await payments(env)
      .customer(user)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'provider-error',
      message: expect.stringContaining('billing provider failed'),
    })
    expect(String(error)).not.toMatch(/hidden|127\.0\.0\.1|ECONN/)
  })

  test('causes the same error for every request', async () => {
    await secret({ apiBase: 'http://127.0.0.1:9' })
    const port = payments(env)
    const ask = { userId, email: user.email, customerId: 'cus_1', checkoutId: 'chk_1', amountCents: 500 }
    const asked = [
      port.topUpPage(ask),
      port.planPage({ ...ask, plan: 'pro' }),
      port.portal('cus_1'),
      port.invoices('cus_1', { after: null, limit: 10 }),
      port.subscription('sub_1'),
      port.changePlan('sub_1', 'pro', 'now'),
      port.cancelSubscription('sub_1'),
      port.endSubscription('sub_1'),
      port.undoSubscription('sub_1'),
      port.refund('pi_1'),
      port.draftCharge(ask),
      port.payCharge('in_1'),
    ]
    for (const outcome of await Promise.allSettled(asked))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'provider-error' } })
  })
})
