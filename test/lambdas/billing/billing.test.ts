import Stripe from 'stripe'
import type { Ports } from '../../../adapters/ports.ts'
import { lookupKey } from '../../../domain/billing/plans.ts'
import { press, type TestStripe, testStripe, WEBHOOK_SECRET } from '../../../emulators/stripe/test/stripe.ts'
import { type MachineWorld, openMachineWorld, type User } from '../reconciler/machine-world.ts'

let world: MachineWorld
let stripe: TestStripe
/** Fails the next publish, like a crash right before it. */
let crashBeforePublish = false

beforeAll(async () => {
  stripe = await testStripe(lookupKey)
  world = await openMachineWorld((ports: Ports) => ({
    bus: {
      publish: async (...what) => {
        if (crashBeforePublish) {
          crashBeforePublish = false
          throw new Error('the function was killed')
        }
        return ports.bus.publish(...what)
      },
    },
  }))
  const { secretKey, apiBase } = stripe.emulator
  await world.cloud.cloud.putSecret('stripe', JSON.stringify({ secretKey, apiBase, webhookSecrets: [WEBHOOK_SECRET] }))
})
afterAll(async () => {
  await world.close()
  await stripe.close()
})
afterEach(() => expect(world.failures.splice(0)).toEqual([]))

const library = new Stripe('sk_unused')

/** Delivers an event to the webhook as Stripe does. */
function deliver(event: object, secret = WEBHOOK_SECRET) {
  const payload = JSON.stringify(event)
  const signature = library.webhooks.generateTestHeaderString({ payload, secret })
  return world.request('/webhooks/stripe', payload, { 'Stripe-Signature': signature })
}
const taken = { status: 200, body: { received: true } }

/** Pays the checkout page and returns the events that follow. */
async function pay(url: string | undefined): Promise<Stripe.Event[]> {
  stripe.events.length = 0
  await press(url ?? null, 'pay')
  return [...stripe.events]
}

const subscribe = async (user: User, plan = 'starter') => pay((await user.post('/checkout', { plan })).body.url)

/** A paid top-up page of the user whose event is not delivered yet. */
async function topUp(user: User, amountCents: number): Promise<Stripe.Event> {
  const { payments, checkouts, ids } = world.ports
  const checkoutId = ids.next('chk')
  const at = new Date().toISOString()
  const record = { id: checkoutId, userId: user.id, kind: 'topup', plan: null, sessionId: null, createdAt: at } as const
  await checkouts.create({ ...record, amountMicros: amountCents * 10_000, state: 'pending' })
  const customerId = await payments.customer({ ...user, customerId: null })
  const page = await payments.topUpPage({ userId: user.id, email: user.email, customerId, checkoutId, amountCents })
  await checkouts.setSession(user.id, checkoutId, page.sessionId)
  return eventOf(await pay(page.url), 'checkout.session.completed')
}

function eventOf(events: Stripe.Event[], type: string): Stripe.Event {
  const found = events.find((event) => event.type === type)
  if (!found) throw new Error(`no ${type} among ${events.map((event) => event.type)}`)
  return found
}

const balance = async (user: User) => (await world.ports.wallets.read(user.id)).available
/** The same event some time later, with a changed object. */
const later = (event: Stripe.Event, type: string, seconds: number, change: object = {}) => ({
  ...event,
  id: `${event.id}${seconds}`,
  type,
  created: event.created + seconds,
  data: { object: { ...event.data.object, ...change } },
})

describe('createSubscriptionCheckout', () => {
  test('returns a page; after payment the machine runs and the month’s credit is booked once', async () => {
    const user = await world.user()
    const answer = await user.post('/checkout', { plan: 'pro' })
    expect(answer).toMatchObject({ status: 200, body: { id: expect.stringMatching(/^chk_/), url: expect.any(String) } })
    const events = await pay(answer.body.url)
    for (const event of [...events, ...events]) expect(await deliver(event)).toEqual(taken)
    expect(await user.reaches('running', 1)).toMatchObject({ plan: 'pro' })
    expect(await balance(user)).toBe(10_000_000)
    expect(await world.ports.users.find(user.id)).toMatchObject({ subscription: { status: 'active', plan: 'pro' } })
    const types = (await user.events()).map(({ type }) => type)
    expect(types.filter((type) => type === 'wallet.credited')).toHaveLength(1)
    expect(types.filter((type) => type === 'subscription.changed')).toHaveLength(1)
    expect(await user.post('/checkout', { plan: 'starter' })).toMatchObject({
      status: 409,
      body: { error: 'conflict' },
    })
  })

  test.each([
    [{ plan: 'huge' }, 400, 'validation'],
    [{}, 400, 'validation'],
    [{ plan: 'pro', price: 1 }, 400, 'validation'],
  ])('answers %j with %i %s', async (body, status, error) => {
    expect(await (await world.user()).post('/checkout', body)).toMatchObject({ status, body: { error } })
  })

  test('requires a token that may write to the wallet', async () => {
    const user = await world.user()
    const reader = await user.mint(['mcp:wallet.read'])
    expect(await user.post('/checkout', { plan: 'pro' }, reader)).toMatchObject({ status: 403 })
    expect(await user.post('/checkout', { plan: 'pro' }, 'oss_nonsense')).toMatchObject({ status: 401 })
  })
})

describe('stripeWebhook', () => {
  test('rejects events that Stripe did not sign and accepts unknown event types', async () => {
    const event = { id: 'evt_1', object: 'event', type: 'ping', created: 1, data: { object: {} } }
    expect(await deliver(event, 'whsec_of_another')).toMatchObject({ status: 400, body: { error: 'validation' } })
    expect(await world.request('/webhooks/stripe', '{}', {})).toMatchObject({ status: 400 })
    expect(await deliver(event)).toEqual(taken)
  })

  test('credits a top-up once, by our own record, however often and concurrently its event arrives (opencode #28403)', async () => {
    const user = await world.user()
    const event = await topUp(user, 1_234)
    const inflated = later(event, event.type, 0, { amount_total: 99_999_999 })
    const answers = await Promise.all([event, event, inflated, event].map((each) => deliver(each)))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(await deliver(later(event, 'checkout.session.async_payment_succeeded', 5))).toEqual(taken)
    expect(await balance(user)).toBe(12_340_000)
    expect((await user.events()).map(({ type }) => type)).toEqual(['wallet.credited'])
  })

  test('credits nothing for another user’s record, another page or a missing record', async () => {
    const [user, stranger] = [await world.user(), await world.user()]
    const event = await topUp(user, 500)
    const { metadata } = event.data.object as Stripe.Checkout.Session // safe because the event's type says so
    for (const change of [
      { metadata: { ...metadata, userId: stranger.id } },
      { metadata: { ...metadata, checkoutId: 'chk_01KAHB2N3P4Q5R6S7T8V9WXYZ0' } },
      { id: 'cs_test_another' },
    ])
      expect(await deliver(later(event, event.type, 0, change))).toEqual(taken)
    expect([await balance(user), await balance(stranger)]).toEqual([0, 0])
    await deliver(event)
    expect(await balance(user)).toBe(5_000_000)
  })

  test('stops the machine when its subscription ends, until a new payment', async () => {
    const user = await world.user()
    const events = await subscribe(user)
    for (const event of events) await deliver(event)
    await user.reaches('running', 1)
    const created = eventOf(events, 'customer.subscription.created')
    const ended = later(created, 'customer.subscription.deleted', 60, { status: 'canceled' })
    expect(await deliver(ended)).toEqual(taken)
    expect(await user.reaches('paused')).toMatchObject({ reason: 'billing', desiredState: 'paused' })
    expect(await deliver(created)).toEqual(taken)
    expect(await world.ports.users.find(user.id)).toMatchObject({ subscription: { status: 'canceled' } })
    expect(await user.instance()).toMatchObject({ state: 'paused' })
    const again = await subscribe(user, 'pro')
    for (const event of again) await deliver(later(event, event.type, 120))
    expect(await user.reaches('running', 2)).toMatchObject({ plan: 'pro' })
  })

  test('keeps the machine running when a second subscription ends but the first still pays for it', async () => {
    const user = await world.user()
    const pages = [await user.post('/checkout', { plan: 'starter' }), await user.post('/checkout', { plan: 'pro' })]
    const [first, second] = [await pay(pages[0]?.body.url), await pay(pages[1]?.body.url)]
    for (const event of [...second, ...first]) await deliver(later(event, event.type, event === first[0] ? 1 : 0))
    await user.reaches('running', 1)
    const { subscriptionId } = (await world.ports.users.find(user.id)) ?? {}
    const other = [first, second]
      .map((events) => eventOf(events, 'customer.subscription.created'))
      .find(({ data }) => 'id' in data.object && data.object.id !== subscriptionId)
    if (!other) throw new Error('there is one subscription only')
    expect(await deliver(later(other, 'customer.subscription.deleted', 300, { status: 'canceled' }))).toEqual(taken)
    expect(await world.ports.users.find(user.id)).toMatchObject({ subscription: { status: 'active' }, subscriptionId })
    await world.idle()
    expect(await user.instance()).toMatchObject({ state: 'running' })
  })

  test('answers a delivery that fails half-way with an error, and the next delivery completes it', async () => {
    const user = await world.user()
    const created = eventOf(await subscribe(user), 'customer.subscription.created')
    crashBeforePublish = true
    expect(await deliver(created)).toMatchObject({ status: 500, body: { error: 'internal' } })
    await world.idle()
    expect(await user.instance()).toMatchObject({ state: 'provisioning', taskArn: null })
    expect(await deliver(created)).toEqual(taken)
    await user.reaches('running', 1)
  })

  test('ignores events about users of other services', async () => {
    const created = eventOf(await subscribe(await world.user()), 'customer.subscription.created')
    const metadata = { userId: 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }
    expect(await deliver(later(created, created.type, 0, { metadata }))).toEqual(taken)
    expect(await world.ports.instances.find(metadata.userId)).toBeNull()
  })
})
