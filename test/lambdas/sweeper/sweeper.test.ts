import type { Ports } from '../../../adapters/ports.ts'
import type { Machines } from '../../../app/ports/instance.ts'
import { shardOf, shards } from '../../../domain/ids.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { minuteMs } from '../../../domain/time.ts'
import { jobHandler } from '../../../lambdas/kit/job-handler.ts'
import { onShardDue } from '../../../lambdas/reconciler/on-shard-due.ts'
import { sweeperArea } from '../../../lambdas/sweeper/index.ts'
import { openWorld, type World } from '../../world.ts'
import { dying } from '../kit/crash-world.ts'

/** The host's machines, each started once per generation, and the duration of a start, ms. */
const started = new Map<string, number>()
let startMs = 0
const due: number[] = []
const made: string[] = []
const host: Partial<Machines> = {
  run: async ({ id, generation }) => {
    const task = `arn:task/machines/${id}-${generation}`
    started.set(task, (started.get(task) ?? 0) + 1)
    world.clock.nowMs += startMs
    return task
  },
  observe: async (task) => (started.has(task) ? 'starting' : 'missing'),
  observeAll: async (tasks) => new Map(tasks.map((task) => [task, started.has(task) ? 'starting' : 'missing'])),
  alive: async ({ id, generation }) => {
    const task = `arn:task/machines/${id}-${generation}`
    return started.has(task) ? [{ taskArn: task, generation }] : []
  },
}

let world: World
beforeAll(async () => {
  world = await openWorld({
    areas: [sweeperArea],
    replace: ({ machines }) => ({
      machines: { ...machines, ...host },
      sweeps: { start: async (shard) => void due.push(shard) },
    }),
  })
})
afterAll(() => world.close())
beforeEach(() => {
  startMs = 0
  due.length = 0
  started.clear()
})

/** Users of one shard whose machines were to start, but did not. */
async function overdue(count: number, shard = 3): Promise<string[]> {
  const { instances, ids } = world.ports
  const users: string[] = []
  while (users.length < count) {
    const userId = world.newUserId()
    if (shardOf(userId) !== shard) continue
    await instances.create(newInstance({ instanceId: ids.next('ins'), userId }, 'starter', '1', world.clock.nowMs))
    users.push(userId)
    made.push(userId)
  }
  world.clock.nowMs += 6 * minuteMs
  return users
}

const run = (event: object, change: Partial<Ports> = {}) =>
  jobHandler(sweeperArea, { ...world.ports, ...change })(event as never) // safe because the jobs read no other field
const sweepOf = (shard: number) => onShardDue.run({ input: { shard }, deps: world.ports, now: world.clock.nowMs })
const tasksOf = async (users: string[]) =>
  Promise.all(users.map(async (userId) => (await world.ports.instances.find(userId))?.taskArn ?? null))

afterEach(settle)

describe('sweep', () => {
  test('starts one sweep for each shard that has an overdue instance', async () => {
    await overdue(3, 5)
    await overdue(1, 11)
    await run({ job: 'sweep' })
    expect(due.sort((a, b) => a - b)).toEqual([5, 11])
    for (let shard = 0; shard < shards; shard++) await sweepOf(shard)
    due.length = 0
    await run({ job: 'sweep' })
    expect(due).toEqual([])
  })

  test('starts the other sweeps when one cannot be started, and fails', async () => {
    await overdue(1, 5)
    await overdue(1, 11)
    const sweeps = {
      start: async (shard: number) => {
        if (shard === 5) throw new Error('down')
        due.push(shard)
      },
    }
    await expect(run({ job: 'sweep' }, { sweeps })).rejects.toThrow('1 of 16 shards: down')
    expect(due).toEqual([11])
    for (const shard of [5, 11]) await sweepOf(shard)
  })
})

describe('onShardDue', () => {
  test('never works twice on a shard at the same time', async () => {
    const users = await overdue(5)
    await Promise.all(Array.from({ length: 4 }, () => sweepOf(3)))
    expect(await tasksOf(users)).not.toContain(null)
    expect([...started.values()]).toEqual(users.map(() => 1))
  })

  test('loses nothing when it dies after any of its writes: the sweeps after its lease continue', async () => {
    let died = true
    let deaths = 0
    for (let writes = 1; died; writes++) {
      started.clear()
      const users = await overdue(3)
      died = await dying(writes, () => sweepOf(3))
      if (died) deaths++
      world.clock.nowMs += 150_001
      await sweepOf(3)
      // An instance whose start was written is due again at the end of its deadline.
      world.clock.nowMs += 5 * minuteMs
      await sweepOf(3)
      expect(await tasksOf(users)).not.toContain(null)
      expect(started.size).toBe(users.length)
      await settle()
    }
    // The lease, one write of each start, and the release.
    expect(deaths).toBeGreaterThanOrEqual(5)
  })

  test('leaves a shard alone while its lease holds, and begins no more in time to end before its own limit', async () => {
    const users = await overdue(130)
    startMs = 1_000
    await sweepOf(3)
    const missing = async () => (await tasksOf(users)).filter((task) => task === null).length
    // Four start at once, and the last four begin in the 50th second.
    expect(await missing()).toBe(130 - 52)
    await world.ports.leases.acquire('sweep#3', { max: 1, ttlMs: 150_000 }, world.clock.nowMs)
    await sweepOf(3)
    expect(await missing()).toBe(130 - 52)
    world.clock.nowMs += 150_001
    await sweepOf(3)
    await sweepOf(3)
    expect(await missing()).toBe(0)
  })
})

/** Leaves nothing to the next sweep. */
async function settle(): Promise<void> {
  for (const userId of made.splice(0)) {
    const record = await world.ports.instances.find(userId)
    if (!record) throw new Error(`there is no instance of ${userId}`)
    const rested = { ...record, state: 'paused' as const, deadlineMs: null, version: record.version + 1 }
    expect(await world.ports.instances.save(rested, record)).toBe(true)
  }
}
