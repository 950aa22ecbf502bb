import fc from 'fast-check'
import type { Ports } from '../../../adapters/ports.ts'
import { changeInstance } from '../../../app/instance/change.ts'
import { type ReconcilePorts, reconcile, type TaskEvent } from '../../../app/instance/reconcile.ts'
import type { Conversations } from '../../../app/ports/chat.ts'
import type { RestorePoints, Tasks } from '../../../app/ports/files.ts'
import type { Instances } from '../../../app/ports/instance.ts'
import type { Reason } from '../../../domain/instance/instance.ts'
import { MachineError } from '../../../domain/instance/machine.ts'
import type { InstanceEvent } from '../../../domain/instance/transitions.ts'
import { iso, minuteMs } from '../../../domain/time.ts'
import { seeded } from '../../counts.ts'
import { makesPart, noPart, userId, World } from './world.ts'

type Schedule = <T>(run: () => Promise<T>) => Promise<T>

/** Ports over a world; `schedule` decides when each call runs. */
function ports(world: World, schedule: Schedule = (run) => run()) {
  const scheduled = <T extends object>(port: T): T =>
    new Proxy(port, {
      get: (target, name) => {
        const call: unknown = Reflect.get(target, name)
        return typeof call === 'function' && !makesPart(name)
          ? (...args: unknown[]) => schedule(async () => call(...args))
          : call
      },
    })
  return {
    // safe because the reconciler calls no other function of these ports
    instances: scheduled(world.instances as unknown as Instances),
    conversations: scheduled(world.conversations as unknown as Conversations),
    tasks: scheduled(world.jobs as unknown as Tasks),
    rollouts: scheduled(world.rollouts),
    restorePoints: scheduled(world.restorePoints as unknown as RestorePoints),
    machines: scheduled(world.machines),
    artifacts: scheduled(world.artifacts),
    ids: { next: world.nextId, random: () => '0' },
    settings: {
      stage: 'test',
      production: false,
      publicOrigin: '',
      cell: 'T0',
      imageVersion: world.image,
      logLevel: 'INFO',
    },
    machineTokens: {
      sign: async ({ audience, generation }) => `bmt_${audience}.${generation}`,
      verify: async () => null,
    },
    events: {
      record: async (_, type, data) => void world.states.push(`${type}:${data.state}`),
      entry: noPart,
      after: async () => [],
    },
    connections: nobodyConnected,
    sockets: nobodyConnected,
    clock: { now: () => world.now, sleep: async () => {} },
    bus: { publish: async () => {} },
    schedules: { list: async () => [] } as unknown as Ports['schedules'], // safe because the world has none
    denials: {
      current: async () => ({ fields: new Set<string>(), stops: world.stops }),
    } as unknown as Ports['denials'], // safe because nothing else is asked of it
    users: { find: async () => null } as unknown as Ports['users'], // safe because nothing else is asked of it
    timers: { set: async () => {}, remove: async () => {} },
    alarms: { raise: (name) => void world.states.push(`alarm:${name}`), measure: () => {} },
  } satisfies ReconcilePorts & Record<string, unknown>
}

/** Machines of this world have no connection. */
const nobodyConnected = { list: async () => [] } as unknown as Ports['connections'] & Ports['sockets'] // safe because nothing else is asked of it

const ask = (world: World, verb: InstanceEvent, reason: Reason, deps = ports(world)) =>
  changeInstance(deps, userId, verb, reason, world.now).catch(() => undefined)

const go = (world: World, event?: TaskEvent, deps = ports(world)) => reconcile(deps, userId, world.now, event)

/** Runs the host and the deliveries until nothing changes; the sweep finds lost events. */
async function settle(world: World, active = false): Promise<void> {
  for (let round = 0; round < 10; round++) {
    for (let step = 0; step < 5; step++) {
      world.advance()
      for (const event of world.events.splice(0)) await go(world, event).catch(() => undefined)
    }
    world.now += 16 * minuteMs
    if (active) world.record.lastActivityAt = iso(world.now)
    if ((await world.instances.overdue()).length > 0) await go(world).catch(() => undefined)
  }
}

async function started(): Promise<World> {
  const world = new World()
  await go(world)
  world.advance()
  for (const event of world.events.splice(0)) await go(world, event).catch(() => undefined)
  return world
}

describe('reconciling an instance', () => {
  test('provisions it: starts the machine with its three tokens, records its task, and is running once the host reports it', async () => {
    const world = new World()
    const deps = ports(world)
    const environments: Record<string, string>[] = []
    const run = (...[instance, environment]: Parameters<World['machines']['run']>) => {
      environments.push(environment)
      return world.machines.run(instance, environment)
    }
    await go(world, undefined, { ...deps, machines: { ...world.machines, run } })
    expect(environments).toEqual([
      {
        BERTH_LLM_TOKEN: 'bmt_llm.1',
        BERTH_FILES_TOKEN: 'bmt_files.1',
        BERTH_AGENT_TOKEN: 'bmt_agent.1',
        BERTH_MODEL: 'default',
      },
    ])
    expect(world.record).toMatchObject({ state: 'provisioning', taskArn: 'task-1' })
    await go(world, { generation: 1, taskArn: 'task-1', status: 'running', cause: 'host' })
    expect(world.record).toMatchObject({ state: 'running', taskArn: 'task-1', reason: 'ready' })
    expect(world.states).toEqual(['instance.state_changed:running'])
  })

  test.each(['all', `user#${userId}`])(
    'starts no machine while an operator has blocked %s, and starts it by itself later',
    async (name) => {
      const world = new World()
      world.stops = { [name]: { reason: 'leaking', at: iso(world.now), by: null } }
      await go(world)
      expect(world.tasks).toEqual([])
      expect(world.record).toMatchObject({ state: 'provisioning', failure: { code: 'stopped' }, failedStarts: 0 })
      for (let i = 0; i < 20; i++) {
        world.now += minuteMs
        if ((await world.instances.overdue()).length > 0) await go(world)
      }
      expect(world.tasks).toEqual([])
      expect(world.record).toMatchObject({ state: 'provisioning', failedStarts: 0 })
      world.stops = { 'user#usr_other': { reason: 'spam', at: iso(world.now), by: null } }
      world.now += minuteMs
      expect(await world.instances.overdue()).toEqual([userId])
      await go(world)
      await settle(world, true)
      expect(world.record.state).toBe('running')
      expect(world.record.failure).toBeUndefined()
    },
  )

  test('erases no volume of a blocked user until the block ends', async () => {
    const world = await started()
    world.stops = { [`user#${userId}`]: { reason: 'phishing', at: iso(world.now), by: null } }
    await ask(world, 'delete', 'user')
    const erasers = () => world.tasks.filter(({ role }) => role === 'volume-eraser').length
    await settle(world)
    expect(world.record.state).toBe('erasing')
    expect(erasers()).toBe(0)
    world.stops = {}
    await settle(world)
    expect(erasers()).toBeGreaterThan(0)
  })

  test('pauses, resumes under the next generation, and refreshes by stopping first', async () => {
    const world = await started()
    await ask(world, 'pause', 'user')
    await go(world)
    expect(world.tasks).toMatchObject([{ generation: 1, status: 'stopping' }])
    await settle(world)
    expect(world.record).toMatchObject({ state: 'paused', reason: 'user', generation: 1 })
    await ask(world, 'resume', 'user')
    expect(world.record).toMatchObject({ state: 'resuming', generation: 2, taskArn: null })
    await go(world)
    await settle(world, true)
    expect(world.record).toMatchObject({ state: 'running', generation: 2 })
    await ask(world, 'refresh', 'refresh')
    await go(world)
    expect(world.alive()).toMatchObject([{ generation: 2, status: 'stopping' }])
    await settle(world, true)
    expect(world.record).toMatchObject({ state: 'running', generation: 3, taskArn: 'task-3' })
  })

  test('begins the next generation after a stop that arrives before the start was recorded', async () => {
    const world = new World()
    world.fault = 'dies'
    await expect(go(world)).rejects.toThrow('killed')
    expect(world.record.taskArn).toBeNull()
    world.crash()
    await go(world, world.events.shift())
    expect(world.record).toMatchObject({ state: 'provisioning', generation: 2, taskArn: 'task-2', crashes: 1 })
  })

  test('ignores stops of older generations and other tasks, and stops a running older machine', async () => {
    const world = await started()
    await go(world, { generation: 1, taskArn: 'task-other', status: 'stopped', cause: 'crash' })
    expect(world.record).toMatchObject({ state: 'running', generation: 1 })
    world.record.generation = 2
    world.record.taskArn = 'task-2'
    world.tasks.push({ taskArn: 'task-2', generation: 2, status: 'running' })
    await go(world, { generation: 1, taskArn: 'task-1', status: 'stopped', cause: 'crash' })
    expect(world.record).toMatchObject({ state: 'running', generation: 2 })
    await go(world, { generation: 1, taskArn: 'task-1', status: 'running', cause: 'host' })
    expect(world.tasks).toMatchObject([{ status: 'stopping' }, { status: 'running' }])
  })

  test('retries by the sweep when the host has no capacity; an impossible start fails the instance', async () => {
    const world = new World()
    world.fault = 'no-room'
    await go(world)
    expect(world.record).toMatchObject({
      state: 'provisioning',
      deadlineMs: world.now + 30_000,
      failure: { code: 'start-failed', recoverable: true },
    })
    await go(world)
    expect(world.tasks).toEqual([])
    world.now += 30_000
    await go(world)
    expect(world.record.taskArn).toBe('task-1')

    const hopeless = new World()
    const run = () => Promise.reject(new MachineError('bad definition', false))
    await go(hopeless, undefined, { ...ports(hopeless), machines: { ...hopeless.machines, run } })
    expect(hopeless.record).toMatchObject({ state: 'failed', failure: { code: 'start-failed' } })
  })

  test('alerts the operators about a machine that the host cannot start or that dies repeatedly', async () => {
    const world = await started()
    const alarms = () => world.states.filter((state) => state === 'alarm:MachineStartFailed').length
    const stopped = { generation: 1, taskArn: 'task-1', status: 'stopped', cause: 'crash' } as const
    await go(world, { ...stopped, failureCode: 'start-failed' })
    expect([world.record.state, alarms()]).toEqual(['resuming', 1])
    for (let death = 2; death <= 6; death++) {
      const { generation, taskArn } = world.record
      await go(world, { ...stopped, generation, taskArn: taskArn ?? `task-${generation}` })
      if (world.record.state === 'failed') break
      expect(alarms()).toBe(1)
      world.now += minuteMs
      await go(world)
      world.tasks.splice(0)
    }
    expect([world.record.failure?.code, alarms()]).toEqual(['crash-loop', 2])
  })

  test('waits for the end of an older machine before it starts the next', async () => {
    const world = new World()
    world.record.generation = 2
    world.tasks.push({ taskArn: 'task-1', generation: 1, status: 'running' })
    await go(world)
    expect(world.tasks).toMatchObject([{ generation: 1, status: 'stopping' }])
    await settle(world, true)
    expect(world.record).toMatchObject({ state: 'running', generation: 2 })
    expect(world.doubled).toEqual([])
  })

  test('waits for a running machine that its host cannot find before it starts the next', async () => {
    const world = new World()
    await go(world)
    const unfound = { ...ports(world), machines: { ...world.machines, observe: async () => 'missing' as const } }
    world.now += 6 * minuteMs
    await go(world, undefined, unfound)
    expect(world.record).toMatchObject({ generation: 2, stoppedGeneration: 0, taskArn: null })
    expect(world.tasks).toMatchObject([{ generation: 1, status: 'stopping' }])
    await settle(world, true)
    expect(world.record).toMatchObject({ state: 'running', generation: 2 })
    expect(world.doubled).toEqual([])
  })

  test('keeps at most one machine and reaches the requested state, whether events are reordered, repeated, late or lost', async () => {
    const deed = fc.constantFrom(
      'pause',
      'resume',
      'refresh',
      'wake',
      'suspend',
      'restore',
      'wanted',
      'deliver',
      'again',
      'dies',
      'no-room',
    )
    const between = fc.constantFrom('advance', 'crash', 'lose', 'wait', 'nothing')
    const phase = fc.record({ together: fc.array(deed, { minLength: 1, maxLength: 4 }), passes: between })
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(phase, { maxLength: 12 }), async (scheduler, phases) => {
        const world = new World()
        const deps = ports(world, (run) => scheduler.schedule(Promise.resolve()).then(run))
        for (const { together, passes } of phases) {
          const deeds = together.map((deed) => perform(world, deed, deps).catch(() => undefined))
          await scheduler.waitFor(Promise.all(deeds))
          pass(world, passes)
        }
        await settle(world)
        await settle(world)
        expect(world.doubled).toEqual([])
        const { state, desiredState, generation } = world.record
        if (state === 'failed') expect(world.alive()).toEqual([])
        else {
          expect(state).toBe(desiredState)
          expect(world.alive()).toMatchObject(state === 'running' ? [{ generation, status: 'running' }] : [])
        }
      }),
      seeded(10_000),
    )
  })

  async function perform(world: World, deed: string, deps: ReturnType<typeof ports>): Promise<unknown> {
    if (deed === 'dies' || deed === 'no-room') world.fault = deed
    if (deed === 'dies' || deed === 'no-room' || deed === 'wanted') return go(world, undefined, deps)
    if (deed === 'deliver') return go(world, world.events.shift(), deps)
    if (deed === 'again') return go(world, world.events[0], deps)
    if (deed === 'suspend') return ask(world, 'suspend', 'billing', deps)
    if (deed === 'restore') return ask(world, 'wake', 'subscribed', deps)
    // safe because every remaining deed is a verb
    await ask(world, deed as InstanceEvent, 'user', deps)
    return go(world, undefined, deps)
  }

  function pass(world: World, then: string): void {
    if (then === 'advance') world.advance()
    if (then === 'crash') world.crash()
    if (then === 'lose') world.events.shift()
    if (then === 'wait') world.now += 4 * minuteMs
  }
})
