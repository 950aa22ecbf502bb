import { noSubscription } from '../../../domain/billing/subscription.ts'
import { operatorsTrail } from '../../../domain/operator/trail.ts'
import { iso, minuteMs } from '../../../domain/time.ts'
import { type Console, openConsole, reason } from './console.ts'

let operators: Console
beforeAll(async () => {
  operators = await openConsole()
})
afterAll(() => operators.world.close())

describe('changeUserMachine', () => {
  const act = (userId: string, action: string) =>
    operators.asOperator('POST', `/operator/users/${userId}/machine`, { action, reason })

  test('stops a running or starting machine, whatever it is doing', async () => {
    for (const state of ['running', 'provisioning', 'resuming', 'refreshing'] as const) {
      const { userId } = await operators.world.tenant({ state })
      expect((await act(userId, 'stop')).body.instance).toMatchObject({ state: 'pausing', desiredState: 'paused' })
      await operators.expectLines(userId, ['changeUserMachine'])
    }
  })

  test('refreshes a running machine', async () => {
    const { userId } = await operators.world.tenant()
    expect((await act(userId, 'refresh')).body.instance.state).toBe('refreshing')
  })

  test('retries a failed machine for a user who could resume it, and no other', async () => {
    const failure = { code: 'capacity', message: 'No room.', recoverable: true }
    const failed = await operators.world.tenant({ state: 'failed', failure })
    expect((await act(failed.userId, 'retry')).status).toBe(409)
    const subscription = { ...noSubscription, plan: 'starter' as const, status: 'active' as const }
    await operators.world.ports.users.setSubscription(failed.userId, {
      subscription,
      subscriptionId: 's',
      asOfSeconds: 1,
      replaces: null,
    })
    expect((await act(failed.userId, 'retry')).status).toBe(402)
    await operators.world.ports.wallets.creditOnce(
      failed.userId,
      'gift',
      5_000_000,
      'adjustment',
      'A gift',
      iso(Date.now()),
    )
    expect((await act(failed.userId, 'retry')).body.instance.state).toBe('resuming')
    await operators.expectLines(failed.userId, ['changeUserMachine'])
    const { userId } = await operators.world.tenant()
    expect((await act(userId, 'retry')).status).toBe(409)
    expect(await operators.trail(userId)).toEqual([])
  })
})

describe('getFleet', () => {
  test('counts machines by state, and lists stuck and failed ones with reason and time', async () => {
    const now = Date.now()
    const fine = await operators.world.tenant({ state: 'running', deadlineMs: now + minuteMs })
    const late = await operators.world.tenant({ state: 'resuming', deadlineMs: now - 10 * minuteMs })
    const retried = await operators.world.tenant({ state: 'provisioning', deadlineMs: now + minuteMs, failedStarts: 3 })
    const failure = { code: 'image', message: 'The image is not there.', recoverable: false }
    const failed = await operators.world.tenant({ state: 'failed', deadlineMs: null, failure })
    const { body } = await operators.asOperator('GET', '/operator/fleet')
    const usersIn = (list: { user: string }[]) => list.map(({ user }) => user)
    expect(body.complete).toBe(true)
    expect(body.counts.failed).toBeGreaterThanOrEqual(1)
    expect(body.counts.resuming).toBeGreaterThanOrEqual(1)
    expect(usersIn(body.stuck)).toEqual(expect.arrayContaining([late.userId, retried.userId]))
    expect(usersIn(body.stuck)).not.toContain(fine.userId)
    expect(body.stuck.find(({ user }: { user: string }) => user === late.userId).since).toBe(iso(now - 10 * minuteMs))
    expect(body.failed[0]).toMatchObject({ user: failed.userId, why: 'The image is not there.', failure: 'image' })
    expect(Math.abs(Date.parse(body.failed[0].since) - now)).toBeLessThan(minuteMs)
    const instance = await operators.world.ports.instances.find(failed.userId)
    if (instance)
      await operators.world.ports.instances.save(
        { ...instance, state: 'paused', version: instance.version + 1 },
        instance,
      )
    expect(usersIn((await operators.asOperator('GET', '/operator/fleet')).body.failed)).not.toContain(failed.userId)
  })
})

describe('getRollout', () => {
  test('shows the progress of the stage’s image', async () => {
    const { body } = await operators.asOperator('GET', '/operator/rollout')
    expect(body.rollout).toMatchObject({ version: '1', healthy: 0, trying: [], failed: [] })
  })
})

describe('changeRollout', () => {
  test('pauses the rollout for everybody else, resumes it, and records the reason', async () => {
    const { rollouts } = operators.world.ports
    const seen = await rollouts.find('1')
    await rollouts.save({ ...seen, healthy: 3, failed: { usr_a: 1 } }, seen)
    const act = async (action: string) =>
      (await operators.asOperator('POST', '/operator/rollout', { action, reason })).body.rollout
    expect(await act('pause')).toMatchObject({ state: 'halted', healthy: 3, failed: ['usr_a'] })
    expect((await rollouts.find('1')).state).toBe('halted')
    expect(await act('resume')).toMatchObject({ state: 'rolling', healthy: 3, failed: [] })
    expect((await operators.trail(operatorsTrail)).slice(0, 2)).toMatchObject([
      { operation: 'changeRollout', record: '1', reason },
      { operation: 'changeRollout', record: '1', reason },
    ])
  })
})
