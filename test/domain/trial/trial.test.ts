import { isOnTrial, isSpent, planOf } from '../../../domain/trial/trial.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const trial = { startedAt: '2026-11-20T00:00:00.000Z', endsAt: '2026-11-21T00:00:00.000Z', creditMicros: 250_000 }
const subscribed = (status: 'none' | 'active' | 'past_due' | 'canceled') => ({
  subscription: {
    status,
    plan: status === 'none' ? null : ('pro' as const),
    currentPeriodEnd: null,
    cancelAtPeriodEnd: false,
  },
  trial,
})

test.each([
  ['none', true, 'trial'],
  ['active', false, 'pro'],
  ['past_due', false, 'pro'],
  // The rest of a trial does not follow a plan that ended at once.
  ['canceled', false, null],
] as const)('a trial with the subscription %s', (status, on, plan) => {
  expect([isOnTrial(subscribed(status), now), planOf(subscribed(status), now)]).toEqual([on, plan])
})

test('a trial is over from the second of its end', () => {
  expect(isOnTrial(subscribed('none'), Date.parse(trial.endsAt) - 1)).toBe(true)
  expect(isOnTrial(subscribed('none'), Date.parse(trial.endsAt))).toBe(false)
})

test('a trial’s credit counts as used up when less than a twentieth is left', () => {
  expect([isSpent(trial, 12_500), isSpent(trial, 12_499), isSpent(null, 0)]).toEqual([false, true, false])
})
