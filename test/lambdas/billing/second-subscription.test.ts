import { newCheckout } from '../../../domain/billing/checkout.ts'
import type { PaidPeriod, PaymentEvent, ProviderSubscription } from '../../../domain/billing/payment-event.ts'
import { cases } from '../../counts.ts'
import { startMs as start } from '../../world.ts'
import { type Billing, openBilling, orders } from './billing-world.ts'

let world: Billing
beforeAll(async () => {
  world = await openBilling()
})
afterAll(() => world.close())
beforeEach(() => {
  world.provider.asked.length = 0
  world.mails.length = 0
})

/**
 * A user's two subscriptions, both paid within one second. `second` is the state of the second subscription at the
 * provider.
 */
async function twoPaid(second: 'active' | 'canceled', { boughtHere = true } = {}) {
  const userId = await world.user()
  const bought = async (n: number, status: 'active' | 'canceled') => {
    const checkoutId = n === 1 || boughtHere ? world.nextId('chk') : null
    if (checkoutId !== null)
      await world.deps.checkouts.create(
        newCheckout(checkoutId, { userId, kind: 'subscription', amountMicros: 0, plan: 'starter' }, start),
      )
    const subscriptionId = `sub_${n}_${userId}`
    const seen: ProviderSubscription = {
      userId,
      subscriptionId,
      customerId: 'cus_1',
      checkoutId,
      boughtSeconds: 100,
      givenUp: false,
      subscription: {
        status,
        plan: 'starter',
        currentPeriodEnd: '2026-12-20T12:00:00.000Z',
        cancelAtPeriodEnd: false,
      },
    }
    world.provider.subscriptions.set(subscriptionId, seen)
    const period: PaidPeriod = {
      userId,
      subscriptionId,
      checkoutId,
      plan: 'starter',
      periodStart: '2026-11-20T12:00:00.000Z',
    }
    return { seen, period }
  }
  const older = await bought(1, 'active')
  const newer = await bought(2, second)
  world.payments.undoSubscription = async (id) => {
    world.provider.asked.push(`undo ${id}`)
    const seen = world.provider.subscriptions.get(id)
    if (seen)
      world.provider.subscriptions.set(id, { ...seen, subscription: { ...seen.subscription, status: 'canceled' } })
  }
  const of = (which: typeof older) => {
    const eventId = `evt_${which.period.subscriptionId}`
    const paymentId = `pi_${which.period.subscriptionId}`
    const dispute = { id: `du_${which.period.subscriptionId}`, amountCents: 1_200, state: 'open' as const }
    return {
      created: { kind: 'subscription-changed', eventId, createdSeconds: 100, deleted: false, ...which.seen },
      paid: { kind: 'period-paid', eventId, createdSeconds: 100, ...which.period },
      disputed: {
        kind: 'payment-changed',
        eventId,
        createdSeconds: 101,
        userId,
        paymentId,
        credited: { period: which.period },
        chargedCents: 1_200,
        refunds: [],
        disputes: [dispute],
        fraudWarning: false,
      },
    } satisfies Record<string, PaymentEvent>
  }
  return { userId, first: of(older), second: of(newer), secondId: newer.period.subscriptionId }
}

const oneMonth = async (userId: string) => {
  const { wallet, lines } = await world.books(userId)
  expect([wallet.available, wallet.owed]).toEqual([2_000_000, 0])
  return lines
}

describe('a second subscription', () => {
  test('with a dispute as its first event is canceled and refunded, and the first subscription keeps its month', async () => {
    const { userId, first, second, secondId } = await twoPaid('active')
    for (const event of [first.created, first.paid, second.disputed, second.disputed]) await world.apply(event)
    expect(await oneMonth(userId)).toEqual(['subscription_credit 200'])
    expect(new Set(world.provider.asked)).toEqual(new Set([`undo ${secondId}`]))
    expect(world.mails.map(({ subject }) => subject)).toEqual(['Your second subscription was cancelled and refunded'])
    for (const event of [second.created, second.paid, second.disputed]) await world.apply(event)
    expect(await oneMonth(userId)).toEqual(['subscription_credit 200'])
    expect(world.mails).toHaveLength(1)
  })

  // https://github.com/gitpod-io/gitpod/issues/16524 and https://github.com/laravel/cashier-stripe/issues/1604
  test.each(['active', 'canceled'] as const)(
    'that is %s and was not bought on our page is refunded with one e-mail',
    async (state) => {
      const { userId, first, second, secondId } = await twoPaid(state, { boughtHere: false })
      for (const event of [first.created, first.paid, second.created, second.paid, second.created, second.disputed])
        await world.apply(event)
      expect(await oneMonth(userId)).toEqual(['subscription_credit 200'])
      expect(new Set(world.provider.asked)).toEqual(new Set([`undo ${secondId}`]))
      expect(world.mails.map(({ subject }) => subject)).toEqual(['Your second subscription was cancelled and refunded'])
    },
  )

  // https://github.com/DevBetterCom/DevBetterWeb/issues/406 and https://github.com/adcontextprotocol/adcp/issues/3184
  test.each([true, false])('ends without changing the first one; bought on our page: %s', async (boughtHere) => {
    const { userId, first, second } = await twoPaid('active', { boughtHere })
    for (const event of [first.created, first.paid, second.created, second.paid]) await world.apply(event)
    const ended = { ...second.created, eventId: 'evt_ended', createdSeconds: 200, deleted: true }
    const { subscription } = second.created
    const gone: PaymentEvent = { ...ended, subscription: { ...subscription, status: 'canceled' } }
    for (const event of [gone, gone, second.created]) await world.apply(event)
    expect(await world.deps.users.find(userId)).toMatchObject({
      subscriptionId: first.paid.subscriptionId,
      subscription: { status: 'active', plan: 'starter' },
    })
    expect(await oneMonth(userId)).toEqual(['subscription_credit 200'])
    expect(world.mails.map(({ subject }) => subject)).toEqual(['Your second subscription was cancelled and refunded'])
  })

  test('that its bank’s dispute ended before its first event is rejected as well', async () => {
    for (const which of ['disputed', 'paid', 'created'] as const) {
      const { userId, first, second } = await twoPaid('canceled')
      for (const event of [first.created, first.paid, second[which], second.disputed, second.paid])
        await world.apply(event)
      expect(await oneMonth(userId)).toEqual(['subscription_credit 200'])
    }
  })

  test.each(['active', 'canceled'] as const)(
    'that is %s leaves one month’s credit in every order of events',
    async (state) => {
      const every = Math.max(1, Math.floor(120 / cases(120)))
      for (const order of orders([0, 1, 2, 3, 4]).filter((_, index) => index % every === 0)) {
        const { userId, first, second } = await twoPaid(state)
        const events = [first.created, first.paid, second.created, second.paid, second.disputed]
        for (const index of order) await world.apply(events[index] ?? first.created)
        for (const event of events) await world.apply(event)
        if (state === 'canceled') await oneMonth(userId)
        else {
          // The user keeps the subscription whose event arrives first: one month's credit at most, and none when that
          // subscription is disputed.
          const { subscriptionId } = (await world.deps.users.find(userId)) ?? {}
          const { wallet } = await world.books(userId)
          expect([wallet.available, wallet.owed]).toEqual([
            subscriptionId === first.paid.subscriptionId ? 2_000_000 : 0,
            0,
          ])
        }
      }
    },
  )

  test('that ended before the live one was bought does not count as second: its late invoice still includes a month’s credit', async () => {
    const { userId, first, second } = await twoPaid('canceled')
    const { seen } = { seen: world.provider.subscriptions.get(first.paid.subscriptionId) }
    if (!seen) throw new Error('the provider forgot it')
    world.provider.subscriptions.set(seen.subscriptionId, { ...seen, boughtSeconds: 500 })
    for (const event of [first.created, first.paid, second.paid]) await world.apply(event)
    const { lines } = await world.books(userId)
    expect(lines).toEqual(['subscription_credit 200', 'subscription_credit 200'])
  })
})
