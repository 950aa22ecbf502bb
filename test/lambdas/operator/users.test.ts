import { returnedMailKeptMs } from '../../../domain/account/returned-mail.ts'
import { iso } from '../../../domain/time.ts'
import { type Console, openConsole } from './console.ts'

let operators: Console
beforeAll(async () => {
  operators = await openConsole()
})
afterAll(() => operators.world.close())

describe('getOperator', () => {
  test('says who is signed in and what they may move and have moved', async () => {
    const { body } = await operators.asOperator('GET', '/operator')
    expect(body).toEqual({
      email: 'operator@example.com',
      maxCents: 10_000,
      maxDayCents: 50_000,
      movedCents: 0,
      imageVersion: '1',
    })
  })
})

describe('findUser', () => {
  test('finds a user by the whole address, in any case, or by id', async () => {
    const { userId } = await operators.world.tenant()
    const email = `${userId.toLowerCase()}@example.com`
    for (const query of [email, email.toUpperCase(), userId]) {
      const { body } = await operators.asOperator('GET', `/operator/users?query=${encodeURIComponent(query)}`)
      expect(body.account).toMatchObject({ id: userId, email })
    }
    for (const query of ['nobody@example.com', 'usr_nobody'])
      expect((await operators.asOperator('GET', `/operator/users?query=${query}`)).body).toEqual({ account: null })
    expect((await operators.asOperator('GET', '/operator/users?query=ada')).status).toBe(400)
  })
})

describe('getUser', () => {
  test('shows account, wallet, instance, payments and trail, and 404 for nobody', async () => {
    const { userId, instance } = await operators.world.tenant()
    await operators.world.ports.wallets.creditOnce(
      userId,
      'allowance#1',
      2_000_000,
      'subscription_credit',
      'Included',
      iso(Date.now()),
    )
    const old = iso(Date.now() - returnedMailKeptMs)
    const mails = { bouncedAt: iso(Date.now()), complainedAt: old }
    await operators.world.ports.users.setReturned(userId, mails)
    const { body } = await operators.asOperator('GET', `/operator/users/${userId}`)
    expect(body).toMatchObject({
      returnedMails: { ...mails, complainedAt: null },
      account: { id: userId },
      wallet: { balanceMicros: 2_000_000 },
      suspendedBecause: null,
      instance: { id: instance.id, state: 'running' },
      payments: [{ name: 'allowance#1', amountMicros: 2_000_000, takenBackMicros: 0 }],
      audit: [],
    })
    expect((await operators.asOperator('GET', '/operator/users/usr_nobody')).status).toBe(404)
  })
})
