import type { Ports } from '../../../adapters/ports.ts'
import { receiveMessage } from '../../../app/chat/receive-message.ts'
import { runSchedule } from '../../../app/chat/run-schedule.ts'
import { requireVolume } from '../../../app/files/volume-jobs.ts'
import { sweepOutbox } from '../../../app/follow-ups/sweep.ts'
import { changeInstance, resumeOrRenew } from '../../../app/instance/change.ts'
import { reconcile } from '../../../app/instance/reconcile.ts'
import { unaudited } from '../../../app/outbox/outbox.ts'
import type { Conversations, Events } from '../../../app/ports/chat.ts'
import type { RestorePoints, Tasks } from '../../../app/ports/files.ts'
import type { Instances } from '../../../app/ports/instance.ts'
import { liveGeneration, type Reason, shownState, spendingGeneration } from '../../../domain/instance/instance.ts'
import type { InstanceEvent } from '../../../domain/instance/transitions.ts'
import { iso, minuteMs, secondMs } from '../../../domain/time.ts'
import type { MachineClaims } from '../../../domain/tokens/machine-token.ts'
import { newWallet } from '../../../domain/wallet/state.ts'
import { makesPart, noPart, userId, World } from './world.ts'

/** A small seeded random number generator. */
function random(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Deed = InstanceEvent | 'files' | 'message' | 'schedule' | 'restore' | 'wanted' | 'deliver' | 'again' | 'sweep'

/**
 * Three kinds of lives: busy, mostly asleep, and on a bad host. `dies` is the probability that a call is its function's
 * last.
 */
const tempers: { deeds: Deed[]; dies: number; faults: number; waits: number[] }[] = [
  {
    deeds: [
      ...(['message', 'message', 'message', 'pause', 'resume', 'refresh', 'schedule', 'suspend', 'restore'] as const),
      ...(['delete', 'files', 'files', 'wanted', 'deliver', 'deliver', 'again', 'sweep', 'sweep'] as const),
    ],
    dies: 0.01,
    faults: 1,
    waits: [secondMs, 20 * secondMs, minuteMs, 4 * minuteMs, 16 * minuteMs],
  },
  {
    deeds: ['message', 'schedule', 'files', 'files', 'sweep', 'sweep', 'sweep', 'deliver', 'deliver', 'wanted'],
    dies: 0.002,
    faults: 0.2,
    waits: [secondMs, minuteMs, minuteMs, minuteMs, 16 * minuteMs, 16 * minuteMs],
  },
  {
    deeds: [
      'pause',
      'resume',
      'resume',
      'files',
      'files',
      'suspend',
      'restore',
      'refresh',
      'message',
      'wanted',
      'deliver',
      'sweep',
      'sweep',
    ],
    dies: 0.1,
    faults: 3,
    waits: [secondMs, minuteMs, 4 * minuteMs, 6 * minuteMs],
  },
]

/** One user's life in virtual time: requests, host events and failures, in an order that the seed decides. */
export class Simulation {
  readonly world = new World()
  readonly wrong: string[] = []
  private readonly chance: () => number
  private queue: (() => void)[] = []
  /** Generations with issued tokens, and their instances. */
  private readonly issued = new Map<number, string>()
  /** Tasks whose events reached the reconciler. */
  private readonly promisedTasks = new Set<string>()
  private moody = true

  private readonly temper: (typeof tempers)[number]

  constructor(seed: number) {
    this.chance = random(seed)
    this.temper = tempers[seed % tempers.length] ?? this.pick(tempers)
  }

  private readonly pick = <T>(from: readonly T[]): T => from[Math.floor(this.chance() * from.length)] as T // safe because no list is empty

  private ports(): Ports {
    const { world } = this
    /** Each call runs in its turn among the calls of concurrent functions. */
    const taken = <T extends object>(port: T): T =>
      new Proxy(port, {
        get: (target, name) => {
          const call: unknown = Reflect.get(target, name)
          if (typeof call !== 'function' || makesPart(name)) return call
          return (...args: unknown[]) =>
            new Promise((resolve, reject) => {
              this.queue.push(() => void Promise.resolve(call(...args)).then(resolve, reject))
            })
        },
      })
    const machineTokens = {
      sign: async ({ audience, instanceId, generation }: MachineClaims) => {
        const { record } = world
        const spends = record.generation !== generation || spendingGeneration(record) === generation
        if (audience === 'llm' && !spends && liveGeneration(record) > 0) this.wrong.push('a volume worker may spend')
        const other = this.issued.get(generation)
        if (other !== undefined && other !== instanceId) this.wrong.push(`generation ${generation} given out twice`)
        this.issued.set(generation, instanceId)
        return ''
      },
    }
    const schedules = {
      find: async () => ({
        id: 'sch_1',
        cron: '',
        timeZone: '',
        text: 'brief',
        createdAt: '',
        paused: false,
        runs: [],
      }),
      ran: async () => {},
    }
    const money = { ...newWallet(userId), available: 1_000_000 }
    // safe because the simulation calls no other function of these ports
    return {
      instances: taken(world.instances as unknown as Instances),
      conversations: taken(world.conversations as unknown as Conversations),
      tasks: taken(world.jobs as unknown as Tasks),
      rollouts: taken(world.rollouts),
      restorePoints: taken(world.restorePoints as unknown as RestorePoints),
      machines: taken(world.machines),
      artifacts: taken(world.artifacts),
      machineTokens: taken(machineTokens),
      events: {
        record: async () => {},
        entry: noPart,
        after: async () => [],
      } satisfies Events,
      bus: { publish: async () => {} },
      schedules: { ...schedules, list: async () => [] },
      outbox: taken(world.outbox),
      users: { find: async () => null },
      wallets: { read: async () => money },
      clock: { now: () => world.now, sleep: async () => {} },
      ids: { next: world.nextId, random: () => '0' },
      settings: { imageVersion: world.image },
      denials: { current: async () => ({ fields: new Set(), stops: world.stops }) },
      alarms: { raise: () => {}, measure: () => {} },
    } as unknown as Ports
  }

  private act(deed: Deed, deps: Ports): Promise<unknown> {
    const { world } = this
    const ask = (verb: InstanceEvent, reason: Reason) => changeInstance(deps, userId, verb, reason, world.now)
    if (deed === 'message') return this.message(deps)
    if (deed === 'files') return this.files(deps)
    if (deed === 'schedule') return this.promised(() => runSchedule(deps, this.due(), world.now))
    if (deed === 'resume') return resumeOrRenew(deps, userId, 'starter', world.now, unaudited)
    if (deed === 'suspend') return ask('suspend', 'billing')
    if (deed === 'restore') return ask('wake', 'subscribed')
    if (deed === 'delete') return this.chance() < 0.3 ? ask('delete', 'user') : Promise.resolve()
    if (deed === 'deliver') return this.heard(deps, world.events.shift())
    if (deed === 'again') return this.heard(deps, world.events[0])
    if (deed === 'wanted') return reconcile(deps, userId, world.now)
    if (deed === 'sweep') return this.sweep(deps)
    return ask(deed, deed === 'refresh' ? 'refresh' : 'user')
  }

  private async sweep(deps: Ports): Promise<void> {
    await sweepOutbox(deps, this.world.now)
    if (this.isDue()) await reconcile(deps, userId, this.world.now)
  }

  private readonly heard = async (deps: Ports, event: World['events'][number] | undefined) =>
    event && reconcile(deps, userId, this.world.now, event)

  private readonly due = () => ({ userId, scheduleId: 'sch_1', dueAt: iso(this.world.now - (this.world.now % 1000)) })

  private readonly message = (deps: Ports) =>
    this.promised(() =>
      receiveMessage(deps, userId, { text: 'hello', conversation: 'main', channel: 'web' }, this.world.now),
    )

  /** Requests a file operation like the API does; the reconciler gets its event, or a sweep finds it. */
  private async files(deps: Ports): Promise<void> {
    const id = deps.ids.next('tsk')
    requireVolume(await deps.instances.find(userId))
    await deps.tasks.add(userId, id, { kind: 'export' }, this.world.now)
    await reconcile(deps, userId, this.world.now)
    this.promisedTasks.add(id)
  }

  /** The sender got a response that the message was accepted. */
  private async promised(send: () => Promise<unknown>): Promise<void> {
    const kept = this.world.prompts.length
    await send()
    for (const prompt of this.world.prompts.slice(kept)) prompt.promised = true
  }

  private readonly isDue = (): boolean => (this.world.record.deadlineMs ?? Number.POSITIVE_INFINITY) <= this.world.now

  /** Runs some deeds concurrently with their calls in any order; a function may die after any call. */
  async together(some: Deed[]): Promise<void> {
    const deps = this.ports()
    let working = some.length
    for (const deed of some)
      void this.act(deed, deps).then(
        () => working--,
        () => working--,
      )
    for (let idle = 0; working > 0 && idle < 20; ) {
      await settled()
      const next = this.queue.splice(Math.floor(this.chance() * this.queue.length), 1)[0]
      idle = next ? 0 : idle + 1
      if (next && this.moody && this.chance() < this.temper.dies) working--
      else next?.()
      this.check()
    }
    this.queue = []
  }

  /** Steps of the host and the machine by themselves. */
  host(): void {
    const { world } = this
    const fate = this.moody ? this.chance() / this.temper.faults : 1
    if (fate < 0.05) world.crash()
    else if (fate < 0.1) world.events.shift()
    else if (fate < 0.13) world.events.push(...world.events.slice(0, 1))
    else if (fate < 0.16) world.fault = this.pick(['dies', 'no-room'] as const)
    else if (fate < 0.17) world.image = `${world.now}`
    else if (fate < 0.2) this.badImage()
    else if (fate < 0.23) world.loseSight(this.pick(['stopped', 'stopped unsaid', 'missing'] as const))
    else world.advance()
    // Every call of the unseen machine is judged this way.
    world.goOnUnseen((generation) => generation === liveGeneration(world.record))
    const live = liveGeneration(world.record)
    const machine = world.tasks.find(({ generation, status }) => generation === live && status === 'running')
    if (machine && (!this.moody || this.chance() < 0.7))
      world.work(machine, this.moody ? this.pick(['ready', 'busy', 'none']) : 'ready')
  }

  private badImage(): void {
    this.world.image = `bad-${this.world.now}`
    this.world.badImages.add(this.world.image)
  }

  private check(): void {
    const { world } = this
    if (world.doubled.length > 0) this.wrong.push(world.doubled.join())
    const live = liveGeneration(world.record)
    const good = [...world.alive(), ...world.unseen].filter(({ generation }) => generation === live)
    if (good.length > 1) this.wrong.push(`two machines have good tokens of ${live}`)
    const holder = this.issued.get(live)
    if (live > 0 && holder !== undefined && holder !== world.record.id) this.wrong.push('an old token is good again')
    this.wrong.push(...world.runs.problems)
  }

  async live(steps: number): Promise<void> {
    for (let step = 0; step < steps && this.wrong.length === 0; step++) {
      await this.together(Array.from({ length: 1 + Math.floor(this.chance() * 3) }, () => this.pick(this.temper.deeds)))
      this.host()
      this.world.now += this.pick(this.temper.waits)
    }
  }

  /** No failures and no new requests: six hours in which everything must settle. */
  async quiet(): Promise<void> {
    this.moody = false
    this.world.fault = null
    // The operator who rolled out a bad image rolls out a good one.
    if (this.world.badImages.has(this.world.image)) this.world.image = 'mended'
    for (let minute = 0; minute < 360 && this.wrong.length === 0; minute += minute < 30 ? 1 : 5) {
      for (let turn = 0; turn < 3; turn++) {
        this.host()
        while (this.world.events.length > 0) await this.together(['deliver'])
      }
      await this.together(['sweep'])
      this.world.now += (minute < 30 ? 1 : 5) * minuteMs
    }
  }

  /** The problems that remain once everything has settled. */
  verdict(): string[] {
    const { record, now, prompts } = this.world
    const { desiredState, deadlineMs, reason } = record
    const state = shownState(record)
    const found = [...this.wrong]
    if (state !== 'failed' && state !== desiredState) found.push(`${state} though ${desiredState} is wanted`)
    if (state === 'paused' && !['user', 'idle', 'billing'].includes(reason)) found.push(`paused for ${reason}`)
    if (deadlineMs !== null && deadlineMs < now - 16 * minuteMs) found.push(`${state} past its deadline`)
    if (this.world.volume === 'spoilt' && !this.world.noWayBack && state === 'running') found.push('a spoilt volume')
    const alive = this.world.alive()
    if (alive.length !== (state === 'running' ? 1 : 0)) found.push(`${alive.length} machines while ${state}`)
    const lost = this.world.unseen.filter(({ generation }) => generation === liveGeneration(record))
    if (lost.length > 0) found.push(`a machine that nobody sees has good tokens while ${state}`)
    const excused = ['failed', 'deleted'].includes(state) || (state === 'paused' && reason !== 'idle')
    if (!excused && prompts.some(({ promised, answeredMs }) => promised && answeredMs === null))
      found.push('a lost prompt')
    const waiting = this.world.openTasks().filter(({ id }) => this.promisedTasks.has(id))
    if (!['failed', 'deleted'].includes(state) && waiting.length > 0) found.push('a lost task')
    return found
  }
}

/** Lets all pending promises continue. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 12; turn++) await null
}
