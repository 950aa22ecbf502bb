import { returnedMailKeptMs } from '../../../domain/account/returned-mail.ts'
import type { FailureReason } from '../../../domain/models/failure.ts'
import { iso } from '../../../domain/time.ts'
import { receipt } from '../../adapters/dynamo/wallet-world.ts'
import { type Console, openConsole } from './console.ts'

let operators: Console
beforeAll(async () => {
  operators = await openConsole()
})
afterAll(() => operators.world.close())

describe('getOperator', () => {
  test('returns the signed-in operator, the daily limit and the moved amount', async () => {
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
  test('returns account, wallet, instance, payments and audit trail, and 404 for an unknown user', async () => {
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
      failedCalls: [],
      audit: [],
    })
    expect((await operators.asOperator('GET', '/operator/users/usr_nobody')).status).toBe(404)
  })

  test('returns the reasons of failed model calls, which their user never sees', async () => {
    const { userId } = await operators.world.tenant()
    const { wallets } = operators.world.ports
    const at = iso(operators.world.clock.nowMs)
    await wallets.creditOnce(userId, 'start', 2_000_000, 'adjustment', 'Start', at)
    const fail = async (callId: string, reason: FailureReason) => {
      const ask = { boundMicros: 700, minimumMicros: 1, generation: 1 }
      await wallets.hold(userId, callId, ask, operators.world.clock.nowMs)
      const line = { description: 'Model call', receipt: { ...receipt(callId, 700), startedAt: at }, at }
      await wallets.settle(userId, callId, 0, { ...line, failure: { reason, unpaidMicros: 0 } }, null)
    }
    await fail('call_1', 'account-unpaid')
    await fail('call_2', 'compressed')
    const { body } = await operators.asOperator('GET', `/operator/users/${userId}`)
    const reasons = (body.failedCalls as { callId: string; reason: string }[]).map(({ callId, reason }) => [
      callId,
      reason,
    ])
    expect(new Map(reasons as [string, string][])).toEqual(
      new Map([
        ['call_1', 'account-unpaid'],
        ['call_2', 'compressed'],
      ]),
    )
    const shown = await wallets.transactions(userId, { after: null, limit: 10 })
    expect(JSON.stringify(shown)).not.toMatch(/account-unpaid|compressed/)
  })
})
