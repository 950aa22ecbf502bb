import { createWriteStream } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Task, TaskFailure, TaskResult, VolumeJob } from '../../domain/agent/task.ts'
import { readBytes } from '../kit/http.ts'
import { inlineBytes } from '../kit/limits.ts'
import type { Log } from '../kit/log.ts'
import type { Answer, Service } from '../kit/service.ts'
import { archive } from './archive.ts'
import { compareWithPoint } from './compare.ts'
import { hasContent, kindAt, makeFolder, move, outcomeOf, remove, writeFile } from './edit.ts'
import { listFolder, openFile } from './files.ts'
import { VolumeError } from './folder.ts'
import { forgetConversation } from './forget.ts'
import { restoreFiles, restoreVolume } from './restore.ts'
import { searchNames } from './search.ts'
import { Store, StoreError, sha256Of } from './store.ts'
import { takeRestorePoint } from './take-restore-point.ts'
import { keepRecord } from './task-records.ts'
import type { TurnJournal } from './turn-journal.ts'
import { turnChanges, undoTurn } from './undo-turn.ts'

/** Renewal interval of a running task's lease. */
const renewMs = 20_000
const maxFileBytes = 5 * 1024 * 1024 * 1024
const maxListed = 500

/** The machine, as a job uses it. */
export interface JobContext {
  volume: string
  idle(): boolean
  /** Runs it while the agent is paused, between two turns if one ends soon. */
  whileHeld<T>(run: () => Promise<T>): Promise<T>
  whileStopped<T>(run: () => Promise<T>): Promise<T>
  /** Runs something short while the agent is paused, also in the middle of a turn. */
  still<T>(run: () => Promise<T>): Promise<T>
  journal: TurnJournal
}

/** Performs a task, renews its lease meanwhile, and reports its result. */
export async function performTask(service: Service, task: Task, context: JobContext, log: Log): Promise<void> {
  const report = { kind: 'task' as const, taskId: task.id }
  using _renewal = setInterval(() => void service.observe(report).catch(() => {}), renewMs)
  const outcome = await runVolumeJob(task.job, context, new Store(service, task.id), task.attempt > 1)
  log('task done', { taskId: task.id, kind: task.job.kind, ok: 'result' in outcome })
  await untilHeard(() => service.observe({ ...report, ...outcome }))
}

/** Repeats a report until the service has accepted or refused it. */
export async function untilHeard(report: () => Promise<Answer<unknown>>): Promise<void> {
  for (let tried = 0; tried < 6; tried++) {
    const { status } = await report().catch(() => ({ status: 0 }))
    if (status !== 0 && status !== 429 && status < 500) return
    await sleep(500 * 2 ** tried)
  }
}

type Outcome = { result: TaskResult } | { failure: TaskFailure }

/** Performs a job; a failure is an outcome. @param again another machine had the task and may have done it */
export async function runVolumeJob(job: VolumeJob, context: JobContext, store: Store, again = false): Promise<Outcome> {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'berth-'))
  try {
    const result =
      (again && (await earlierResult(job, context, store))) || (await resultOf(job, context, store, scratch.path))
    return result
      ? { result }
      : { failure: { code: 'validation', message: 'This machine does not know that kind of task.' } }
  } catch (thrown) {
    if (again && isChange(job) && (await isDone(context.volume, job).catch(() => false)))
      return { result: { kind: job.kind } }
    if (thrown instanceof VolumeError) return { failure: { code: thrown.code, message: thrown.message } }
    const message = thrown instanceof StoreError ? thrown.message : 'The machine could not do it.'
    return { failure: { code: 'internal', message } }
  }
}

/** The result of a volume-changing task that an earlier machine completed; null if none did. */
const earlierResult = async (job: VolumeJob, { volume }: JobContext, { taskId }: Store): Promise<TaskResult | null> =>
  changingJobs.has(job.kind) ? await outcomeOf(volume, taskId, job) : null

/** Undefined for an unknown kind, from a later service. `scratch` is an empty folder for the job. */
async function resultOf(
  job: VolumeJob,
  context: JobContext,
  store: Store,
  scratch: string,
): Promise<TaskResult | undefined> {
  const { volume, idle, whileHeld, whileStopped, journal } = context
  const { kind } = job
  switch (kind) {
    case 'drain':
      return idle() ? { kind, answer: 'ready' } : { kind, answer: 'busy', retryAfterSeconds: 60 }
    case 'list':
      return { kind, ...(await listFolder(volume, job.path, job.after, Math.min(job.limit, maxListed))) }
    case 'read':
      return { kind, ...(await readVolumeFile(volume, job.path, store, scratch)) }
    case 'snapshot':
      return { kind, ...(await whileHeld(() => takeRestorePoint(volume, scratch, store))) }
    case 'restore': {
      const { path } = job
      const restored =
        path === null
          ? await whileStopped(() => restoreVolume(volume, scratch, store))
          : await whileHeld(() => restoreFiles(volume, scratch, store, path))
      return await recorded(volume, store, { kind, ...restored })
    }
    case 'export': {
      const file = join(scratch, 'volume.tar.gz')
      const archived = await whileHeld(() => archive(volume, file))
      if (archived.archiveBytes > maxFileBytes) throw new VolumeError('validation', 'The archive is larger than 5 GiB.')
      await store.put('handover', { file })
      return { kind, ...archived }
    }
    case 'search':
      return { kind, ...(await searchNames(volume, job.text, job.after, job.limit)) }
    case 'compare':
      return { kind, ...(await compareWithPoint(volume, scratch, store)) }
    case 'turn-changes':
      return { kind, ...(await turnChanges(volume, journal, job.promptId)) }
    case 'undo-turn':
      return await recorded(volume, store, {
        kind,
        ...(await whileHeld(() => undoTurn(volume, journal, job.promptId))),
      })
    case 'forget':
      await whileHeld(() => forgetConversation(volume, job.conversation))
      return { kind }
    default:
      return await changeVolume(job, context, store)
  }
}

/** Jobs that change the volume: done once, however often they are handed out. */
export const changingJobs: ReadonlySet<string> = new Set([
  'restore',
  'write',
  'make-folder',
  'move',
  'remove',
  'undo-turn',
])

type Change = Extract<VolumeJob, { kind: 'write' | 'make-folder' | 'move' | 'remove' }>

const isChange = (job: VolumeJob): job is Change => ['write', 'make-folder', 'move', 'remove'].includes(job.kind)

/** Whether the volume is already as the change leaves it. */
async function isDone(volume: string, job: Change): Promise<boolean> {
  switch (job.kind) {
    case 'write':
      return await hasContent(
        volume,
        job.path,
        job.upload?.sha256 ?? sha256Of(Buffer.from(job.content ?? '', 'base64')),
      )
    case 'make-folder':
      return (await kindAt(volume, job.path)) === 'folder'
    case 'move':
      return (await kindAt(volume, job.from)) === null && (await kindAt(volume, job.to)) !== null
    case 'remove':
      return (await kindAt(volume, job.path)) === null
  }
}

/** A full volume has no room for a record; the task is done all the same. */
async function recorded(volume: string, { taskId }: Store, result: TaskResult): Promise<TaskResult> {
  await keepRecord(volume, taskId, { result }).catch(() => {})
  return result
}

async function changeVolume(job: Change, { volume, still }: JobContext, store: Store): Promise<TaskResult | undefined> {
  const { kind } = job
  const { taskId } = store
  switch (kind) {
    case 'write':
      await writeFile(volume, job.path, await contentOf(job, store), job.replaces, still, taskId)
      return { kind }
    case 'make-folder':
      await makeFolder(volume, job.path)
      return await recorded(volume, store, { kind })
    case 'move':
      await move(volume, job.from, job.to, job.replace, still, taskId)
      return { kind }
    case 'remove':
      await remove(volume, job.path, taskId)
      return { kind }
  }
}

/** @throws StoreError when the upload is not what was announced */
async function contentOf(
  { content, upload }: Pick<Extract<VolumeJob, { kind: 'write' }>, 'content' | 'upload'>,
  store: Store,
): Promise<Buffer[]> {
  if (!upload) return [Buffer.from(content ?? '', 'base64')]
  const bytes = await readBytes(await store.get('upload'), upload.bytes)
  if (sha256Of(bytes) !== upload.sha256) throw new StoreError('what was uploaded is not what was said')
  return [bytes]
}

async function readVolumeFile(volume: string, path: string, store: Store, scratch: string) {
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
