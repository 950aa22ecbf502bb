import { createWriteStream } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Task, TaskFailure, TaskResult, VolumeJob } from '../domain/agent/task.ts'
import type { Log } from './log.ts'
import type { Answer, Service } from './service.ts'
import { archive } from './volume/archive.ts'
import { listFolder, openFile } from './volume/files.ts'
import { VolumeError } from './volume/folder.ts'
import { restoreFiles, restoreVolume } from './volume/restore.ts'
import { Store, StoreError } from './volume/store.ts'
import { takeRestorePoint } from './volume/take-restore-point.ts'

/** The lease of a task is renewed this often while it is done. */
const renewMs = 20_000
/** More than this of a file goes through storage, bytes. */
const inlineBytes = 128 * 1024
const maxFileBytes = 5 * 1024 * 1024 * 1024
const maxListed = 500

/** The machine, as far as a job has to do with it. */
export interface JobContext {
  volume: string
  /** Whether the agent is between two turns. */
  idle(): boolean
  /** Runs it while the agent stands still, between two turns if one ends soon. */
  whileHeld<T>(run: () => Promise<T>): Promise<T>
  /** Runs it while the agent is stopped; it is started anew after. */
  whileStopped<T>(run: () => Promise<T>): Promise<T>
}

/** Does a task to its end, renews its lease meanwhile, and tells how it went. */
export async function performTask(service: Service, task: Task, context: JobContext, log: Log): Promise<void> {
  const report = { kind: 'task' as const, taskId: task.id }
  using _renewal = setInterval(() => void service.observe(report).catch(() => {}), renewMs)
  const outcome = await runVolumeJob(task.job, context, new Store(service, task.id))
  log('task done', { taskId: task.id, kind: task.job.kind, ok: 'result' in outcome })
  await untilHeard(() => service.observe({ ...report, ...outcome }))
}

/** Repeats a report until the service has taken it in or refused it. */
export async function untilHeard(report: () => Promise<Answer<unknown>>): Promise<void> {
  for (let tried = 0; tried < 6; tried++) {
    const { status } = await report().catch(() => ({ status: 0 }))
    if (status !== 0 && status !== 429 && status < 500) return
    await sleep(500 * 2 ** tried)
  }
}

type Outcome = { result: TaskResult } | { failure: TaskFailure }

/** Does what the service asks of the volume. Never throws: what went wrong is its answer. */
export async function runVolumeJob(job: VolumeJob, context: JobContext, store: Store): Promise<Outcome> {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'berth-'))
  try {
    const result = await resultOf(job, context, store, scratch.path)
    return result
      ? { result }
      : { failure: { code: 'validation', message: 'This machine does not know that kind of task.' } }
  } catch (thrown) {
    if (thrown instanceof VolumeError) return { failure: { code: thrown.code, message: thrown.message } }
    const message = thrown instanceof StoreError ? thrown.message : 'The machine could not do it.'
    return { failure: { code: 'internal', message } }
  }
}

/** Undefined for a job of a kind that a later service knows. `scratch` is an empty folder for the job. */
async function resultOf(
  job: VolumeJob,
  { volume, idle, whileHeld, whileStopped }: JobContext,
  store: Store,
  scratch: string,
): Promise<TaskResult | undefined> {
  const { kind } = job
  switch (kind) {
    case 'drain':
      return idle() ? { kind, answer: 'ready' } : { kind, answer: 'busy', retryAfterSeconds: 60 }
    case 'list':
      return { kind, ...(await listFolder(volume, job.path, job.after, Math.min(job.limit, maxListed))) }
    case 'read':
      return { kind, ...(await readFile(volume, job.path, store, scratch)) }
    case 'snapshot':
      return { kind, ...(await whileHeld(() => takeRestorePoint(volume, scratch, store))) }
    case 'restore': {
      const { path } = job
      const restored =
        path === null
          ? await whileStopped(() => restoreVolume(volume, scratch, store))
          : await whileHeld(() => restoreFiles(volume, scratch, store, path))
      return { kind, ...restored }
    }
    case 'export': {
      const file = join(scratch, 'volume.tar.gz')
      const archived = await whileHeld(() => archive(volume, file))
      if (archived.archiveBytes > maxFileBytes) throw new VolumeError('validation', 'The archive is larger than 5 GiB.')
      await store.put('handover', { file })
      return { kind, ...archived }
    }
  }
}

async function readFile(volume: string, path: string, store: Store, scratch: string) {
  await using file = await openFile(volume, path)
  const { size } = await file.stat()
  if (size > maxFileBytes) throw new VolumeError('validation', 'The file is larger than 5 GiB. Take an export.')
  if (size <= inlineBytes) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, 0)
    return { size: bytesRead, content: buffer.toString('base64', 0, bytesRead) }
  }
  const copy = join(scratch, 'file')
  const from = file.createReadStream({ autoClose: false, end: size - 1 })
  await pipeline(from, createWriteStream(copy, { mode: 0o600 }))
  await store.put('handover', { file: copy })
  return { size }
}
