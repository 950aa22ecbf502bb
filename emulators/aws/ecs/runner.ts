import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { openState, type StateFile } from '../../kit/state-file.ts'
import type { Emit } from '../eventbridge.ts'
import type { FaultInjector } from '../faults.ts'
import { AwsError, idOf } from '../protocols.ts'
import { type LaunchOptions, launchOf } from './launch.ts'
import { killLeftover, launch, type TaskProcess } from './process.ts'
import { type ContainerRecord, type TaskRecord, taskEvent, taskRecord } from './task.ts'
import type { TaskDefinition } from './task-definitions.ts'

/** Milliseconds a stopped task can still be described, as in ECS. */
const REMEMBERED = 60 * 60_000
/** Seconds between a container's SIGTERM and SIGKILL when its definition does not say. */
const STOP_TIMEOUT = 30
/** Milliseconds between two writes of the tasks' records. */
const SAVE_EVERY = 100
/** Milliseconds the tasks get to end by themselves when the whole service stops. */
const CLOSE_GRACE = 3_000

const stateSchema = z.object({
  tasks: z.record(z.string(), taskRecord),
  /** clientToken → what was asked with it and the tasks it made; kept for ever. */
  tokens: z.record(z.string(), z.object({ fingerprint: z.string(), taskArns: z.array(z.string()) })),
})
type State = z.infer<typeof stateSchema>

interface RunnerOptions extends LaunchOptions {
  region: string
  log: (line: string) => void
  emit: Emit
  /** How long a task is PENDING before its containers start, ms. */
  pendingMs: number
  faults: FaultInjector
  /** Why the roles of a definition do not let its tasks start; undefined if they do. */
  mayStart?: (definition: TaskDefinition) => AwsError | undefined
}

/** A container that runs. */
interface Running {
  record: ContainerRecord
  process: TaskProcess
  /** The task ends with it. */
  essential: boolean
  /** Seconds. */
  stopTimeout: number
  killer?: NodeJS.Timeout
}

interface StopReason {
  stopCode?: string
  stoppedReason?: string
}

export class Runner {
  readonly #options: RunnerOptions
  readonly #file: StateFile<State>
  /** Containers that run, by the task's ARN. */
  readonly #live = new Map<string, Set<Running>>()
  #closing = false

  constructor(options: RunnerOptions) {
    this.#options = options
    const initial = { tasks: {}, tokens: {} }
    this.#file = openState(join(options.stateFolder, 'tasks.json'), stateSchema, initial, SAVE_EVERY)
    this.#sweep()
  }

  get state(): State {
    return this.#file.value
  }

  save(): void {
    const { tasks } = this.state
    for (const [arn, task] of Object.entries(tasks))
      if (!task.unreported && (task.stoppedAt ?? Date.now()) < Date.now() - REMEMBERED) delete tasks[arn]
    this.#file.save()
  }

  start(task: TaskRecord, definition: TaskDefinition): void {
    setImmediate(() => this.#run(task, definition).catch((error) => this.#fail(task, error)))
  }

  stop(task: TaskRecord, reason: string): void {
    if (task.desiredStatus === 'STOPPED') return
    this.#stopping(task, { stopCode: 'UserInitiated', stoppedReason: reason })
  }

  /** Emits the STOPPED event of every task that ended unseen, because the emulator had gone before it. */
  reportStopped(): void {
    for (const task of Object.values(this.state.tasks)) {
      if (!task.unreported) continue
      this.#options.emit(taskEvent(task, this.#options.region))
      delete task.unreported
    }
    this.#file.save()
  }

  async close(): Promise<void> {
    this.#closing = true
    const running = [...this.#live.values()].flatMap((containers) => [...containers])
    for (const { process, killer } of running) {
      clearTimeout(killer)
      process.signal('SIGTERM')
    }
    const timer = setTimeout(() => {
      for (const { process } of running) process.signal('SIGKILL')
    }, CLOSE_GRACE)
    await Promise.all(running.map(({ process }) => process.exited))
    clearTimeout(timer)
    this.#file.flush()
  }

  async #run(task: TaskRecord, definition: TaskDefinition): Promise<void> {
    const { faults, pendingMs, mayStart } = this.#options
    if (this.#isOver(task)) return
    this.#move(task, { lastStatus: 'PENDING' })
    faults.check('ecs', 'StartTask', JSON.stringify(task))
    if (pendingMs > 0) await sleep(pendingMs, undefined, { ref: false })
    if (this.#isOver(task)) return
    const refusal = mayStart?.(definition)
    if (refusal) throw new Error(refusal.message)
    const containers = await this.#launch(task, definition)
    for (const running of containers)
      void running.process.exited.then((exitCode) => this.#ended(task, running, exitCode))
    // Stopped, or the service closed, while the programs were being started.
    if (this.#closing) for (const { process } of containers) process.signal('SIGKILL')
    else if (task.desiredStatus === 'STOPPED') this.#terminate(task)
    else this.#runs(task)
  }

  async #launch(task: TaskRecord, definition: TaskDefinition): Promise<Set<Running>> {
    const containers = new Set<Running>()
    this.#live.set(task.taskArn, containers)
    for (const [index, container] of definition.containerDefinitions.entries()) {
      const record = task.containers[index]
      if (!record) throw new Error(`the task has no record of ${container.name}`)
      const process = await launch(launchOf(this.#options, task, definition, container, index > 0))
      record.pid = process.pid
      const { essential, stopTimeout = STOP_TIMEOUT } = container
      containers.add({ record, process, essential, stopTimeout })
    }
    return containers
  }

  #runs(task: TaskRecord): void {
    const pids = task.containers.map(({ pid }) => pid).join(' and ')
    this.#options.log(`task ${task.family} ${idOf(task.taskArn).slice(0, 8)} runs as process ${pids}`)
    this.#move(task, { lastStatus: 'RUNNING', startedAt: Date.now() })
    // The next start ends what is left of it, whenever this one is killed.
    this.#file.flush()
  }

  #ended(task: TaskRecord, running: Running, exitCode: number): void {
    clearTimeout(running.killer)
    const containers = this.#live.get(task.taskArn)
    containers?.delete(running)
    // While the service stops, the record stays as it is: the next start reports the task as gone.
    if (this.#closing) return
    running.record.exitCode = exitCode
    delete running.record.pid
    this.#options.log(`container ${running.record.name} of task ${task.family} ended with ${exitCode}`)
    const because = { stopCode: 'EssentialContainerExited', stoppedReason: 'Essential container in task exited' }
    if (containers?.size === 0) {
      this.#live.delete(task.taskArn)
      this.#finish(task, because)
    } else if (running.essential && task.desiredStatus === 'RUNNING') this.#stopping(task, because)
  }

  #stopping(task: TaskRecord, because: StopReason): void {
    this.#move(task, { desiredStatus: 'STOPPED', stoppingAt: Date.now(), ...because })
    this.#terminate(task)
  }

  #terminate(task: TaskRecord): void {
    for (const running of this.#live.get(task.taskArn) ?? []) {
      if (running.killer) continue
      running.process.signal('SIGTERM')
      running.killer = setTimeout(() => running.process.signal('SIGKILL'), running.stopTimeout * 1000)
    }
  }

  #fail(task: TaskRecord, error: unknown): void {
    if (this.#closing) return
    const message = error instanceof Error ? error.message : String(error)
    this.#options.log(`task ${task.family} did not start: ${message}`)
    for (const container of task.containers) container.reason = message
    for (const { process } of this.#live.get(task.taskArn) ?? []) process.signal('SIGKILL')
    this.#live.delete(task.taskArn)
    this.#finish(task, {
      stopCode: 'TaskFailedToStart',
      stoppedReason: `${error instanceof AwsError ? error.code : 'ResourceInitializationError'}: ${message}`,
    })
  }

  /** Answers true, and finishes the task, when it was stopped before it began. */
  #isOver(task: TaskRecord): boolean {
    if (this.#closing) return true
    if (task.desiredStatus === 'STOPPED') this.#finish(task, {})
    return task.desiredStatus === 'STOPPED'
  }

  #finish(task: TaskRecord, because: StopReason): void {
    const stoppingAt = task.stoppingAt ?? Date.now()
    const reason = task.stopCode ? {} : because
    this.#move(task, { lastStatus: 'DEPROVISIONING', desiredStatus: 'STOPPED', stoppingAt, ...reason })
    rmSync(join(this.#options.stateFolder, 'scratch', idOf(task.taskArn)), { recursive: true, force: true })
    this.#move(task, { lastStatus: 'STOPPED', stoppedAt: Date.now() })
  }

  #move(task: TaskRecord, change: Partial<TaskRecord>): void {
    Object.assign(task, change, { version: task.version + 1 })
    this.#file.save()
    this.#options.emit(taskEvent(task, this.#options.region))
  }

  /** Tasks of an earlier start are gone or are ended; `reportStopped` reports them. */
  #sweep(): void {
    const now = Date.now()
    for (const task of Object.values(this.state.tasks)) {
      if (task.lastStatus === 'STOPPED') continue
      for (const container of task.containers) {
        if (container.pid && killLeftover(container.pid, task.taskArn))
          this.#options.log(`ended left-over process ${container.pid}`)
        delete container.pid
      }
      const why = task.stopCode ? {} : { stopCode: 'TerminationNotice', stoppedReason: 'host restarted' }
      const stopped = { lastStatus: 'STOPPED', desiredStatus: 'STOPPED', ...why, stoppedAt: now, unreported: true }
      Object.assign(task, stopped, { version: task.version + 1 })
    }
    this.#file.save()
  }
}
