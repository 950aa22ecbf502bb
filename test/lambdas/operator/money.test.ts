import { operatorsTrail } from '../../../domain/operator/trail.ts'
import { iso } from '../../../domain/time.ts'
import { type Console, openConsole, reason } from './console.ts'
import { failing } from './failing.ts'

let operators: Console
beforeAll(async () => {
  operators = await openConsole()
})
afterAll(() => operators.world.close())

describe('creditUser', () => {
  test('credits once per key, whichever operator repeats it and when, and records the reason for both', async () => {
    const { userId } = await operators.world.tenant()
    const { headers } = await operators.world.operator()
    const sent = {
      method: 'POST',
      path: `/operator/users/${userId}/credit`,
      headers: { ...headers, 'Idempotency-Key': 'K' },
      body: { amountCents: 500, reason },
    }
    const first = await operators.world.request(sent)
    expect([first.status, first.body.transaction.amountMicros]).toEqual([201, 5_000_000])
    expect((await operators.world.request(sent)).body).toEqual(first.body)
    // The ledger still knows the key after a new sign-in, or a day later.
    expect((await operators.asOperator('POST', sent.path, sent.body, { 'Idempotency-Key': 'K' })).status).toBe(409)
    expect((await operators.wallet(userId)).available).toBe(5_000_000)
    expect(await operators.lines(userId)).toMatchObject([{ description: `Promotional credit: ${reason}` }])
    await operators.expectLines(userId, ['creditUser'])
  })

  test('credits one of ten concurrent requests', async () => {
    const { userId } = await operators.world.tenant()
    const all = await Promise.all(
      Array.from({ length: 10 }, () =>
        operators.asOperator(
          'POST',
          `/operator/users/${userId}/credit`,
          { amountCents: 100, reason },
          { 'Idempotency-Key': 'same' },
        ),
      ),
    )
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1)
    expect((await operators.wallet(userId)).available).toBe(1_000_000)
    await operators.expectLines(userId, ['creditUser'])
  })

  test('requires a key, a reason, an amount within the limit and an existing user other than the operator', async () => {
    const { userId } = await operators.world.tenant()
    const { headers, userId: own } = await operators.world.operator()
    const path = (user: string) => `/operator/users/${user}/credit`
    const keyless = await operators.world.request({
      method: 'POST',
      path: path(userId),
      headers,
      body: { amountCents: 5, reason },
    })
    expect([keyless.status, keyless.body.details]).toEqual([400, { 'Idempotency-Key': expect.anything() }])
    for (const body of [
      { amountCents: 5 },
      { amountCents: 5, reason: '        ' },
      { amountCents: 0, reason },
      { amountCents: 1.5, reason },
    ])
      expect((await operators.asOperator('POST', path(userId), body)).status).toBe(400)
    expect((await operators.asOperator('POST', path(userId), { amountCents: 10_001, reason })).status).toBe(403)
    expect((await operators.asOperator('POST', path(own), { amountCents: 5, reason })).status).toBe(403)
    expect((await operators.asOperator('POST', path('usr_nobody'), { amountCents: 5, reason })).status).toBe(404)
    expect(
      (await operators.wallet(userId)).total +
        (await operators.wallet(own)).total +
        (await operators.wallet('usr_nobody')).total,
    ).toBe(0)
    expect(await operators.trail(userId)).toEqual([])
    expect((await operators.asOperator('POST', path(userId), { amountCents: 10_000, reason })).status).toBe(201)
  })
})

describe('refundUser', () => {
  test('takes back at most the credit of a payment; a spent part becomes a debt', async () => {
    const { userId } = await operators.world.tenant()
    await operators.world.ports.wallets.creditOnce(
      userId,
      'allowance#1',
      2_000_000,
      'subscription_credit',
      'Included',
      iso(Date.now()),
    )
    const refund = (amountCents: number, payment = 'allowance#1') =>
      operators.asOperator('POST', `/operator/users/${userId}/refund`, { payment, amountCents, reason })
    expect((await refund(150)).body.transaction.amountMicros).toBe(-1_500_000)
    expect((await refund(150)).body.transaction.amountMicros).toBe(-500_000)
    expect((await refund(150)).status).toBe(409)
    expect((await refund(150, 'chk_nothing')).status).toBe(404)
    // A refund is not a payment itself.
    expect((await refund(150, `refund#key-${operators.keys() - 3}`)).status).toBe(404)
    expect(await operators.wallet(userId)).toMatchObject({ total: 0, available: 0, owed: 0 })
    const { body } = await operators.asOperator('GET', `/operator/users/${userId}`)
    expect(body.payments).toMatchObject([{ name: 'allowance#1', takenBackMicros: 2_000_000 }])
  })
})

describe('suspendUser and unsuspendUser', () => {
  test('stop all spending with the reason, and allow it again; a repetition changes nothing', async () => {
    const { userId } = await operators.world.tenant()
    const act = (verb: string) => operators.asOperator('POST', `/operator/users/${userId}/${verb}`, { reason })
    expect((await act('suspend')).body).toEqual({ suspended: true, changed: true })
    expect((await act('suspend')).body).toEqual({ suspended: true, changed: false })
    expect((await operators.wallet(userId)).frozen).toBe(reason)
    expect((await act('unsuspend')).body).toEqual({ suspended: false, changed: true })
    expect((await act('unsuspend')).body).toEqual({ suspended: false, changed: false })
    expect((await operators.wallet(userId)).frozen).toBe(null)
    await operators.expectLines(userId, ['unsuspendUser', 'suspendUser'])
  })
})

describe('unsuspendUser', () => {
  test('does not let operators lift the suspension of their own wallet', async () => {
    const { userId } = await operators.world.operator()
    await operators.world.ports.wallets.freeze(userId, 'a fraud warning', Date.now())
    expect((await operators.asOperator('POST', `/operator/users/${userId}/unsuspend`, { reason })).status).toBe(403)
    expect((await operators.wallet(userId)).frozen).toBe('a fraud warning')
    await operators.world.ports.wallets.unfreeze(userId, Date.now())
  })
})

describe('an act and its audit entries', () => {
  const acts: [name: string, path: (userId: string) => string, body: object][] = [
    ['credit', (userId) => `/operator/users/${userId}/credit`, { amountCents: 500 }],
    ['refund', (userId) => `/operator/users/${userId}/refund`, { amountCents: 100, payment: 'gift' }],
    ['suspend', (userId) => `/operator/users/${userId}/suspend`, {}],
    ['unsuspend', (userId) => `/operator/users/${userId}/unsuspend`, {}],
    ['machine', (userId) => `/operator/users/${userId}/machine`, { action: 'stop' }],
  ]

  test.each(acts)('%s: both are written or neither, whichever write fails', async (name, path, body) => {
    for (let nth = 1, failed = true; failed; nth++) {
      const { userId } = await operators.world.tenant()
      await operators.world.ports.wallets.creditOnce(userId, 'gift', 1_000_000, 'adjustment', 'A gift', iso(Date.now()))
      if (name === 'unsuspend') await operators.world.ports.wallets.freeze(userId, 'a test', Date.now())
      const { headers } = await operators.world.operator()
      const before = JSON.stringify([
        await operators.wallet(userId),
        (await operators.world.ports.instances.find(userId))?.state,
      ])
      const sent = {
        method: 'POST',
        path: path(userId),
        headers: { ...headers, 'Idempotency-Key': 'one' },
        body: { ...body, reason },
      }
      failed = await failing(nth, () => operators.world.request(sent))
      const after = JSON.stringify([
        await operators.wallet(userId),
        (await operators.world.ports.instances.find(userId))?.state,
      ])
      const [theirs, own] = [
        await operators.trail(userId),
        (await operators.trail(operatorsTrail)).filter(({ user }) => user === userId),
      ]
      expect([name, nth, theirs.length, own.length]).toEqual([
        name,
        nth,
        Number(after !== before),
        Number(after !== before),
      ])
      if (!failed) expect(after).not.toBe(before)
    }
  })
})
