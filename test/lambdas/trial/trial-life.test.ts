import { sweepGracePeriods } from '../../../app/billing/grace-periods.ts'
import { provision } from '../../../app/billing/provision.ts'
import { receiveMessage } from '../../../app/chat/receive-message.ts'
import { sweepOutbox } from '../../../app/follow-ups/sweep.ts'
import { watchVolume } from '../../../app/instance/volume-limit.ts'
import { startTrialInstance } from '../../../app/trial/start-trial.ts'
import { sweepWallets } from '../../../app/wallet/sweep.ts'
import { dayMs, hourMs, iso, minuteMs } from '../../../domain/time.ts'
import { receipt } from '../../adapters/dynamo/wallet-world.ts'
import { intercept } from '../../adapters/engine.ts'
import { startMs } from '../../world.ts'
import { credit, openTrialWorld, type TrialWorld } from './trial-world.ts'

let world: TrialWorld
beforeAll(async () => {
  world = await openTrialWorld()
})
afterAll(() => world.close())
beforeEach(() => {
  world.clock.nowMs = startMs
})

const instanceOf = async (userId: string) => {
  const found = await world.ports.instances.find(userId)
  if (!found) throw new Error('no instance')
  return found
}
const subjects = (email: string) => world.cloud.cloud.mails(email).map(({ subject }) => subject)
const sweepAt = (ms: number) => {
  world.clock.nowMs = ms
  return sweepGracePeriods(world.ports, ms)
}

/** A user on trial whose machine runs. */
async function guest() {
  const visitor = await world.visitor()
  expect((await visitor.tryIt()).status).toBe(201)
  const made = await instanceOf(visitor.userId)
  await world.ports.instances.save({ ...made, state: 'running', version: made.version + 1 }, made)
  return visitor
}

/** A model call of the user's machine with this cost. */
async function spend(userId: string, micros: number) {
  const { wallets } = world.ports
  const callId = world.nextId('call')
  const { generation } = await instanceOf(userId)
  const ask = { boundMicros: micros, minimumMicros: micros, generation }
  const held = await wallets.hold(userId, callId, ask, world.clock.nowMs)
  if (!held.held) throw new Error(held.because)
  const line = { description: 'Model call', receipt: receipt(callId, micros), at: iso(world.clock.nowMs) }
  await wallets.settle(userId, callId, micros, line, null)
}

describe('the end of a trial', () => {
  test('stops the machine, keeps its files for 30 days with warnings, then deletes them', async () => {
    const { userId, email } = await guest()
    await sweepAt(startMs + 24 * hourMs - 1)
    expect(await instanceOf(userId)).toMatchObject({ state: 'running' })
    const endMs = startMs + 24 * hourMs
    await sweepAt(endMs)
    expect(await instanceOf(userId)).toMatchObject({ state: 'pausing', desiredState: 'paused', reason: 'billing' })
    await sweepAt(endMs + 20 * dayMs)
    await sweepAt(endMs + 27 * dayMs)
    await sweepAt(endMs + 30 * dayMs - 1)
    expect((await instanceOf(userId)).state).toBe('pausing')
    await sweepAt(endMs + 30 * dayMs)
    expect((await instanceOf(userId)).state).toBe('deleting')
    expect(subjects(email)).toEqual([
      'Your trial has ended; your files are kept for 30 days',
      'Your files are deleted in 10 days',
      'Your files are deleted in 3 days',
      'Your agent’s files have been deleted',
    ])
  })

  test('happens when its credit is used up, and the wallet never goes below zero', async () => {
    const { userId, email } = await guest()
    await spend(userId, credit - 10)
    await expect(spend(userId, 20)).rejects.toMatchObject({ code: 'wallet-empty' })
    world.clock.nowMs += 2 * minuteMs
    await sweepWallets(world.ports, world.clock.nowMs)
    expect((await world.ports.users.find(userId))?.trial?.endsAt).toBe(iso(world.clock.nowMs))
    await sweepAt(world.clock.nowMs)
    expect(await instanceOf(userId)).toMatchObject({ state: 'pausing', reason: 'billing' })
    expect(subjects(email)).toEqual(['Your trial has ended; your files are kept for 30 days'])
    expect(await world.ports.wallets.read(userId)).toMatchObject({ available: 10, owed: 0 })
  })

  test('does not happen because one call costs more than the rest', async () => {
    const { userId } = await guest()
    await expect(spend(userId, 2 * credit)).rejects.toMatchObject({ code: 'wallet-empty' })
    world.clock.nowMs += 2 * minuteMs
    await sweepWallets(world.ports, world.clock.nowMs)
    expect((await world.ports.users.find(userId))?.trial?.endsAt).toBe(iso(startMs + 24 * hourMs))
    // The trial still ends when the credit is used up.
    await spend(userId, credit - 10)
    await expect(spend(userId, 20)).rejects.toMatchObject({ code: 'wallet-empty' })
    world.clock.nowMs += 2 * minuteMs
    await sweepWallets(world.ports, world.clock.nowMs)
    expect((await world.ports.users.find(userId))?.trial?.endsAt).toBe(iso(world.clock.nowMs))
  })

  test('and its grace period are written together or not at all', async () => {
    const { userId } = await guest()
    const { trials, gracePeriods, users } = world.ports
    const off = intercept(async () => {
      throw new Error('the function died')
    })
    await expect(trials.end(userId, startMs + hourMs)).rejects.toThrow('died')
    off()
    expect((await users.find(userId))?.trial?.endsAt).toBe(iso(startMs + 24 * hourMs))
    expect(await gracePeriods.find(userId)).toMatchObject({ dueMs: startMs + 24 * hourMs })
    expect(await trials.end(userId, startMs + hourMs)).toBe(true)
    expect(await trials.end(userId, startMs + 2 * hourMs)).toBe(false)
    expect((await users.find(userId))?.trial?.endsAt).toBe(iso(startMs + hourMs))
    expect(await gracePeriods.find(userId)).toMatchObject({ dueMs: startMs + hourMs, endedAt: iso(startMs + hourMs) })
  })

  test('is completed by the next sweep when one dies before its e-mail', async () => {
    const { userId, email } = await guest()
    const endMs = startMs + 24 * hourMs
    const failing = { ...world.ports, mail: { send: () => Promise.reject(new Error('the function died')) } }
    await expect(sweepGracePeriods(failing, endMs)).rejects.toThrow('died')
    expect((await instanceOf(userId)).state).toBe('pausing')
    await sweepAt(endMs + 15 * minuteMs)
    expect(subjects(email)).toHaveLength(1)
  })
})

describe('a volume above the trial’s size', () => {
  const tooMuch = 1.1 * 1024 ** 3

  test('stops the machine also when an earlier attempt failed after it was recorded', async () => {
    const { userId } = await guest()
    await world.ports.instances.setOverPlan(userId, iso(startMs), null)
    await watchVolume(world.ports, userId, tooMuch, startMs + hourMs)
    expect(await instanceOf(userId)).toMatchObject({ state: 'pausing', reason: 'billing' })
  })

  test('stops the machine at once, and is deleted with the trial', async () => {
    const { userId, email } = await guest()
    await watchVolume(world.ports, userId, 0.9 * 1024 ** 3, startMs + hourMs)
    expect((await instanceOf(userId)).state).toBe('running')
    await watchVolume(world.ports, userId, tooMuch, startMs + hourMs)
    expect(await instanceOf(userId)).toMatchObject({ state: 'pausing', reason: 'billing' })
    await sweepAt(startMs + 24 * hourMs)
    expect((await instanceOf(userId)).state).toBe('deleting')
    expect(await world.ports.gracePeriods.find(userId)).toBeNull()
    expect(subjects(email)).toEqual(['Your agent’s volume exceeds your plan', 'Your agent’s files have been deleted'])
  })
})

describe('a new plan', () => {
  const subscribe = async (userId: string, nowMs: number) => {
    const subscription = {
      status: 'active',
      plan: 'starter',
      currentPeriodEnd: null,
      cancelAtPeriodEnd: false,
    } as const
    const change = { subscription, subscriptionId: 'sub_1', asOfSeconds: 1, replaces: null }
    expect(await world.ports.users.setSubscription(userId, change)).toBe(true)
    await provision(world.ports, userId, 'starter', nowMs)
  }

  test('during a trial keeps the machine, credit and files, with the plan’s own limits', async () => {
    const { userId } = await guest()
    const { id, generation } = await instanceOf(userId)
    await subscribe(userId, startMs + hourMs)
    await sweepAt(startMs + 60 * dayMs)
    expect(await instanceOf(userId)).toMatchObject({ id, generation, plan: 'starter', state: 'running' })
    expect((await world.ports.wallets.read(userId)).available).toBe(credit)
    expect(await world.ports.trials.end(userId, startMs + hourMs)).toBe(false)
  })

  test('after a trial resumes its stopped machine', async () => {
    const { userId } = await guest()
    const endMs = startMs + 24 * hourMs
    await sweepAt(endMs)
    const stopping = await instanceOf(userId)
    const stopped = { ...stopping, state: 'paused', version: stopping.version + 1 } as const
    await world.ports.instances.save(stopped, stopping)
    await subscribe(userId, endMs + dayMs)
    expect(await instanceOf(userId)).toMatchObject({ id: stopping.id, plan: 'starter', state: 'resuming' })
    await sweepAt(endMs + 60 * dayMs)
    expect((await instanceOf(userId)).state).toBe('resuming')
  })

  test('at the moment of deleting oversized files keeps them', async () => {
    const { userId, email } = await guest()
    await watchVolume(world.ports, userId, 1.1 * 1024 ** 3, startMs + hourMs)
    const endMs = startMs + 24 * hourMs
    world.clock.nowMs = endMs
    const { instances } = world.ports
    let read = 0
    const find = async (id: string) => {
      const record = await instances.find(id)
      // The sweep's read is stale from here on. The user paused the machine, so the plan changes nothing about it.
      if (id === userId && ++read === 2) await subscribe(userId, endMs)
      return record
    }
    await sweepGracePeriods({ ...world.ports, instances: { ...instances, find } }, endMs)
    expect(read).toBeGreaterThanOrEqual(2)
    expect((await instanceOf(userId)).state).not.toBe('deleting')
    expect(subjects(email)).not.toContain('Your agent’s files have been deleted')
    await sweepAt(endMs + 60 * dayMs)
    expect((await instanceOf(userId)).plan).toBe('starter')
  })

  test('that starts before the trial’s machine is created determines the size of the machine', async () => {
    const { userId, headers } = await world.visitor()
    const { startTrial } = await import('../../../lambdas/auth/start-trial.ts')
    const { instances } = world.ports
    const create: typeof instances.create = async (made) => {
      if (made.plan === 'trial') await subscribe(userId, world.clock.nowMs)
      return instances.create(made)
    }
    const late = world.client([startTrial], { instances: { ...instances, create } })
    expect((await late({ method: 'POST', path: '/trial', headers })).status).toBe(201)
    expect(await instanceOf(userId)).toMatchObject({ plan: 'starter' })

    const other = await world.visitor()
    const slow: typeof instances.create = async (made) => {
      if (made.plan === 'starter') await startTrialInstance(world.ports, other.userId)
      return instances.create(made)
    }
    const failing = { ...instances, create: () => Promise.reject(new Error('the function died')) }
    await world.client([startTrial], { instances: failing })({ method: 'POST', path: '/trial', headers: other.headers })
    await provision({ ...world.ports, instances: { ...instances, create: slow } }, other.userId, 'starter', startMs)
    expect(await instanceOf(other.userId)).toMatchObject({ plan: 'starter' })
  })
})

describe('a machine that startTrial failed to create', () => {
  test('is created by the sweep', async () => {
    const { userId, headers } = await world.visitor()
    const { startTrial } = await import('../../../lambdas/auth/start-trial.ts')
    const broken = { ...world.ports.instances, create: () => Promise.reject(new Error('the function died')) }
    const answer = await world.client([startTrial], { instances: broken })({ method: 'POST', path: '/trial', headers })
    expect(answer.status).toBe(201)
    expect(await world.ports.instances.find(userId)).toBeNull()
    world.clock.nowMs += 2 * minuteMs
    await sweepOutbox(world.ports, world.clock.nowMs)
    expect(await instanceOf(userId)).toMatchObject({ plan: 'trial', state: 'provisioning' })
  })

  test('is not created for a trial that has ended', async () => {
    const { userId } = await world.visitor()
    const user = await world.ports.users.find(userId)
    if (!user) throw new Error('no user')
    const trial = { startedAt: iso(startMs), endsAt: iso(startMs + hourMs), creditMicros: credit }
    const terms = { budgetMicros: credit, creditMicros: credit, hours: 1, perNetwork: 1, perDomain: 1 }
    const far = { ...trial, startedAt: iso(startMs + 400 * dayMs) }
    expect(await world.ports.trials.start({ user, trial: far, terms, network: '192.0.2.1' })).toBeNull()
    world.clock.nowMs += 2 * hourMs
    await startTrialInstance(world.ports, userId)
    expect(await world.ports.instances.find(userId)).toBeNull()
  })

  test('accepts the first prompt before it is ready', async () => {
    const { userId, tryIt } = await world.visitor()
    await tryIt()
    const said = { text: 'Hello', conversation: 'main', channel: 'web' } as const
    const { waiting } = await receiveMessage(world.ports, userId, said, startMs)
    expect(waiting).toBeNull()
  })
})
