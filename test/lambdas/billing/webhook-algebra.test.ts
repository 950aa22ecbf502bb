import type { PaymentEvent, ProviderPayment } from '../../../domain/billing/payment-event.ts'
import { dayMs } from '../../../domain/time.ts'
import { full, most } from '../../counts.ts'
import { startMs as start } from '../../world.ts'
import { type Billing, killAt, openBilling, orders } from './billing-world.ts'

let world: Billing
beforeAll(async () => {
  world = await openBilling()
})
afterAll(() => world.close())

/** Stripe's events for one top-up of $10: paid, $3 refunded, the rest disputed, the dispute won, $2 more refunded. */
async function topUpStory() {
  const userId = await world.user()
  const checkoutId = await world.topUp(userId, 1_000)
  const eventId = `evt_${checkoutId}`
  const paymentId = `pi_${checkoutId}`
  const refund = (n: number, amountCents: number) => ({
    id: `re_${n}_${checkoutId}`,
    amountCents,
    state: 'done' as const,
  })
  const dispute = (state: 'open' | 'won') => ({ id: `du_${checkoutId}`, amountCents: 700, state })
  const changed = (refunds: ProviderPayment['refunds'], disputes: ProviderPayment['disputes']): PaymentEvent => ({
    kind: 'payment-changed',
    eventId,
    createdSeconds: 1,
    userId,
    paymentId,
    credited: { checkoutId },
    chargedCents: 1_000,
    refunds,
    disputes,
    fraudWarning: false,
  })
  const events: PaymentEvent[] = [
    { kind: 'topup-paid', eventId, userId, checkoutId, sessionId: `cs_${checkoutId}`, paymentId },
    changed([refund(1, 300)], []),
    changed([refund(1, 300)], [dispute('open')]),
    changed([refund(1, 300)], [dispute('won')]),
    changed([refund(1, 300), refund(2, 200)], [dispute('won')]),
  ]
  return { userId, events }
}

/** The top-up is credited once, each refund taken once, and the dispute's amount returned if it was taken. */
async function expectTopUpRight(userId: string) {
  const { wallet, lines } = await world.books(userId)
  expect([wallet.available, wallet.owed]).toEqual([5_000_000, 0])
  const count = (line: string) => lines.filter((entry) => entry === line).length
  expect([count('topup 1000'), count('refund -300'), count('refund -200')]).toEqual([1, 1, 1])
  const disputed = lines.filter((line) => line.startsWith('dispute')).map((line) => Number(line.split(' ')[1]))
  expect(disputed.reduce((sum, cents) => sum + cents, 0)).toBe(0)
  expect([3, 5]).toContain(lines.length)
}

/** Stripe's events for one subscription: created, first month paid, set to end, second month paid, ended. */
async function subscriptionStory() {
  const userId = await world.user()
  const subscriptionId = `sub_${userId}`
  const seen = (status: 'active' | 'canceled', cancelAtPeriodEnd: boolean) => ({
    userId,
    subscriptionId,
    customerId: 'cus_1',
    checkoutId: null,
    boughtSeconds: 100,
    givenUp: false,
    subscription: { status, plan: 'starter' as const, currentPeriodEnd: '2027-01-20T12:00:00.000Z', cancelAtPeriodEnd },
  })
  world.provider.subscriptions.set(subscriptionId, seen('canceled', true))
  const changed = (deleted: boolean, createdSeconds: number, state: ReturnType<typeof seen>): PaymentEvent => ({
    kind: 'subscription-changed',
    eventId: `evt_${createdSeconds}`,
    createdSeconds,
    deleted,
    ...state,
  })
  const paid = (month: number): PaymentEvent => ({
    kind: 'period-paid',
    eventId: `evt_paid${month}`,
    userId,
    subscriptionId,
    checkoutId: null,
    plan: 'starter',
    periodStart: `2026-${month}-20T12:00:00.000Z`,
    createdSeconds: month,
  })
  const events = [
    changed(false, 100, seen('active', false)),
    paid(11),
    changed(false, 200, seen('active', true)),
    paid(12),
    changed(true, 300, seen('canceled', true)),
  ]
  return { userId, events }
}

async function expectSubscriptionRight(userId: string) {
  const { lines } = await world.books(userId)
  expect(lines).toEqual(['subscription_credit 200', 'subscription_credit 200'])
  const user = await world.deps.users.find(userId)
  expect(user === null || user.subscriptionId === null || user.subscription.status === 'canceled').toBe(true)
  const instance = await world.deps.instances.find(userId)
  expect(instance === null || instance.desiredState === 'paused').toBe(true)
}

/** Stripe's events for a subscription's first month: created, paid, half refunded, fully refunded, fraud warning. */
async function monthStory() {
  const userId = await world.user()
  const subscriptionId = `sub_${userId}`
  const period = {
    userId,
    subscriptionId,
    checkoutId: null,
    plan: 'starter' as const,
    periodStart: '2026-11-20T12:00:00.000Z',
  }
  const seen = {
    userId,
    subscriptionId,
    customerId: 'cus_1',
    checkoutId: null,
    boughtSeconds: 100,
    givenUp: false,
    subscription: {
      status: 'active' as const,
      plan: 'starter' as const,
      currentPeriodEnd: '2026-12-20T12:00:00.000Z',
      cancelAtPeriodEnd: false,
    },
  }
  world.provider.subscriptions.set(subscriptionId, seen)
  const eventId = `evt_${userId}`
  const changed = (refunds: ProviderPayment['refunds'], fraudWarning = false): PaymentEvent => ({
    kind: 'payment-changed',
    eventId,
    createdSeconds: 200,
    userId,
    paymentId: `pi_${userId}`,
    credited: { period },
    chargedCents: 1_200,
    refunds,
    disputes: [],
    fraudWarning,
  })
  const refund = (n: number) => ({ id: `re_${n}_${userId}`, amountCents: 600, state: 'done' as const })
  const events: PaymentEvent[] = [
    { kind: 'subscription-changed', eventId, createdSeconds: 100, deleted: false, ...seen },
    { kind: 'period-paid', eventId, createdSeconds: 100, ...period },
    changed([refund(1)]),
    changed([refund(1), refund(2)]),
    changed([refund(1), refund(2)], true),
  ]
  return { userId, events }
}

/** The month's credit was added once and fully taken back, in any order of events. */
async function expectMonthRight(userId: string) {
  const { wallet, lines } = await world.books(userId)
  expect([wallet.available, wallet.owed]).toEqual([0, 0])
  expect(lines).toEqual(['refund -100', 'refund -100', 'subscription_credit 200'])
}

/** Delivers like the provider: again until the delivery is accepted. */
async function deliver(event: PaymentEvent, nowMs?: number) {
  for (let tries = 0; tries < 20; tries++) {
    const taken = await world.apply(event, nowMs).then(
      () => true,
      () => false,
    )
    if (taken) return
  }
  throw new Error(`${event.kind} was never taken`)
}

const stories = [
  ['a top-up', topUpStory, expectTopUpRight],
  ['a subscription', subscriptionStory, expectSubscriptionRight],
  ['a refunded month', monthStory, expectMonthRight],
] as const

/** All 120 orders each night, every third in the full tier; otherwise five, so that every event is first once. */
const every = full ? most(1, 3) : 29
const wanted = orders([0, 1, 2, 3, 4]).filter((_, index) => index % every === 0)
const pick = (events: PaymentEvent[], order: number[]) => order.flatMap((index) => events[index] ?? [])

describe.each(stories)('the events of %s', (_, story, expectRight) => {
  test('have the same result in every order, each delivered twice, and all again three days later', async () => {
    expect(wanted.length).toBe(Math.ceil(120 / every))
    for (const order of wanted) {
      const { userId, events } = await story()
      for (const event of pick(events, order)) for (let twice = 0; twice < 2; twice++) await deliver(event)
      await expectRight(userId)
      const before = await world.books(userId)
      for (const event of pick(events, order.toReversed())) await deliver(event, start + 3 * dayMs)
      expect((await world.books(userId)).lines).toEqual(before.lines)
    }
  }, 600_000)

  test('have the same result with two concurrent workers that both get all of them', async () => {
    for (const order of wanted) {
      const { userId, events } = await story()
      const worker = async (mine: PaymentEvent[]) => {
        for (const event of mine) await deliver(event)
      }
      await Promise.all([worker(pick(events, order)), worker(pick(events, order.toReversed()))])
      await Promise.all(events.map((event) => deliver(event)))
      await expectRight(userId)
    }
  }, 600_000)

  test('have the same result with the worker killed right before and right after each write', async () => {
    let killed = 0
    const tried = wanted.filter((_, index) => index % (full ? 3 : 5) === 0)
    for (const [index, order] of tried.entries()) {
      for (let nth = 0; nth < 40; nth += full ? 1 : 3) {
        const { userId, events } = await story()
        const off = killAt(nth, (index + nth) % 2 === 0 ? 'before' : 'after')
        for (const event of pick(events, order)) await deliver(event)
        if (!off()) break
        killed++
        await expectRight(userId)
      }
    }
    expect(killed).toBeGreaterThan((full ? 3 : 1) * tried.length)
  }, 600_000)
})
