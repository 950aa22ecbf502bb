import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { openState } from '../../kit/state-file.ts'
import type { FileSystems } from '../efs.ts'
import type { Emit } from '../eventbridge.ts'
import type { FaultInjector } from '../faults.ts'
import { AwsError } from '../protocols.ts'
import { runsApart } from './apart.ts'
import { killLeftover, type Launch, launch, type TaskProcess } from './process.ts'
import { type ContainerRecord, type TaskRecord, taskEvent, taskRecord } from './task.ts'
import type { ContainerDefinition, TaskDefinition } from './task-definitions.ts'

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

/** How a container image runs on this host. */
export type TaskCommand = (container: { taskArn: string; image: string; command?: string[] }) => {
  file: string
  args: string[]
  cwd: string
  /** The image's own variables. */
  environment?: Record<string, string>
}

export interface RunnerOptions {
  stateFolder: string
  region: string
  log: (line: string) => void
  emit: Emit
  taskCommand: TaskCommand
  /** How long a task is PENDING before its containers start, ms. */
  pendingMs: number
  volumeVariable: string
  fileSystems: Pick<FileSystems, 'root'>
  faults: FaultInjector
  /** Why the roles of a definition do not let its tasks start; undefined if they do. */
  mayStart?: (definition: TaskDefinition) => AwsError | undefined
}

export interface Runner {
  state: z.infer<typeof stateSchema>
  save(): void
  start(task: TaskRecord, definition: TaskDefinition): void
  stop(task: TaskRecord, reason: string): void
  /** Emits the STOPPED event of every task that ended unseen, because the emulator had gone before it. */
  reportStopped(): void
  close(): Promise<void>
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

const idOf = ({ taskArn }: TaskRecord): string => taskArn.split('/').at(-1) ?? taskArn

export function startRunner(options: RunnerOptions): Runner {
  const file = openState(join(options.stateFolder, 'tasks.json'), stateSchema, { tasks: {}, tokens: {} }, SAVE_EVERY)
  /** Containers that run, by the task's ARN. */
  const live = new Map<string, Set<Running>>()
  let closing = false

  function move(task: TaskRecord, change: Partial<TaskRecord>): void {
    Object.assign(task, change, { version: task.version + 1 })
    file.save()
    options.emit(taskEvent(task, options.region))
  }

  async function run(task: TaskRecord, definition: TaskDefinition): Promise<void> {
    if (over(task)) return
    move(task, { lastStatus: 'PENDING' })
    options.faults.check('ecs', 'StartTask', JSON.stringify(task))
    if (options.pendingMs > 0) await sleep(options.pendingMs, undefined, { ref: false })
    if (over(task) || closing) return
    const refusal = options.mayStart?.(definition)
    if (refusal) throw new Error(refusal.message)
    const containers = new Set<Running>()
    live.set(task.taskArn, containers)
    for (const [index, container] of definition.containerDefinitions.entries()) {
      const record = task.containers[index]
      if (!record) throw new Error(`the task has no record of ${container.name}`)
      const process = await launch(launchOf(task, definition, container, index > 0))
      record.pid = process.pid
      containers.add({
        record,
        process,
        essential: container.essential,
        stopTimeout: container.stopTimeout ?? STOP_TIMEOUT,
      })
    }
    for (const running of containers) void running.process.exited.then((exitCode) => ended(task, running, exitCode))
    // Stopped, or the service closed, while the programs were being started.
    if (closing) for (const { process } of containers) process.signal('SIGKILL')
    else if (task.desiredStatus === 'STOPPED') terminate(task)
    else {
      const pids = task.containers.map(({ pid }) => pid).join(' and ')
      options.log(`task ${task.family} ${idOf(task).slice(0, 8)} runs as process ${pids}`)
      move(task, { lastStatus: 'RUNNING', startedAt: Date.now() })
      // The next start ends what is left of it, whenever this one is killed.
      file.flush()
    }
  }

  /** `others`: the task has one before it, from which it runs apart. */
  function launchOf(
    task: TaskRecord,
    definition: TaskDefinition,
    container: ContainerDefinition,
    others: boolean,
  ): Launch {
    const override = task.overrides.containerOverrides?.find(({ name }) => name === container.name)
    const command = override?.command ?? container.command
    const { taskArn } = task
    const { environment: ofImage, ...program } = options.taskCommand({
      taskArn,
      image: container.image,
      ...(command ? { command } : {}),
    })
    const { stateFolder } = options
    const empty = join(stateFolder, 'empty')
    const scratch = join(stateFolder, 'scratch', idOf(task), container.name)
    const volume = folderOf(definition, container)
    const kept = [scratch, ...(volume ? [volume] : [])]
    for (const folder of [...kept, empty]) mkdirSync(folder, { recursive: true })
    return {
      ...program,
      taskArn,
      environment: {
        ...ofImage,
        ...pairs(container.environment),
        ...pairs(override?.environment),
        ...(volume && { [options.volumeVariable]: volume }),
      },
      logFile: join(stateFolder, 'logs', task.family, container.name, `${idOf(task)}.log`),
      scratch,
      ...(others && runsApart() && { view: { hidden: stateFolder, empty, kept, image: program.cwd } }),
    }
  }

  /** Answers true, and finishes the task, when it was stopped before it began. */
  function over(task: TaskRecord): boolean {
    if (closing) return true
    if (task.desiredStatus === 'STOPPED') finish(task, {})
    return task.desiredStatus === 'STOPPED'
  }

  /** A container cannot mount its volume at the requested path: the program gets the real folder in a variable. */
  function folderOf({ volumes }: TaskDefinition, { mountPoints = [] }: ContainerDefinition): string | undefined {
    for (const { sourceVolume } of mountPoints) {
      const efs = volumes.find(({ name }) => name === sourceVolume)?.efsVolumeConfiguration
      if (!efs) continue
      const accessPointId = efs.authorizationConfig?.accessPointId
      const root = accessPointId
        ? options.fileSystems.root(efs.fileSystemId, accessPointId)
        : { path: efs.rootDirectory ?? '/', create: true }
      if (!root) throw new Error(`access point ${accessPointId} does not exist in ${efs.fileSystemId}`)
      const folder = join(options.stateFolder, 'volumes', efs.fileSystemId, root.path)
      if (root.create) mkdirSync(folder, { recursive: true, mode: 0o700 })
      return folder
    }
    return undefined
  }

  function terminate(task: TaskRecord): void {
    for (const running of live.get(task.taskArn) ?? []) {
      if (running.killer) continue
      running.process.signal('SIGTERM')
      running.killer = setTimeout(() => running.process.signal('SIGKILL'), running.stopTimeout * 1000)
    }
  }

  function ended(task: TaskRecord, running: Running, exitCode: number): void {
    clearTimeout(running.killer)
    const containers = live.get(task.taskArn)
    containers?.delete(running)
    // While the service stops, the record stays as it is: the next start reports the task as gone.
    if (closing) return
    running.record.exitCode = exitCode
    delete running.record.pid
    options.log(`container ${running.record.name} of task ${task.family} ended with ${exitCode}`)
    const because = { stopCode: 'EssentialContainerExited', stoppedReason: 'Essential container in task exited' }
    if (containers?.size === 0) {
      live.delete(task.taskArn)
      finish(task, because)
    } else if (running.essential && task.desiredStatus === 'RUNNING') {
      move(task, { desiredStatus: 'STOPPED', stoppingAt: Date.now(), ...because })
      terminate(task)
    }
  }

  function finish(task: TaskRecord, because: { stopCode?: string; stoppedReason?: string }): void {
    const now = Date.now()
    const reason = task.stopCode ? {} : because
    move(task, {
      lastStatus: 'DEPROVISIONING',
      desiredStatus: 'STOPPED',
      stoppingAt: task.stoppingAt ?? now,
      ...reason,
    })
    rmSync(join(options.stateFolder, 'scratch', idOf(task)), { recursive: true, force: true })
    move(task, { lastStatus: 'STOPPED', stoppedAt: Date.now() })
  }

  function fail(task: TaskRecord, error: unknown): void {
    if (closing) return
    const message = error instanceof Error ? error.message : String(error)
    options.log(`task ${task.family} did not start: ${message}`)
    for (const container of task.containers) container.reason = message
    for (const { process } of live.get(task.taskArn) ?? []) process.signal('SIGKILL')
    live.delete(task.taskArn)
    finish(task, {
      stopCode: 'TaskFailedToStart',
      stoppedReason: `${error instanceof AwsError ? error.code : 'ResourceInitializationError'}: ${message}`,
    })
  }

  /** Tasks of an earlier start are gone or are ended; `reportStopped` reports them. */
  function sweep(): void {
    const now = Date.now()
    for (const task of Object.values(file.value.tasks)) {
      if (task.lastStatus !== 'STOPPED') {
        for (const container of task.containers) {
          if (container.pid && killLeftover(container.pid, task.taskArn))
            options.log(`ended left-over process ${container.pid}`)
          delete container.pid
        }
        const why = task.stopCode ? {} : { stopCode: 'TerminationNotice', stoppedReason: 'host restarted' }
        Object.assign(task, {
          lastStatus: 'STOPPED',
          desiredStatus: 'STOPPED',
          ...why,
          stoppedAt: now,
          unreported: true,
        })
        task.version += 1
      }
    }
    file.save()
  }

  sweep()
  return {
    state: file.value,
    save() {
      for (const [arn, task] of Object.entries(file.value.tasks))
        if (!task.unreported && (task.stoppedAt ?? Date.now()) < Date.now() - REMEMBERED) delete file.value.tasks[arn]
      file.save()
    },
    start: (task, definition) => void setImmediate(() => run(task, definition).catch((error) => fail(task, error))),
    stop(task, reason) {
      if (task.desiredStatus === 'STOPPED') return
      move(task, { desiredStatus: 'STOPPED', stopCode: 'UserInitiated', stoppedReason: reason, stoppingAt: Date.now() })
      terminate(task)
    },
    reportStopped() {
      for (const task of Object.values(file.value.tasks)) {
        if (!task.unreported) continue
        options.emit(taskEvent(task, options.region))
        delete task.unreported
      }
      file.save()
    },
    async close() {
      closing = true
      const running = [...live.values()].flatMap((containers) => [...containers])
      for (const { process, killer } of running) {
        clearTimeout(killer)
        process.signal('SIGTERM')
      }
      const timer = setTimeout(() => {
        for (const { process } of running) process.signal('SIGKILL')
      }, CLOSE_GRACE)
      await Promise.all(running.map(({ process }) => process.exited))
      clearTimeout(timer)
      file.flush()
    },
  }
}

function pairs(list: { name: string; value: string }[] | undefined): Record<string, string> {
  return Object.fromEntries((list ?? []).map(({ name, value }) => [name, value]))
}
