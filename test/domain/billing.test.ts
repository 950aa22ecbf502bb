import fc from 'fast-check'
import { decideGraceStep, graceDays, newGracePeriod, warnOnDays } from '../../domain/billing/grace-period.ts'
import type { ProviderPayment } from '../../domain/billing/payment-event.ts'
import { stepsOf } from '../../domain/billing/payment-steps.ts'
import { plans } from '../../domain/billing/plans.ts'
import { reversalsOf, shareOf } from '../../domain/billing/reversals.ts'
import {
  decidePlanChange,
  decideSubscriptionEvent,
  noSubscription,
  type Subscription,
} from '../../domain/billing/subscription.ts'
import { checkDayLimit, dayLimit, newAccountLimitMicros } from '../../domain/billing/top-up.ts'
import { dayMs, iso } from '../../domain/time.ts'
import { seeded } from '../counts.ts'

const now = Date.parse('2026-11-20T12:00:00.000Z')
const live = (change: Partial<Subscription> = {}): Subscription => ({
  status: 'active',
  plan: 'starter',
  currentPeriodEnd: iso(now + 10 * dayMs),
  cancelAtPeriodEnd: false,
  ...change,
})

test('larger plans cost more', () => {
  for (const [index, plan] of plans.entries()) {
    const next = plans[index + 1]
    if (!next) continue
    expect(next.priceCents).toBeGreaterThan(plan.priceCents)
    expect(next.includedMicros).toBeGreaterThan(plan.includedMicros)
    for (const size of ['cpu', 'memoryMiB', 'storageGiB'] as const)
      expect(next.machine[size]).toBeGreaterThan(plan.machine[size])
  }
})

describe('a changed payment', () => {
  const payment = {
    userId: 'usr_1',
    paymentId: 'pi_1',
    chargedCents: 900,
    refunds: [],
    disputes: [],
    fraudWarning: false,
  }
  const period = {
    userId: 'usr_1',
    subscriptionId: 'sub_1',
    checkoutId: null,
    plan: 'starter',
    periodStart: iso(now),
  } as const
  const stepsAfter = (change: Partial<ProviderPayment>) =>
    stepsOf({
      kind: 'payment-changed',
      eventId: 'evt_1',
      createdSeconds: 7,
      ...payment,
      credited: { checkoutId: 'chk_1' },
      ...change,
    }).map((step) => step.do)

  test('is credited before it is reversed', () => {
    expect(stepsAfter({})).toEqual(['credit-missed-top-up', 'reverse'])
    expect(stepsAfter({ credited: { period } })).toEqual(['credit-period', 'reverse'])
  })

  test('freezes the wallet first after a warning of fraud', () => {
    expect(stepsAfter({ fraudWarning: true })[0]).toBe('freeze-for-fraud')
  })
})

describe('a change of plan', () => {
  test.each([
    ['starter', 'pro', 'now'],
    ['pro', 'starter', 'later'],
    ['pro', 'pro', 'stay'],
  ] as const)('from %s to %s: %s', (plan, to, when) => {
    expect(decidePlanChange(live({ plan }), to)).toBe(when)
  })

  test.each([
    ['without a subscription', noSubscription],
    ['after its end', live({ status: 'canceled' })],
    ['while a payment is due', live({ status: 'past_due' })],
    ['when it ends with its period', live({ cancelAtPeriodEnd: true })],
  ])('is a conflict %s', (_, subscription) => {
    expect(() => decidePlanChange(subscription, 'pro')).toThrow(expect.objectContaining({ code: 'conflict' }))
  })
})

describe('an event about a subscription', () => {
  const user = { subscription: live(), subscriptionId: 'sub_1', subscriptionAsOf: 100 }
  test.each([
    ['that is newer', { createdSeconds: 101 }, 'apply'],
    ['of the same second', { createdSeconds: 100 }, 'fetch'],
    ['that is older', { createdSeconds: 99 }, 'ignore'],
    ['that is older but reports the end', { createdSeconds: 99, deleted: true }, 'apply'],
    ['of another subscription that is live', { createdSeconds: 500, subscriptionId: 'sub_2' }, 'fetch'],
    [
      'of another subscription that ended',
      { subscriptionId: 'sub_2', subscription: live({ status: 'canceled' }) },
      'ignore',
    ],
  ] as const)('%s', (_, change, step) => {
    const event = { subscription: live(), subscriptionId: 'sub_1', createdSeconds: 101, deleted: false, ...change }
    expect(decideSubscriptionEvent(user, event)).toBe(step)
  })
})

describe('the files of an ended subscription', () => {
  test('get three warnings and are deleted on the thirtieth day', () => {
    let grace = newGracePeriod('usr_1', 'sub_1', now)
    const done: string[] = []
    for (let hour = 0; hour <= 31 * 24; hour++) {
      const step = decideGraceStep(grace, now + hour * (dayMs / 24))
      if (step.do === 'delete') {
        done.push(`delete ${hour / 24}`)
        break
      }
      if (step.do === 'wait') continue
      done.push(`${step.daysLeft} left on ${hour / 24}`)
      grace = { ...grace, warned: grace.warned + 1, dueMs: step.nextMs }
    }
    expect(done).toEqual(['30 left on 0', '10 left on 20', '3 left on 27', 'delete 30'])
  })

  test('are never deleted earlier than a warning promised, however late the sweep runs', () => {
    const looks = fc.array(fc.integer({ min: 0, max: 20 * 24 }), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(looks, (gaps) => {
        let grace = newGracePeriod('usr_1', 'sub_1', now)
        let at = now
        let promised = now + graceDays * dayMs
        for (const gap of gaps) {
          at += gap * (dayMs / 24)
          const step = decideGraceStep(grace, at)
          if (step.do === 'delete') {
            expect(grace.warned).toBe(warnOnDays.length)
            expect(at).toBeGreaterThanOrEqual(promised)
            return
          }
          if (step.do === 'wait') continue
          promised = Math.max(promised, at + step.daysLeft * dayMs)
          grace = { ...grace, warned: grace.warned + 1, dueMs: step.nextMs }
        }
      }),
      seeded(10_000),
    )
  })
})

describe('a new account', () => {
  test('may add $50 a day for its first 30 days', () => {
    const created = iso(now)
    expect(dayLimit(created, now + 30 * dayMs - 1)).toBe(newAccountLimitMicros)
    expect(dayLimit(created, now + 30 * dayMs)).toBeNull()
    expect(() => checkDayLimit(created, 0, newAccountLimitMicros, now)).not.toThrow()
    expect(() => checkDayLimit(created, 1, newAccountLimitMicros, now)).toThrow(/ask for \$49\.99\d* at most/)
    for (const counted of [newAccountLimitMicros, newAccountLimitMicros - 4_990_000])
      expect(() => checkDayLimit(created, counted, 5_000_000, now)).toThrow(/used up, or come back after 00:00 UTC/)
  })
})

describe('a reversal', () => {
  test('takes the same share of the credit as of the payment, exactly and never more', () => {
    const cents = fc.integer({ min: 1, max: 60_000 })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500_000_000 }), cents, cents, (credited, part, whole) => {
        const share = shareOf(credited, part, whole)
        expect(Number.isSafeInteger(share)).toBe(true)
        expect(share).toBeLessThanOrEqual(credited)
        if (part < whole) expect(Number(BigInt(share) * BigInt(whole))).toBeLessThanOrEqual(credited * part)
        expect(shareOf(credited, whole, whole)).toBe(credited)
      }),
      seeded(50_000),
    )
  })

  test('counts reversals that failed or were won first, then refunds, then disputes', () => {
    const payment: ProviderPayment = {
      userId: 'usr_1',
      paymentId: 'pi_1',
      credited: { checkoutId: 'chk_1' },
      chargedCents: 1_000,
      refunds: [
        { id: 're_1', amountCents: 100, state: 'done' },
        { id: 're_2', amountCents: 200, state: 'failed' },
      ],
      disputes: [
        { id: 'du_1', amountCents: 300, state: 'lost' },
        { id: 'du_2', amountCents: 400, state: 'won' },
      ],
      fraudWarning: false,
    }
    expect(reversalsOf(payment, 10_000_000)).toEqual([
      { key: 'refund#re_2', type: 'refund', amountMicros: 2_000_000, undone: true },
      { key: 'dispute#du_2', type: 'dispute', amountMicros: 4_000_000, undone: true },
      { key: 'refund#re_1', type: 'refund', amountMicros: 1_000_000, undone: false },
      { key: 'dispute#du_1', type: 'dispute', amountMicros: 3_000_000, undone: false },
    ])
  })
})
