import { newInstance, transition } from '../../../domain/instance/life-cycle.ts'
import { minuteMs } from '../../../domain/time.ts'
import { alive } from '../../../emulators/aws/test/cloud.ts'
import { reconcilerArea } from '../../../lambdas/reconciler/index.ts'
import { until } from '../../until.ts'
import { type MachineWorld, openMachineWorld, type User } from './machine-world.ts'

let world: MachineWorld
beforeAll(async () => {
  world = await openMachineWorld()
})
afterAll(() => world.close())
afterEach(() => world.settle())

/** A user with a newly created instance and its event. */
async function subscriber(): Promise<User> {
  const user = await world.user()
  const { ids, clock, instances, bus } = world.ports
  await instances.create(newInstance({ instanceId: ids.next('ins'), userId: user.id }, 'starter', '1', clock.now()))
  await bus.publish('instance.wanted', user.id)
  return user
}

const admitted = async (token: string): Promise<boolean> => {
  const now = world.ports.clock.now()
  const claims = await world.ports.machineTokens.verify(token, 'agent', now)
  return claims !== null && (await world.ports.instances.admitMachine(claims, 'agent', now)).admitted
}

test('a start is always over before a stop without a task is believed', () => {
  const starting = newInstance({ instanceId: 'ins_1', userId: 'usr_1' }, 'starter', '1', 0)
  const { next } = transition(starting, 'suspend', 'billing', 0)
  expect(next.deadlineMs).toBeGreaterThan(reconcilerArea.timeoutSeconds * 1000)
})

describe('onInstanceWanted', () => {
  test('provisions a machine with valid tokens, pauses it and resumes it; the older tokens are invalid then', async () => {
    const user = await subscriber()
    const { taskArn } = await user.reaches('running', 1)
    expect(taskArn).toContain(':task/machines/')
    const first = await user.machine(1)
    expect(first.env).toMatchObject({ BERTH_API: 'http://127.0.0.1:8787/api', BERTH_MODEL: 'default' })
    expect(await admitted(first.env.BERTH_AGENT_TOKEN ?? '')).toBe(true)
    await user.ask('pause')
    await user.reaches('paused')
    expect(alive(first.pid)).toBe(false)
    expect(await admitted(first.env.BERTH_AGENT_TOKEN ?? '')).toBe(false)
    await user.ask('resume')
    await user.reaches('running', 2)
    const second = await user.machine(2)
    expect(await admitted(second.env.BERTH_AGENT_TOKEN ?? '')).toBe(true)
    expect(await admitted(first.env.BERTH_AGENT_TOKEN ?? '')).toBe(false)
    const states = (await user.events()).filter(({ type }) => type === 'instance.state_changed')
    expect(states.map(({ data }) => data.state)).toEqual(['running', 'pausing', 'paused', 'resuming', 'running'])
  })

  test('stops the machine before it starts the next one for a refresh', async () => {
    const user = await subscriber()
    await user.reaches('running', 1)
    const { pid } = await user.machine(1)
    await user.ask('refresh', 'refresh')
    await user.reaches('running', 2)
    expect(alive(pid)).toBe(false)
    expect((await user.machine(2)).pid).not.toBe(pid)
  })

  test('starts one machine for many concurrent requests', async () => {
    const user = await subscriber()
    const wish = world.published.findLast((event) => event['detail-type'] === 'instance.wanted')
    if (!wish) throw new Error('nobody wished for anything')
    await Promise.all(Array.from({ length: 6 }, () => world.deliver(wish)))
    const record = await user.reaches('running', 1)
    expect(await world.ports.machines.alive(record)).toHaveLength(1)
  })

  test('does nothing for a user without an instance', async () => {
    await world.ports.bus.publish('instance.wanted', (await world.user()).id)
  })
})

describe('onTaskStateChange', () => {
  test('restarts a dead machine at once, under the next generation', async () => {
    const user = await subscriber()
    await user.reaches('running', 1)
    process.kill((await user.machine(1)).pid, 'SIGKILL')
    expect(await user.reaches('running', 2)).toMatchObject({ crashes: 1, run: { generation: 2, startReason: 'crash' } })
    const { items } = await world.ports.runs.ended(user.id, { after: null, limit: 10 }, world.clock.nowMs)
    expect(items).toMatchObject([{ generation: 1, endReason: 'crash', readyAt: expect.any(String) }])
  })

  test('stops restarting a machine that dies repeatedly, gives the reason, and lets it be resumed', async () => {
    world.faults.agentMode = 'crash'
    const user = await subscriber()
    for (let round = 0; (await user.instance())?.state !== 'failed' && round < 40; round++) {
      const { taskArn } = (await user.instance()) ?? {}
      if (taskArn) await until(async () => /stopped|missing/.test(await world.ports.machines.observe(taskArn)))
      await world.idle()
      world.clock.nowMs += 30_000
      await world.sweep()
    }
    const lastRun = { endReason: 'failure', failureCode: 'crash-loop' }
    expect(await user.instance()).toMatchObject({ state: 'failed', failure: { code: 'crash-loop' }, lastRun })
    world.faults.agentMode = ''
    await user.ask('resume')
    expect(await user.reaches('running')).toMatchObject({ crashes: 0 })
  })

  test('ignores foreign tasks, older generations and repeated events', async () => {
    const user = await subscriber()
    await user.reaches('running', 1)
    process.kill((await user.machine(1)).pid, 'SIGKILL')
    await user.reaches('running', 2)
    await world.idle()
    const before = await user.instance()
    const ours = world.published.filter((event) => JSON.stringify(event).includes(`${user.id}/1`))
    expect(ours.length).toBeGreaterThan(1)
    for (const event of ours) {
      await world.deliver(event)
      const detail = { ...Object(event.detail), startedBy: 'ecs-svc/123', lastStatus: 'STOPPED' }
      await world.deliver(Object.assign({}, event, { detail }))
    }
    expect(await user.instance()).toEqual(before)
  })
})

describe('sweep', () => {
  test('finds a start, a death and a stop whose events were lost', async () => {
    world.faults.deaf = true
    const user = await subscriber()
    world.clock.nowMs += 6 * minuteMs
    await world.sweep()
    const started = await user.reaches('provisioning')
    await until(async () => (await world.ports.machines.observe(started.taskArn ?? '')) === 'running')
    world.clock.nowMs += 6 * minuteMs
    await world.sweep()
    await user.reaches('running', 1)
    process.kill((await user.machine(1)).pid, 'SIGKILL')
    await until(async () => (await world.ports.machines.observe(started.taskArn ?? '')) === 'stopped')
    world.clock.nowMs += 16 * minuteMs
    await world.sweep()
    const again = await user.reaches('resuming', 2)
    await until(async () => (await world.ports.machines.observe(again.taskArn ?? '')) === 'running')
    world.clock.nowMs += 6 * minuteMs
    await world.sweep()
    await user.reaches('running', 2)
    await user.ask('pause')
    world.clock.nowMs += 4 * minuteMs
    await world.sweep()
    await until(async () => (await world.ports.machines.observe(again.taskArn ?? '')) === 'stopped')
    world.clock.nowMs += 4 * minuteMs
    await world.sweep()
    await user.reaches('paused')
  })
})
