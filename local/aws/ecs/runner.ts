import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { FileSystems } from '../efs.ts'
import type { Emit } from '../eventbridge.ts'
import type { FaultInjector } from '../faults.ts'
import { AwsError } from '../protocols.ts'
import { openState } from '../state-file.ts'
import { killLeftover, launch, type TaskProcess } from './process.ts'
import { type TaskRecord, taskEvent, taskRecord } from './task.ts'
import type { TaskDefinition } from './task-definitions.ts'

/** Milliseconds a stopped task can still be described, as in ECS. */
const REMEMBERED = 60 * 60_000
/** Milliseconds between a container's SIGTERM and SIGKILL when its definition does not say. */
const STOP_TIMEOUT = 30_000
/** Milliseconds the tasks get to end by themselves when the whole service stops. */
const CLOSE_GRACE = 3_000

const stateSchema = z.object({
  tasks: z.record(z.string(), taskRecord),
  /** clientToken → what was asked with it and the tasks it made; kept for ever. */
  tokens: z.record(z.string(), z.object({ fingerprint: z.string(), taskArns: z.array(z.string()) })),
})

/** How a container image runs on this host. */
export type TaskCommand = (task: { image: string; command?: string[] }) => {
  file: string
  args: string[]
  cwd: string
  /** What the image itself sets. */
  environment?: Record<string, string>
}

export interface RunnerOptions {
  dataDir: string
  region: string
  log: (line: string) => void
  emit: Emit
  taskCommand: TaskCommand
  volumeVariable: string
  fileSystems: Pick<FileSystems, 'root'>
  faults: FaultInjector
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

export function startRunner(options: RunnerOptions): Runner {
  const file = openState(join(options.dataDir, 'tasks.json'), stateSchema, { tasks: {}, tokens: {} })
  const live = new Map<string, { process: TaskProcess; killer?: NodeJS.Timeout; stopTimeout: number }>()
  let closing = false

  function move(task: TaskRecord, change: Partial<TaskRecord>): void {
    Object.assign(task, change, { version: task.version + 1 })
    file.save()
    options.emit(taskEvent(task, options.region))
  }

  async function run(task: TaskRecord, definition: TaskDefinition): Promise<void> {
    if (over(task)) return
    move(task, { lastStatus: 'PENDING' })
    const taskId = task.taskArn.split('/').at(-1) ?? ''
    options.faults.check('ecs', 'StartTask', JSON.stringify(task))
    const [container] = definition.containerDefinitions
    const override = task.overrides.containerOverrides?.find(({ name }) => name === container?.name)
    const command = override?.command ?? container?.command
    const { environment: ofImage, ...program } = options.taskCommand({
      image: task.container.image,
      ...(command ? { command } : {}),
    })
    const process = await launch({
      ...program,
      taskArn: task.taskArn,
      environment: {
        // The program's code compiled once for all tasks, as an image would carry it.
        NODE_COMPILE_CACHE: join(options.dataDir, 'compiled'),
        ...ofImage,
        ...pairs(container?.environment),
        ...pairs(override?.environment),
        ...mount(definition),
      },
      logFile: join(options.dataDir, 'logs', task.family, `${taskId}.log`),
      scratch: join(options.dataDir, 'scratch', taskId),
    })
    task.pid = process.pid
    live.set(task.taskArn, { process, stopTimeout: (container?.stopTimeout ?? STOP_TIMEOUT / 1000) * 1000 })
    void process.exited.then((exitCode) => ended(task, exitCode))
    // Stopped, or the service closed, while the program was being started.
    if (closing) process.signal('SIGKILL')
    else if (task.desiredStatus === 'STOPPED') terminate(task)
    else {
      options.log(`task ${task.family} ${taskId.slice(0, 8)} runs as process ${process.pid}`)
      move(task, { lastStatus: 'RUNNING', startedAt: Date.now() })
    }
  }

  /** Answers true, and finishes the task, when it was stopped before it began. */
  function over(task: TaskRecord): boolean {
    if (closing) return true
    if (task.desiredStatus === 'STOPPED') finish(task, {})
    return task.desiredStatus === 'STOPPED'
  }

  /** No mount namespaces here: the program is told the folder that stands for its volume. */
  function mount(definition: TaskDefinition): Record<string, string> {
    const mounted = definition.containerDefinitions[0]?.mountPoints ?? []
    for (const { sourceVolume } of mounted) {
      const efs = definition.volumes.find(({ name }) => name === sourceVolume)?.efsVolumeConfiguration
      if (!efs) continue
      const accessPointId = efs.authorizationConfig?.accessPointId
      const root = accessPointId
        ? options.fileSystems.root(efs.fileSystemId, accessPointId)
        : { path: efs.rootDirectory ?? '/', create: true }
      if (!root) throw new Error(`access point ${accessPointId} does not exist in ${efs.fileSystemId}`)
      const folder = join(options.dataDir, 'volumes', efs.fileSystemId, root.path)
      if (root.create) mkdirSync(folder, { recursive: true, mode: 0o700 })
      return { [options.volumeVariable]: folder }
    }
    return {}
  }

  function terminate(task: TaskRecord): void {
    const running = live.get(task.taskArn)
    if (!running || running.killer) return
    running.process.signal('SIGTERM')
    running.killer = setTimeout(() => running.process.signal('SIGKILL'), running.stopTimeout)
  }

  function ended(task: TaskRecord, exitCode: number): void {
    clearTimeout(live.get(task.taskArn)?.killer)
    live.delete(task.taskArn)
    // While the service stops, the record stays as it is: the next start reports the task as gone.
    if (closing) return
    task.container.exitCode = exitCode
    options.log(`task ${task.family} ended with ${exitCode}`)
    finish(task, { stopCode: 'EssentialContainerExited', stoppedReason: 'Essential container in task exited' })
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
    delete task.pid
    move(task, { lastStatus: 'STOPPED', stoppedAt: Date.now() })
  }

  function fail(task: TaskRecord, error: unknown): void {
    if (closing) return
    const message = error instanceof Error ? error.message : String(error)
    options.log(`task ${task.family} did not start: ${message}`)
    task.container.reason = message
    finish(task, {
      stopCode: 'TaskFailedToStart',
      stoppedReason: `${error instanceof AwsError ? error.code : 'ResourceInitializationError'}: ${message}`,
    })
  }

  /** What ran before this start is gone or is made to go; `reportStopped` tells of it. */
  function sweep(): void {
    const now = Date.now()
    for (const task of Object.values(file.value.tasks)) {
      if (task.lastStatus !== 'STOPPED') {
        if (task.pid && killLeftover(task.pid, task.taskArn)) options.log(`ended left-over process ${task.pid}`)
        const why = task.stopCode ? {} : { stopCode: 'TerminationNotice', stoppedReason: 'host restarted' }
        Object.assign(task, {
          lastStatus: 'STOPPED',
          desiredStatus: 'STOPPED',
          ...why,
          stoppedAt: now,
          unreported: true,
        })
        task.version += 1
        delete task.pid
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
      const running = [...live.values()]
      for (const { process, killer } of running) {
        clearTimeout(killer)
        process.signal('SIGTERM')
      }
      const timer = setTimeout(() => {
        for (const { process } of running) process.signal('SIGKILL')
      }, CLOSE_GRACE)
      await Promise.all(running.map(({ process }) => process.exited))
      clearTimeout(timer)
    },
  }
}

function pairs(list: { name: string; value: string }[] | undefined): Record<string, string> {
  return Object.fromEntries((list ?? []).map(({ name, value }) => [name, value]))
}
