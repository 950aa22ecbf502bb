import { shardOf, shards } from '../../../domain/ids.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { minuteMs } from '../../../domain/time.ts'
import { wake } from '../../../lib/reports/counts.ts'
import { counted } from '../../adapters/engine.ts'
import { until } from '../../until.ts'
import { type MachineWorld, openMachineWorld, type User } from './machine-world.ts'

let world: MachineWorld
beforeAll(async () => {
  world = await openMachineWorld()
})
afterAll(() => world.close())
afterEach(() => world.settle())

async function hosted(): Promise<User> {
  const user = await world.user()
  const { ids, clock, instances, bus } = world.ports
  await instances.create(newInstance({ instanceId: ids.next('ins'), userId: user.id }, 'starter', '1', clock.now()))
  await bus.publish('instance.wanted', user.id)
  await user.reaches('running', 1)
  return user
}

async function paused(): Promise<User> {
  const user = await hosted()
  await user.ask('pause')
  await user.reaches('paused')
  await world.idle()
  return user
}

/** Number of calls per action of ECS while a function ran. */
async function callsOf(run: () => Promise<unknown>): Promise<Record<string, number>> {
  world.ecsCalls.splice(0)
  await run()
  await world.idle()
  const counts: Record<string, number> = {}
  for (const action of world.ecsCalls) counts[action] = (counts[action] ?? 0) + 1
  return counts
}

const resume = async (user: User, generation: number): Promise<void> => {
  await user.ask('resume')
  await user.reaches('running', generation)
}

describe('the calls of ECS', () => {
  const wakeEcsCalls = { DescribeTaskDefinition: 1, RunTask: 1 }

  test('are two for a wake, the definition and the task, because the last end was seen', async () => {
    const user = await paused()
    const { result, calls } = await counted(() => callsOf(() => resume(user, 2)))
    expect(result).toEqual(wakeEcsCalls)
    expect(calls.length).toBeLessThanOrEqual(wake.storeRequests / 3)
  })

  test('make the definition once for a first start, and look for no task either', async () => {
    const first = { DescribeTaskDefinition: 1, RegisterTaskDefinition: 1, RunTask: 1 }
    expect(await callsOf(hosted)).toEqual(first)
  })

  test('read the machine for a refresh, stop it and start the next', async () => {
    const user = await hosted()
    await world.idle()
    const refresh = async () => {
      await user.ask('refresh', 'refresh')
      await user.reaches('running', 2)
    }
    expect(await callsOf(refresh)).toEqual({ DescribeTasks: 1, StopTask: 1, ...wakeEcsCalls })
  })

  test('look for running tasks before the next start, when no event reported the last end', async () => {
    const user = await paused()
    const record = await user.instance()
    if (!record) throw new Error('there is no instance')
    const unseen = { ...record, stoppedGeneration: 0, version: record.version + 1 }
    expect(await world.ports.instances.save(unseen, record)).toBe(true)
    const calls = await callsOf(() => resume(user, 2))
    expect(calls).toEqual({ ListTasks: 2, DescribeTasks: 1, ...wakeEcsCalls })
  })

  test('are one for all machines of a shard that are due in a sweep', async () => {
    const users = await Promise.all(Array.from({ length: shards + 1 }, () => hosted()))
    const ofShards = new Set(users.map(({ id }) => shardOf(id)))
    await world.idle()
    await world.sweep()
    world.clock.nowMs += 15 * minuteMs
    const { DescribeTasks = 0 } = await callsOf(() => world.sweep())
    expect(DescribeTasks).toBeLessThanOrEqual(shards)
    expect(DescribeTasks).toBeGreaterThanOrEqual(ofShards.size)
  })

  test('look for nothing after an end that only a sweep saw', async () => {
    const user = await hosted()
    const { taskArn } = (await user.instance()) ?? {}
    await world.idle()
    world.faults.deaf = true
    process.kill((await user.machine(1)).pid, 'SIGKILL')
    await until(async () => (await world.ports.machines.observe(taskArn ?? '')) === 'stopped')
    world.faults.deaf = false
    world.clock.nowMs += 15 * minuteMs
    const swept = async () => {
      await world.sweep()
      await user.reaches('running', 2)
    }
    expect(await callsOf(swept)).toEqual({ DescribeTasks: 1, ...wakeEcsCalls })
  })
})
