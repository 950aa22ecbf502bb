import * as z from 'zod'
import { prompt } from '../chat/message.ts'
import { comparison, foundPage, replaces } from '../files/change.ts'
import { entryPage, fileSummary } from '../files/entry.ts'
import { turnChanges } from '../files/turn.ts'
import { sha256 } from '../sha256.ts'
import { text } from '../text-schema.ts'
import { minuteMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'

/** A task without a report within this time is handed out again, ms. Every report renews it. */
export const taskLeaseMs = 60_000

export const taskKeptMs = 24 * 60 * minuteMs

/** Most bytes of a file in a report; larger files go through storage. */
export const inlineBytes = 128 * 1024

/** A path inside the volume. Bytes that are not UTF-8 are written `\xHH`, a backslash as two. */
const volumePath = z
  .string()
  .max(4_096)
  .refine((path) => !path.startsWith('/') && !path.includes('\0'), 'Give a path relative to the volume.')
  .refine((path) => !path.split('/').includes('..'), 'A path may not contain "..".')

/** Bytes of UTF-8; a byte written as `\\xHH` counts as one. */
const maxNameBytes = 255
const bytesOf = (name: string): number =>
  new TextEncoder().encode(name.replaceAll(/\\(?:x[0-9a-f]{2}|\\)/gi, '_')).length

export const filePath = volumePath.refine(
  (path) => path.split('/').every((name) => bytesOf(name) <= maxNameBytes),
  `A name has at most ${maxNameBytes} bytes. A letter of UTF-8 beyond ASCII has two to four.`,
)

export const changingJobs: ReadonlySet<string> = new Set([
  'restore',
  'write',
  'make-folder',
  'move',
  'remove',
  'undo-turn',
])

/** Jobs whose end is announced, because somebody may be waiting. */
export const reportedJobs: ReadonlySet<string> = new Set([...changingJobs, 'snapshot', 'export'])

/** Jobs of the service itself: they wait for a machine that runs anyway. */
export const patientJobs: ReadonlySet<string> = new Set(['drain', 'forget'])

/** Work for a machine besides answering people. The supervisor does it; a runtime never sees it. */
const volumeJob = z.discriminatedUnion('kind', [
  /** May this machine stop now? */
  z.object({ kind: z.literal('drain') }),
  z.object({ kind: z.literal('list'), path: volumePath, after: z.string().nullable(), limit: z.int() }),
  z.object({ kind: z.literal('read'), path: volumePath }),
  z.object({ kind: z.literal('snapshot'), pointId: z.string() }),
  z.object({ kind: z.literal('restore'), pointId: z.string(), path: volumePath.nullable() }),
  z.object({ kind: z.literal('export') }),
  z.object({
    kind: z.literal('write'),
    path: volumePath,
    replaces,
    /** Base64 of the whole file; null for an upload. */
    content: z.string().nullable().default(null),
    upload: z.object({ id: z.string(), bytes: z.int(), sha256 }).nullable().default(null),
  }),
  z.object({ kind: z.literal('make-folder'), path: volumePath }),
  z.object({ kind: z.literal('move'), from: volumePath, to: volumePath, replace: z.boolean() }),
  z.object({ kind: z.literal('remove'), path: volumePath }),
  z.object({ kind: z.literal('search'), text: z.string(), after: z.string().nullable().default(null), limit: z.int() }),
  z.object({ kind: z.literal('compare'), pointId: z.string() }),
  z.object({ kind: z.literal('turn-changes'), promptId: z.string() }),
  z.object({ kind: z.literal('undo-turn'), promptId: z.string() }),
  /** Forgets a deleted conversation. */
  z.object({ kind: z.literal('forget'), conversation: z.string() }),
])
export type VolumeJob = z.infer<typeof volumeJob>

export const task = z
  .object({
    id: z.string().meta({ example: 'tsk_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    job: volumeJob,
    at: timestamp,
    attempt: z.int().min(1),
    leaseExpiresAt: timestamp,
  })
  .meta({ id: 'Task' })
export type Task = z.infer<typeof task>

export const polledWork = z.object({
  prompt: prompt.nullable(),
  turn: z.string().nullable().meta({
    description: 'The proof of the prompt’s turn: send it with its model calls as `x-berth-turn`.',
  }),
  task: task.nullable(),
})
export type PolledWork = z.infer<typeof polledWork>

export const taskResult = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('drain'),
    answer: z.enum(['ready', 'busy']),
    retryAfterSeconds: z.int().min(1).max(600).optional(),
  }),
  entryPage.extend({ kind: z.literal('list') }),
  z.strictObject({
    kind: z.literal('read'),
    size: z.int().min(0),
    /** Base64 of the whole file; absent when it is in storage. */
    content: z
      .base64()
      .max(Math.ceil(inlineBytes / 3) * 4)
      .optional(),
  }),
  z.strictObject({ kind: z.literal('snapshot'), summary: fileSummary, chunks: z.int(), newBytes: z.int() }),
  z.strictObject({ kind: z.literal('restore'), files: z.int(), bytes: z.int() }),
  z.strictObject({ kind: z.literal('export'), summary: fileSummary, archiveBytes: z.int() }),
  z.strictObject({ kind: z.literal('write') }),
  z.strictObject({ kind: z.literal('make-folder') }),
  z.strictObject({ kind: z.literal('move') }),
  z.strictObject({ kind: z.literal('remove') }),
  foundPage.extend({ kind: z.literal('search') }),
  comparison.extend({ kind: z.literal('compare') }),
  turnChanges.extend({ kind: z.literal('turn-changes') }),
  z.strictObject({ kind: z.literal('undo-turn'), files: z.int() }),
  z.strictObject({ kind: z.literal('forget') }),
])
export type TaskResult = z.infer<typeof taskResult>

/** In words for the user. */
export const taskFailure = z.object({
  code: z.enum(['not-found', 'validation', 'conflict', 'internal']),
  message: text().max(500),
})
export type TaskFailure = z.infer<typeof taskFailure>

export type TaskState =
  | { state: 'open'; at: string }
  | { state: 'done'; result: TaskResult }
  | { state: 'failed'; failure: TaskFailure }
