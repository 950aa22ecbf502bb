import type { MachineActor } from '../../../domain/actor.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { pollOnce, singlePoll } from '../../../lambdas/agent/single-poll.ts'
import { counted } from '../../adapters/engine.ts'
import { openWorld, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

let machines = 0
const machine = (generation = 1): MachineActor => ({
  kind: 'machine',
  userId: 'usr_1',
  instanceId: `ins_${generation === 1 ? ++machines : machines}`,
  generation,
  audience: 'agent',
})

function held() {
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const poll = () => {
    begun.resolve()
    return over.promise
  }
  return { poll, begun: begun.promise, release: () => over.resolve('polled') }
}

describe('a long poll', () => {
  const prompts = { what: 'prompts', waitSeconds: 20 } as const

  test('is the only one of its generation; a poll for tasks, one of another generation and one without waiting are allowed', async () => {
    const [me, { poll, begun, release }] = [machine(), held()]
    const first = singlePoll(world.ports, me, prompts, poll)
    await begun
    await expect(singlePoll(world.ports, me, prompts, async () => 'x')).rejects.toMatchObject({
      code: 'rate-limited',
      retryAfterSeconds: 23,
    })
    const others = [
      singlePoll(world.ports, me, { ...prompts, what: 'tasks' }, async () => 'tasks'),
      singlePoll(world.ports, { ...me, generation: 2 }, prompts, async () => 'newer'),
      singlePoll(world.ports, me, { ...prompts, waitSeconds: 0 }, async () => 'at once'),
    ]
    expect(await Promise.all(others)).toEqual(['tasks', 'newer', 'at once'])
    release()
    expect(await first).toBe('polled')
    expect(await singlePoll(world.ports, me, prompts, async () => 'next')).toBe('next')
  })

  test('frees its place when it fails, and loses it by time when nothing frees it', async () => {
    const me = machine()
    const broken = async () => {
      throw new Error('broken')
    }
    await expect(singlePoll(world.ports, me, prompts, broken)).rejects.toThrow('broken')
    const { poll, begun } = held()
    void singlePoll(world.ports, me, prompts, poll)
    await begun
    world.clock.nowMs += 23_000
    expect(await singlePoll(world.ports, me, prompts, async () => 'later')).toBe('later')
  })

  test('takes two writes when it waits, and none when it does not', async () => {
    const me = machine()
    await singlePoll(world.ports, me, prompts, async () => 'first')
    const { calls } = await counted(() => singlePoll(world.ports, me, prompts, async () => 'again'))
    expect(calls.map(({ operation }) => operation)).toEqual(['UpdateItem', 'UpdateItem'])
    const none = await counted(() => singlePoll(world.ports, me, { ...prompts, waitSeconds: 0 }, async () => ''))
    expect(none.calls).toEqual([])
  })
})

describe('a waiting machine', () => {
  async function waiting(generation = 1) {
    const me = { ...machine(), userId: world.newUserId() }
    const { instanceId, userId } = me
    const started = newInstance({ instanceId, userId }, 'starter', '1', world.clock.nowMs)
    await world.ports.instances.create({ ...started, state: 'running', generation })
    const released: number[] = []
    const sleep = async (ms: number) => {
      world.clock.nowMs += ms
    }
    const deps = {
      ...world.ports,
      clock: { now: () => world.clock.nowMs, sleep },
      // safe because a poll only releases
      conversations: { release: async (_: string, of: number) => void released.push(of) } as never,
    }
    const fromMs = world.clock.nowMs
    const looking = (thereAfterMs: number) =>
      pollOnce(deps, me, { fromMs, untilMs: fromMs + 20_000 }, async (nowMs) => ({
        there: nowMs - fromMs >= thereAfterMs,
        work: nowMs - fromMs,
      }))
    return { looking, released, waitedMs: () => world.clock.nowMs - fromMs }
  }

  test('gets a prompt that arrives in time, and otherwise an empty response', async () => {
    expect(await (await waiting()).looking(3_000)).toBe(3_000)
    expect(await (await waiting()).looking(60_000)).toBe(20_000)
  })

  test('learns within 15 s that another machine replaced it', async () => {
    const replaced = await waiting(2)
    await expect(replaced.looking(60_000)).rejects.toMatchObject({ code: 'unauthorized' })
    expect(replaced.waitedMs()).toBeLessThanOrEqual(15_000)
  })

  test('gets nothing after another machine replaced it, and its leased prompt is free again', async () => {
    const replaced = await waiting(2)
    await expect(replaced.looking(3_000)).rejects.toMatchObject({ code: 'unauthorized' })
    expect(replaced.released).toEqual([1])
  })
})
