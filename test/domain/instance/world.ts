import type { TaskEvent } from '../../../app/instance/reconcile.ts'
import type { Conversations } from '../../../app/ports/chat.ts'
import type { Artifacts, RestorePoints, Tasks } from '../../../app/ports/files.ts'
import type { Instances, Machines, Rollouts } from '../../../app/ports/instance.ts'
import type { Intents } from '../../../app/ports/outbox.ts'
import type { Part, PartItem } from '../../../app/ports/part.ts'
import type { TaskState, VolumeJob } from '../../../domain/agent/task.ts'
import type { StoredPoint } from '../../../domain/files/restore-point.ts'
import type { InstanceRecord } from '../../../domain/instance/instance.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { MachineError, type TaskStatus } from '../../../domain/instance/machine.ts'
import { withTask } from '../../../domain/instance/machine-tasks.ts'
import { newRollout, type Rollout } from '../../../domain/instance/rollout.ts'
import type { Stops } from '../../../domain/operator/stops.ts'
import type { StoredIntent } from '../../../domain/outbox.ts'
import { iso, minuteMs } from '../../../domain/time.ts'
import { NotedRuns } from './noted-runs.ts'

interface Task {
  taskArn: string
  generation: number
  status: TaskStatus
  image?: string
  /** Empty for the agent's machine. */
  role?: string
}

interface Prompt {
  id: string
  atMs: number
  answeredMs: number | null
  promised?: boolean
}

/** A machine that still runs although its host reports it stopped or does not know it, with the prompts of its turn. */
interface UnseenMachine {
  generation: number
  role: string
  turn: Prompt[]
}

export const noPart = (): Part => ({ items: [], isWritten: false })

/** Whether a port's function makes a part of a write. It touches no store, and answers at once. */
export const makesPart = (name: string | symbol): boolean => name === 'entry' || name === 'items'

/** An item of this world. */
const itemOf = (write: () => void): PartItem => ({ write })

/** Does the writes of parts. */
function writeAll(also: readonly Part[]): void {
  for (const part of also) {
    // safe because `itemOf` makes each item
    for (const { write } of part.items) (write as () => void)()
    part.isWritten = true
  }
}

export const userId = 'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0'

/** One instance with its store and host, as small as possible while it can still fail in every important way. */
export class World {
  now = Date.UTC(2026, 10, 1)
  record: InstanceRecord = newInstance({ instanceId: 'ins_1', userId }, 'starter', '1', this.now)
  readonly tasks: Task[] = []
  readonly runs = new NotedRuns()
  /** Undelivered events. */
  events: TaskEvent[] = []
  /** Starts that found another machine on the volume. */
  readonly doubled: string[] = []
  readonly states: string[] = []
  /** The fault of the next start: the reconciler dies after it, or the host has no capacity. */
  fault: 'dies' | 'no-room' | null = null
  /** Prompts with their times of arrival and reply. */
  readonly prompts: Prompt[] = []
  readonly unseen: UnseenMachine[] = []
  readonly asked = new Map<string, TaskState & { job: VolumeJob }>()
  /**
   * The damage of a bad image to the volume, the state in the restore points, and whether the owner was notified that
   * none was good.
   */
  volume: 'fine' | 'spoilt' = 'fine'
  readonly saved = new Map<string, World['volume']>()
  noWayBack = false
  /** Events of this life that not every life has. */
  readonly seen = new Set<string>()
  /** Tasks whose permanent failure was reported. */
  readonly givenUp: string[] = []
  /** The operators' blocks. */
  stops: Stops = {}
  rollout: Rollout = newRollout('1')
  /** The stage's image, and the images that crash. */
  image = '1'
  readonly badImages = new Set<string>()
  removed = 0
  /** Whether a machine was ever started for this instance. */
  started = false
  /** Number of calls that it takes to delete the instance's data outside of its volume. */
  kept = 2
  private ids = 0

  constructor() {
    this.runs.note(null, this.record)
  }

  readonly instances = {
    find: async () => structuredClone(this.record),
    save: async (next, previous) => {
      if (previous.version !== this.record.version || previous.taskArn !== this.record.taskArn) return false
      this.runs.note(previous, next)
      this.record = structuredClone(next)
      return true
    },
    setTask: async ({ generation, tasks }, taskArn, nowMs) => {
      if (generation !== this.record.generation) return false
      this.record.taskArn = taskArn
      this.record.tasks = withTask(tasks, taskArn, nowMs)
      return true
    },
    create: async (record) => {
      if (this.record.state !== 'deleted') return false
      this.runs.note(null, record)
      this.record = structuredClone(record)
      this.kept = 2
      this.volume = 'fine'
      this.started = false
      return true
    },
    markErased: async (_, generation) => {
      if (generation !== this.record.generation || this.record.state !== 'erasing') return false
      this.record.volumeErased = true
      return true
    },
    touch: async (_, at, by) => {
      this.record.lastActivityAt = at
      if (by === 'person') this.record.attendedAt = at
      return structuredClone(this.record)
    },
    overdue: async () => (this.record.deadlineMs !== null && this.record.deadlineMs <= this.now ? [userId] : []),
  } satisfies Partial<Instances>

  readonly conversations = {
    receive: async (_, message, _trigger, _attachments, _trace, _limits, ...also) => {
      if (this.prompts.some(({ id }) => id === message.id)) return false
      this.prompts.push({ id: message.id, atMs: this.now, answeredMs: null })
      writeAll(also)
      return true
    },
    openSince: async (_, sinceMs) =>
      this.prompts.some((prompt) => prompt.answeredMs === null && prompt.atMs >= sinceMs),
    // A machine of this world accepts messages at once.
    untaken: async () => false,
  } satisfies Partial<Conversations>

  private intents: StoredIntent[] = []
  readonly outbox: Intents = {
    items: ({ intents = [] }) => intents.map((intent) => itemOf(() => void this.intents.push(intent))),
    add: async (intents) => {
      this.intents.push(...intents)
    },
    due: async (shard) =>
      this.intents
        .filter(({ createdMs }) => shard === 0 && createdMs + minuteMs <= this.now)
        .map(({ userId, id, createdMs }) => ({ userId, id, dueMs: createdMs + minuteMs })),
    claim: async ({ id }) => this.intents.find((intent) => intent.id === id) ?? null,
    remove: async (intent) => {
      this.intents = this.intents.filter(({ id }) => id !== intent.id)
    },
  }

  readonly jobs = {
    add: async (_, id, job, _nowMs, ...also) => {
      this.asked.set(id, { state: 'open', at: iso(this.now), job })
      writeAll(also)
      return true
    },
    entry: (_, id, job) => ({
      items: [itemOf(() => void this.asked.set(id, { state: 'open', at: iso(this.now), job }))],
      isWritten: false,
    }),
    addOwn: async (_, id, job) => {
      if (!this.asked.has(id)) this.asked.set(id, { state: 'open', at: iso(this.now), job })
    },
    find: async (_, id) => this.asked.get(id) ?? null,
    listOpen: async () => this.openTasks(),
    cancel: async (_, id) => {
      this.givenUp.push(id)
      if (this.asked.get(id)?.job.kind === 'restore') this.noWayBack = true
      return this.asked.delete(id)
    },
  } satisfies Partial<Tasks>

  readonly points: StoredPoint[] = []
  readonly restorePoints = {
    list: async () => structuredClone(this.points),
    add: async (_, point, ...also) => {
      this.points.push(point)
      writeAll(also)
      return true
    },
    remove: async (_, id, ...also) => {
      this.points.splice(0, this.points.length, ...this.points.filter((point) => point.id !== id))
      writeAll(also)
      return true
    },
    finish: async (_, id, how) => {
      const point = this.points.find((candidate) => candidate.id === id)
      Object.assign(point ?? {}, how)
      return point !== undefined
    },
  } satisfies Partial<RestorePoints>

  readonly artifacts: Artifacts = {
    erase: async () => {
      if (this.alive().length > 0) this.doubled.push('erased under a machine')
      this.kept = Math.max(this.kept - 1, 0)
      return this.kept === 0
    },
  }

  readonly rollouts: Rollouts = {
    find: async (version) => structuredClone(this.rollout.version === version ? this.rollout : newRollout(version)),
    save: async (next, previous) => {
      const now = this.rollout.version === next.version ? this.rollout : newRollout(next.version)
      if (now.revision !== previous.revision) return false
      this.rollout = structuredClone({ ...next, revision: previous.revision + 1 })
      return true
    },
  }

  readonly nextId = (prefix: string): string => `${prefix}_${++this.ids}`

  readonly machines: Machines = {
    run: async ({ generation, imageVersion }, { BERTH_ROLE: role = '' }) => {
      const { fault } = this
      this.fault = null
      if (fault === 'no-room') throw new MachineError('no room', true)
      const known = this.tasks.find((task) => task.generation === generation)
      const others = this.alive().filter((task) => task.generation !== generation)
      if (!known && others.length > 0)
        this.doubled.push(`${generation} beside ${others.map((task) => task.generation)}`)
      const taskArn = known?.taskArn ?? `task-${generation}`
      this.started = true
      if (!known) this.tasks.push({ taskArn, generation, status: 'starting', image: imageVersion, role })
      if (fault === 'dies') throw new Error('the function was killed')
      return taskArn
    },
    stop: async (taskArn) => {
      const task = this.tasks.find((candidate) => candidate.taskArn === taskArn)
      if (task?.status === 'starting' || task?.status === 'running') task.status = 'stopping'
    },
    observe: async (taskArn) => this.statusOf(taskArn),
    observeAll: async (arns) => new Map(arns.map((taskArn) => [taskArn, this.statusOf(taskArn)])),
    alive: async () => this.alive().map(({ taskArn, generation }) => ({ taskArn, generation })),
    hasVolume: async () => this.started,
    remove: async () => {
      if (this.alive().length > 0) this.doubled.push('removed under a machine')
      if (!this.record.volumeErased) this.doubled.push('removed before its volume was empty')
      if (this.kept > 0) this.doubled.push('removed before it was erased')
      this.removed++
    },
  }

  private statusOf(taskArn: string): TaskStatus {
    return this.tasks.find((task) => task.taskArn === taskArn)?.status ?? 'missing'
  }

  alive(): Task[] {
    return this.tasks.filter(({ status }) => status !== 'stopped' && status !== 'missing')
  }

  /** The host advances every task by one step and reports it. */
  advance(): void {
    for (const task of this.alive()) {
      if (task.status === 'starting' && this.badImages.has(task.image ?? '')) this.spoil(task)
      else if (task.status === 'starting') this.run(task)
      else if (task.status === 'stopping') this.move(task, 'stopped', 'host')
    }
  }

  private spoil(task: Task): void {
    if (!task.role) {
      this.volume = 'spoilt'
      this.noWayBack ||= this.record.previousImage === null || this.record.preUpgradePoint === null
    }
    this.move(task, 'stopped', 'crash')
  }

  private run(task: Task): void {
    const awaited = this.noWayBack || this.openTasks().some(({ job }) => job.kind === 'restore')
    if (!task.role && this.volume === 'spoilt' && !awaited) this.doubled.push('an agent on a spoilt volume')
    if (task.role) this.seen.add(task.role)
    this.move(task, 'running', 'host')
  }

  /** The file operation that a person waits for. */
  openTasks(): { id: string; job: VolumeJob }[] {
    return [...this.asked].flatMap(([id, { state, job }]) =>
      state === 'open' && job.kind !== 'drain' ? [{ id, job }] : [],
    )
  }

  /** A machine does its work; one without the agent ends after it, unless it hangs. */
  work(machine: Task, mood: 'ready' | 'busy' | 'none'): void {
    if (!machine.role) this.serve(mood)
    if (!machine.role || mood === 'none') return
    if (machine.role === 'volume-eraser') void this.instances.markErased(userId, machine.generation)
    else for (const { id } of this.openTasks()) this.do(id)
    if (mood === 'ready') this.move(machine, 'stopped', 'crash')
  }

  private do(id: string): void {
    const job = this.asked.get(id)?.job ?? { kind: 'export' as const }
    if (job.kind === 'snapshot') {
      this.saved.set(job.pointId, this.volume)
      Object.assign(this.points.find(({ id: point }) => point === job.pointId) ?? {}, { state: 'ready' })
    }
    if (job.kind === 'restore') this.seen.add('gone back')
    if (job.kind === 'restore') this.volume = this.saved.get(job.pointId) ?? this.volume
    const summary = { files: 0, bytes: 0, skipped: { links: 0, devices: 0, sockets: 0, pipes: 0, unreadable: 0 } }
    this.asked.set(id, { state: 'done', result: { kind: 'export', summary, archiveBytes: 0 }, job })
  }

  /** The machine answers waiting prompts, people first. */
  private serve(mood: 'ready' | 'busy' | 'none'): void {
    this.answer(this.openPrompts())
    if (mood === 'none') return
    const result = { kind: 'drain' as const, answer: mood, retryAfterSeconds: 60 }
    for (const { id } of this.openTasks()) this.do(id)
    for (const [id, { state, job }] of this.asked)
      if (state === 'open') this.asked.set(id, { state: 'done', result, job })
  }

  private readonly openPrompts = (): Prompt[] => this.prompts.filter(({ answeredMs }) => answeredMs === null)

  private answer(prompts: readonly Prompt[]): void {
    for (const prompt of prompts) {
      if (prompt.answeredMs !== null) this.doubled.push(`${prompt.id} answered twice`)
      prompt.answeredMs = this.now
      this.record.lastActivityAt = iso(this.now)
    }
  }

  /**
   * The host takes a machine in the middle of its turn for stopped, with or without a report, or no longer knows it.
   */
  loseSight(how: 'stopped' | 'stopped unsaid' | 'missing'): void {
    for (const task of this.alive()) {
      this.unseen.push({ generation: task.generation, role: task.role ?? '', turn: this.openPrompts() })
      if (how === 'stopped') this.move(task, 'stopped', 'host')
      else task.status = how === 'missing' ? 'missing' : 'stopped'
    }
  }

  /**
   * An unseen machine continues while its tokens are valid: it ends its turn, begins another, and writes to the volume.
   */
  goOnUnseen(isGood: (generation: number) => boolean): void {
    for (const machine of [...this.unseen]) {
      if (!isGood(machine.generation)) {
        this.unseen.splice(this.unseen.indexOf(machine), 1)
        this.seen.add('superseded')
      } else if (!machine.role) {
        this.answer(machine.turn)
        machine.turn = this.openPrompts()
        this.seen.add('unseen')
      } else if (machine.role === 'volume-eraser') void this.instances.markErased(userId, machine.generation)
      else for (const { id } of this.openTasks()) this.do(id)
    }
  }

  crash(): void {
    for (const task of this.alive()) this.move(task, 'stopped', 'crash')
  }

  private move(task: Task, status: 'running' | 'stopped', cause: 'crash' | 'host'): void {
    task.status = status
    this.events.push({ generation: task.generation, taskArn: task.taskArn, status, cause })
  }
}
