import { deleteAccount } from '../../../app/account/erase.ts'
import { openSession } from '../../../app/account/sign-in.ts'
import { runAutoTopup } from '../../../app/billing/auto-topup.ts'
import { openTopUp } from '../../../app/billing/checkout.ts'
import { sweepOutbox } from '../../../app/follow-ups/sweep.ts'
import { outboxOf, unaudited } from '../../../app/outbox/outbox.ts'
import type { PaymentEvent, ProviderPayment, ProviderSubscription } from '../../../domain/billing/payment-event.ts'
import { minuteMs } from '../../../domain/time.ts'
import { newAutoTopup } from '../../../domain/wallet/auto-topup.ts'
import { startMs as now } from '../../world.ts'
import { type Billing, openBilling } from './billing-world.ts'

let world: Billing
beforeAll(async () => {
  world = await openBilling()
})
beforeEach(() => {
  world.provider.asked.length = 0
  world.mails.length = 0
})
afterAll(() => world.close())

const userOf = async (userId: string) => {
  const user = await world.deps.users.find(userId)
  if (!user) throw new Error('no such user')
  return user
}

async function close(userId: string): Promise<void> {
  await deleteAccount(world.deps, await userOf(userId), now, (_record, followUps = []) =>
    outboxOf(world.deps, userId, followUps),
  )
}
const sweep = () => sweepOutbox(world.deps, now + 2 * minuteMs)

/** A paid subscription and its first event. */
async function subscription(userId: string, n = 1) {
  const seen: ProviderSubscription = {
    userId,
    subscriptionId: `sub_${n}_${userId}`,
    customerId: 'cus_1',
    checkoutId: null,
    boughtSeconds: n,
    givenUp: false,
    subscription: {
      status: 'active',
      plan: 'starter',
      currentPeriodEnd: '2026-12-20T12:00:00.000Z',
      cancelAtPeriodEnd: false,
    },
  }
  world.provider.subscriptions.set(seen.subscriptionId, seen)
  const changed: PaymentEvent = {
    kind: 'subscription-changed',
    eventId: `evt_${n}`,
    createdSeconds: n,
    deleted: false,
    ...seen,
  }
  const period = {
    userId,
    subscriptionId: seen.subscriptionId,
    checkoutId: null,
    plan: 'starter',
    periodStart: '2026-11-20T12:00:00.000Z',
  } as const
  return {
    changed,
    paid: { kind: 'period-paid', eventId: `evt_paid_${n}`, createdSeconds: n, ...period } as const,
    period,
  }
}

const lowWallet = async (userId: string) => {
  const settings = { enabled: true, thresholdCents: 1_000, amountCents: 1_000, monthlyCapCents: 5_000 }
  await world.deps.wallets.open(userId)
  await world.deps.wallets.saveAutoTopup(userId, newAutoTopup(settings))
}

describe('a closed account', () => {
  test('gets no automatic top-up, and a top-up that was started is not charged', async () => {
    const userId = await world.user()
    await lowWallet(userId)
    const charged: string[] = []
    Object.assign(world.payments, {
      draftCharge: async () => void charged.push('draft'),
      payCharge: async () => {
        throw new Error('the function was killed')
      },
    })
    await close(userId)
    await runAutoTopup(world.deps, userId, now)
    expect(charged).toEqual([])

    const begun = await world.user()
    await lowWallet(begun)
    Object.assign(world.payments, { draftCharge: async () => 'in_1' })
    await expect(runAutoTopup(world.deps, begun, now)).rejects.toThrow('killed')
    await close(begun)
    Object.assign(world.payments, { payCharge: async () => void charged.push('paid') })
    await runAutoTopup(world.deps, begun, now)
    expect(charged).toEqual([])
    expect(await world.deps.wallets.autoTopup(begun)).toMatchObject({ pending: {}, declines: 0 })
    expect((await world.books(begun)).lines).toEqual([])
  })

  test('can buy nothing, and its machine gets no hold', async () => {
    const userId = await world.user()
    await world.deps.wallets.creditOnce(userId, 'gift', 5_000_000, 'adjustment', 'A gift', '2026-11-20T12:00:00.000Z')
    await close(userId)
    await expect(openTopUp(world.deps, userId, 1_000, now, unaudited)).rejects.toMatchObject({ code: 'conflict' })
    expect((await world.deps.wallets.read(userId)).frozen).not.toBeNull()
  })

  test('starts nothing when its subscription’s event arrives late: the payment is refunded', async () => {
    const userId = await world.user()
    const { changed, paid } = await subscription(userId)
    await close(userId)
    for (const event of [changed, paid, changed]) await world.apply(event)
    expect(new Set(world.provider.asked)).toEqual(new Set([`undo sub_1_${userId}`]))
    expect(await world.deps.instances.find(userId)).toBeNull()
    expect((await world.books(userId)).lines).toEqual([])
  })

  test('keeps its subscription until the period ends, with the machine off and the credited month in the books', async () => {
    const userId = await world.user()
    const { changed, paid } = await subscription(userId)
    await world.apply(changed)
    await world.apply(paid)
    await close(userId)
    await sweep()
    expect(world.provider.asked).toEqual([`cancel sub_1_${userId}`])
    for (const event of [changed, paid]) await world.apply(event)
    expect(world.provider.asked).toEqual([`cancel sub_1_${userId}`])
    expect(await world.deps.instances.find(userId)).toMatchObject({ desiredState: 'paused', reason: 'billing' })
    // The provider charged this month before it knew of the cancellation, so the month is refunded and the subscription
    // ends.
    await world.apply({ ...paid, periodStart: '2026-12-20T12:00:00.000Z' })
    expect(world.provider.asked.at(-1)).toBe(`undo sub_1_${userId}`)
    expect((await world.books(userId)).lines).toEqual(['subscription_credit 200'])
  })

  test('refunds a top-up that is paid late, once, and notifies its owner', async () => {
    const userId = await world.user()
    const checkoutId = await world.topUp(userId, 1_000)
    await close(userId)
    world.mails.length = 0
    const paid = {
      kind: 'topup-paid',
      eventId: 'evt_1',
      userId,
      checkoutId,
      sessionId: `cs_${checkoutId}`,
      paymentId: 'pi_1',
    } as const
    for (let twice = 0; twice < 2; twice++) await world.apply(paid)
    expect(new Set(world.provider.asked)).toEqual(new Set(['refund pi_1']))
    expect(world.mails).toHaveLength(1)
    expect((await world.books(userId)).lines).toEqual([])
  })

  test('keeps the ledger entries of a disputed payment and does not also refund it', async () => {
    const userId = await world.user()
    const checkoutId = await world.topUp(userId, 1_000)
    await close(userId)
    const disputes: ProviderPayment['disputes'] = [{ id: 'du_1', amountCents: 1_000, state: 'open' }]
    const payment = {
      eventId: 'evt_1',
      createdSeconds: 1,
      userId,
      paymentId: 'pi_2',
      credited: { checkoutId },
      chargedCents: 1_000,
    }
    await world.apply({ kind: 'payment-changed', ...payment, refunds: [], disputes, fraudWarning: false })
    await world.apply({
      kind: 'topup-paid',
      eventId: 'evt_2',
      userId,
      checkoutId,
      sessionId: `cs_${checkoutId}`,
      paymentId: 'pi_2',
    })
    expect(world.provider.asked).toEqual([])
    expect((await world.books(userId)).lines).toEqual(['dispute -1000', 'topup 1000'])
  })

  test('is deleted despite an outage of the provider, and its subscription is canceled once the provider answers', async () => {
    const userId = await world.user()
    const { changed } = await subscription(userId)
    await world.apply(changed)
    await lowWallet(userId)
    const { cancelSubscription } = world.payments
    Object.assign(world.payments, { cancelSubscription: () => Promise.reject(new Error('no answer')) })
    await close(userId)
    expect((await userOf(userId)).eraseAt).not.toBeNull()
    await expect(sweep()).rejects.toThrow('no answer')
    expect((await world.deps.wallets.autoTopup(userId))?.settings.enabled).toBe(false)
    Object.assign(world.payments, { cancelSubscription })
    await sweepOutbox(world.deps, now + 10 * minuteMs)
    expect(world.provider.asked).toEqual([`cancel sub_1_${userId}`])
  })

  test('gets its wallet and machine back when its user signs in in time', async () => {
    const userId = await world.user()
    const { changed } = await subscription(userId)
    await world.apply(changed)
    await close(userId)
    await openSession(world.deps, await userOf(userId), 'a test', now)
    expect((await world.deps.wallets.read(userId)).frozen).toBeNull()
    expect(await world.deps.instances.find(userId)).toMatchObject({ desiredState: 'running' })
    await sweep()
    expect(world.provider.asked).toEqual([])
  })

  test('keeps a fraud warning from its closed time after its user restores it', async () => {
    const userId = await world.user()
    await close(userId)
    expect(await world.deps.wallets.freeze(userId, 'fraud warning', now)).toBe(true)
    await openSession(world.deps, await userOf(userId), 'a test', now)
    expect((await world.deps.wallets.read(userId)).frozen).toBe('fraud warning')
  })

  test('keeps the files for the grace period when its subscription ended before its user restores it', async () => {
    const userId = await world.user()
    const { changed } = await subscription(userId)
    await world.apply(changed)
    await close(userId)
    const over = { ...world.provider.subscriptions.get(`sub_1_${userId}`) } as ProviderSubscription
    const canceled = { ...over, subscription: { ...over.subscription, status: 'canceled' as const } }
    world.provider.subscriptions.set(over.subscriptionId, canceled)
    await world.apply({ kind: 'subscription-changed', eventId: 'evt_9', createdSeconds: 9, deleted: true, ...canceled })
    expect(await world.deps.gracePeriods.find(userId)).toBeNull()
    await openSession(world.deps, await userOf(userId), 'a test', now)
    expect(await world.deps.gracePeriods.find(userId)).toMatchObject({ subscriptionId: over.subscriptionId })
    expect(await world.deps.instances.find(userId)).toMatchObject({ desiredState: 'paused' })
  })

  test('keeps an earlier fraud warning through closing and restoring', async () => {
    const userId = await world.user()
    await world.deps.wallets.freeze(userId, 'fraud warning', now)
    await close(userId)
    await openSession(world.deps, await userOf(userId), 'a test', now)
    expect((await world.deps.wallets.read(userId)).frozen).toBe('fraud warning')
  })
})
