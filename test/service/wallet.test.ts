import { limits } from '../../domain/rates/rate-limits.ts'
import { call, hostedUser, pay, signIn, status, until } from './client.ts'

const scoped = async (cookie: { cookie: string }, scopes: string[]) => ({
  bearer: (await call('POST', '/tokens', { name: 'scoped', scopes }, cookie)).body.plaintext,
})

describe('getWallet', () => {
  test('shows an empty wallet for a new account', async () => {
    const { body } = await call('GET', '/wallet', undefined, await signIn())
    expect(body).toEqual({
      balanceMicros: 0,
      heldMicros: 0,
      owedMicros: 0,
      currency: 'usd',
      low: true,
      runwayDays: null,
      suspended: false,
      limits: {
        dailyCapCents: 500,
        triggerCapsCents: { chat: null, schedule: null, heartbeat: null, tool: null, api: null },
        spentTodayMicros: 0,
        spentTodayByTriggerMicros: { chat: 0, schedule: 0, heartbeat: 0, tool: 0, api: 0 },
        resetsAt: expect.stringMatching(/T00:00:00\.000Z$/),
      },
    })
  })

  test('requires the wallet’s scope', async () => {
    const user = await signIn()
    const allowed = await call('GET', '/wallet', undefined, await scoped(user, ['mcp:wallet.read']))
    const refused = await call('GET', '/wallet', undefined, await scoped(user, ['mcp:skills.read']))
    expect([allowed.status, refused.status, refused.body.error]).toEqual([200, 403, 'forbidden'])
  })

  test('has the rate window and the request’s id in its headers', async () => {
    const user = await signIn()
    const [first, second] = [
      await call('GET', '/wallet', undefined, user),
      await call('GET', '/wallet', undefined, user),
    ]
    expect(first.headers.get('x-ratelimit-limit')).toBe(String(limits.read))
    const left = [first, second].map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
    expect(left[1]).toBe((left[0] ?? 0) - 1)
    expect(first.headers.get('x-request-id')).toBeTruthy()
    expect(first.headers.get('x-request-id')).not.toBe(second.headers.get('x-request-id'))
  })
})

describe('createWalletTopup', () => {
  test.each([499, 50_001, 10.5, '1000', null])('refuses %p cents and names the field', async (amountCents) => {
    const { status: code, body } = await call('POST', '/wallet/topup', { amountCents }, await signIn())
    expect([code, body.error]).toEqual([400, 'validation'])
    expect(body.details.amountCents).toHaveLength(1)
  })

  test('credits the amount of our own record, once, however often it is paid', async () => {
    const user = await signIn()
    const { body } = await call('POST', '/wallet/topup', { amountCents: 500 }, user)
    await Promise.allSettled([pay(body), pay(body), pay(body)])
    await until(
      'the credit',
      () => status(user),
      (seen) => seen.wallet.balanceMicros > 0,
    )
    // Pays later, after all events of the first payment.
    await pay((await call('POST', '/wallet/topup', { amountCents: 700 }, user)).body)
    await until(
      'the next credit',
      () => status(user),
      (seen) => seen.wallet.balanceMicros > 5_000_000,
    )
    expect((await status(user)).wallet.balanceMicros).toBe(12_000_000)
  })
})

describe('listTransactions', () => {
  test('pages newest first with sums that add up, filtered by type', async () => {
    const user = await hostedUser(500)
    const first = await call('GET', '/wallet/transactions?limit=1', undefined, user)
    const second = await call('GET', `/wallet/transactions?limit=1&cursor=${first.body.nextCursor}`, undefined, user)
    const lines = [...first.body.transactions, ...second.body.transactions]
    expect(lines.map(({ type }) => type).sort()).toEqual(['subscription_credit', 'topup'])
    expect(lines[0].balanceMicros).toBe(lines[1].balanceMicros + lines[0].amountMicros)
    const topups = await call('GET', '/wallet/transactions?type=topup', undefined, user)
    expect(topups.body.transactions).toHaveLength(1)
  })

  test('refuses a manipulated cursor', async () => {
    const { status: code, body } = await call('GET', '/wallet/transactions?cursor=abc', undefined, await signIn())
    expect([code, body.error, Object.keys(body.details)]).toEqual([400, 'validation', ['cursor']])
  })
})

describe('getTransaction', () => {
  test('returns the same 404 for another user’s entry as for an unknown one', async () => {
    const owner = await signIn()
    const { body } = await call('POST', '/wallet/topup', { amountCents: 500 }, owner)
    await pay(body)
    await until(
      'the credit',
      () => status(owner),
      (seen) => seen.wallet.balanceMicros > 0,
    )
    const { id } = (await call('GET', '/wallet/transactions', undefined, owner)).body.transactions[0]
    const other = await signIn()
    const theirs = await call('GET', `/wallet/transactions/${id}`, undefined, other)
    const never = await call('GET', `/wallet/transactions/${id.slice(0, -1)}0`, undefined, other)
    expect([theirs.status, theirs.body]).toEqual([404, never.body])
    expect((await call('GET', `/wallet/transactions/${id}`, undefined, owner)).body.transaction.id).toBe(id)
  })
})
