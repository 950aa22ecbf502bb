import type { InstanceRecord, Reason } from '../../../domain/instance/instance.ts'
import { transition } from '../../../domain/instance/life-cycle.ts'
import { type Run, runKeptMs } from '../../../domain/instance/run.ts'
import type { InstanceEvent } from '../../../domain/instance/transitions.ts'
import { dayMs, iso, minuteMs } from '../../../domain/time.ts'
import { instanceArea } from '../../../lambdas/instance/index.ts'
import { openWorld, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ areas: [instanceArea] })
})
afterAll(() => world.close())

/** A user whose instance lives as the test says; each event comes a minute after the one before. */
async function owner() {
  const { userId, instance } = await world.tenant({ state: 'provisioning' })
  let record: InstanceRecord = instance
  return {
    async live(...steps: [InstanceEvent, Reason][]) {
      for (const [event, reason] of steps) {
        world.clock.nowMs += minuteMs
        const { next } = transition(record, event, reason, world.clock.nowMs)
        expect(await world.ports.instances.save(next, record)).toBe(true)
        // A writer that lost the race adds nothing.
        expect(await world.ports.instances.save(next, record)).toBe(false)
        record = next
      }
    },
    async history(query: object = {}): Promise<{ status: number; runs: Run[]; nextCursor: string | null }> {
      // A session does not last as long as a run is kept.
      const { headers } = await world.session(userId)
      const { status, body } = await world.request({ path: '/instance/history', headers, query })
      return { status, ...body }
    },
  }
}

const asleep: [InstanceEvent, Reason][] = [
  ['machine-running', 'ready'],
  ['sleep', 'idle'],
  ['machine-stopped', 'idle'],
]
const generations = (runs: readonly Run[]) => runs.map(({ generation }) => generation)

describe('getInstanceHistory', () => {
  test('lists a run while it is under way and after it, with its times, durations and reasons', async () => {
    const me = await owner()
    const startMs = world.clock.nowMs
    const starting = { generation: 1, requestedAt: iso(startMs), startReason: 'subscribed', readyAt: null }
    expect(await me.history()).toMatchObject({ status: 200, runs: [{ ...starting, startSeconds: null }] })
    await me.live(['machine-running', 'ready'])
    world.clock.nowMs += minuteMs
    const running = { readyAt: iso(startMs + minuteMs), startSeconds: 60, awakeSeconds: 60, endedAt: null }
    expect(await me.history()).toMatchObject({ runs: [running], nextCursor: null })
    await me.live(['sleep', 'idle'], ['machine-stopped', 'idle'])
    world.clock.nowMs += dayMs
    const ended = { endedAt: iso(startMs + 4 * minuteMs), endReason: 'idle', awakeSeconds: 180, failureCode: null }
    expect(await me.history()).toMatchObject({ runs: [{ ...running, ...ended }] })
  })

  test('has a run that fails, one that is superseded, and one that a message requests while the machine stops', async () => {
    const me = await owner()
    await me.live(['machine-running', 'ready'], ['machine-stopped', 'crash'], ['machine-running', 'ready'])
    await me.live(['sleep', 'idle'], ['wake', 'message'], ['machine-stopped', 'message'], ['start-failed', 'failure'])
    const { runs } = await me.history()
    expect(runs.map(({ startReason, endReason, failureCode }) => [startReason, endReason, failureCode])).toEqual([
      ['message', 'failure', 'start-failed'],
      ['crash', 'idle', null],
      ['subscribed', 'crash', null],
    ])
    expect(runs[0]).toMatchObject({ readyAt: null, awakeSeconds: 0, requestedAt: runs[1]?.endedAt })
    expect(runs[1]?.requestedAt).toBe(runs[2]?.endedAt)
  })

  test('comes in pages, newest first, with each run once', async () => {
    const me = await owner()
    for (let round = 0; round < 5; round++) await me.live(...asleep, ['wake', 'message'])
    const read: number[] = []
    for (let cursor: string | null = null, page = 0; page === 0 || cursor !== null; page++) {
      const { runs, nextCursor } = await me.history({ limit: 2, ...(cursor !== null && { cursor }) })
      expect(runs.length).toBeLessThanOrEqual(2)
      read.push(...generations(runs))
      cursor = nextCursor
    }
    expect(read).toEqual([6, 5, 4, 3, 2, 1])
    expect(generations((await me.history({ limit: 1 })).runs)).toEqual([6])
    expect((await me.history({ limit: 6 })).nextCursor).toBeNull()
    const { nextCursor } = await me.history({ limit: 5 })
    expect(await (await owner()).history({ cursor: nextCursor })).toMatchObject({ status: 400 })
  })

  test('shows each owner their own runs only, none without an instance, and none that are too old', async () => {
    const [me, other] = [await owner(), await owner()]
    await me.live(...asleep)
    expect((await other.history()).runs).toMatchObject([{ endedAt: null }])
    const { headers } = await world.session()
    expect((await world.request({ path: '/instance/history', headers })).body).toEqual({ runs: [], nextCursor: null })
    world.clock.nowMs += runKeptMs - 1
    expect(generations((await me.history()).runs)).toEqual([1])
    world.clock.nowMs++
    expect((await me.history()).runs).toEqual([])
  })
})
