import { StartProblem } from '../../../local/kit/problem.ts'
import { readStripeKeys } from '../../../local/vendors/payments.ts'

describe('Stripe keys', () => {
  const webhook = { STRIPE_WEBHOOK_SECRET: 'whsec_1' }

  test('select the emulator when there are none, and the real Stripe for a test key with its webhook secret', () => {
    expect(readStripeKeys({})).toBeUndefined()
    for (const secretKey of ['sk_test_1', 'rk_test_1']) {
      expect(readStripeKeys({ STRIPE_SECRET_KEY: secretKey, ...webhook })).toEqual({
        secretKey,
        webhookSecret: 'whsec_1',
      })
    }
  })

  test.each([
    ['of no known kind', { STRIPE_SECRET_KEY: 'hello', ...webhook }, 'sk_test_'],
    ['publishable', { STRIPE_SECRET_KEY: 'pk_test_1', ...webhook }, 'sk_test_'],
    ['with a blank', { STRIPE_SECRET_KEY: 'sk_test_1 ', ...webhook }, 'sk_test_'],
    ['without a webhook secret', { STRIPE_SECRET_KEY: 'sk_test_1' }, 'STRIPE_WEBHOOK_SECRET'],
    ['live', { STRIPE_SECRET_KEY: 'sk_live_1', ...webhook }, 'BERTH_ALLOW_LIVE=1'],
  ])('%s are refused in one line with advice', (_, env, advice) => {
    expect(() => readStripeKeys(env)).toThrow(StartProblem)
    expect(() => readStripeKeys(env)).toThrow(advice)
  })

  test('that are live are accepted with explicit permission', () => {
    const env = { STRIPE_SECRET_KEY: 'sk_live_1', BERTH_ALLOW_LIVE: '1', ...webhook }
    expect(readStripeKeys(env)?.secretKey).toBe('sk_live_1')
  })
})
