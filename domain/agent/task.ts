import * as z from 'zod'
import { prompt } from '../chat/message.ts'
import { entryPage, fileSummary } from '../files/entry.ts'
import { minuteMs, timestamp } from '../time.ts'

/** A task that is not reported on within this time is handed out again, ms. Every report renews it. */
export const taskLeaseMs = 60_000

/** How long the outcome of a task is kept, ms. */
export const taskKeptMs = 24 * 60 * minuteMs

/** Most bytes of a file that travel in a report; more goes through storage. */
export const inlineBytes = 128 * 1024

/** A path inside the volume. Bytes that are not UTF-8 are written `\xHH`, a backslash as two. */
export const volumePath = z
  .string()
  .max(4_096)
  .refine((path) => !path.startsWith('/') && !path.includes('\0'), 'Give a path relative to the volume.')
  .refine((path) => !path.split('/').includes('..'), 'A path may not contain "..".')

/** What the control plane asks of a machine besides answering people. The supervisor does it; a runtime never sees it. */
export const volumeJob = z.discriminatedUnion('kind', [
  /** May this machine stop now? */
  z.object({ kind: z.literal('drain') }),
  z.object({ kind: z.literal('list'), path: volumePath, after: z.string().nullable(), limit: z.int() }),
  z.object({ kind: z.literal('read'), path: volumePath }),
  z.object({ kind: z.literal('snapshot'), pointId: z.string() }),
  z.object({ kind: z.literal('restore'), pointId: z.string(), path: volumePath.nullable() }),
  z.object({ kind: z.literal('export') }),
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

/** What a poll hands out: a prompt with its turn's proof, a task, or neither. */
export const polledWork = z.object({
  prompt: prompt.nullable(),
  turn: z.string().nullable().meta({
    description: 'Of the prompt: send it with its model calls as `x-berth-turn`, which proves what started them.',
  }),
  task: task.nullable(),
})
export type PolledWork = z.infer<typeof polledWork>

/** What a task came to, by its job. */
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
    /** Base64 of the whole file; absent when it was put into storage. */
    content: z
      .base64()
      .max(Math.ceil(inlineBytes / 3) * 4)
      .optional(),
  }),
  z.strictObject({ kind: z.literal('snapshot'), summary: fileSummary, chunks: z.int(), newBytes: z.int() }),
  z.strictObject({ kind: z.literal('restore'), files: z.int(), bytes: z.int() }),
  z.strictObject({ kind: z.literal('export'), summary: fileSummary, archiveBytes: z.int() }),
])
export type TaskResult = z.infer<typeof taskResult>

/** Why a machine did not do a task, as the user is told. */
export const taskFailure = z.object({
  code: z.enum(['not-found', 'validation', 'conflict', 'internal']),
  message: z.string().max(500),
})
export type TaskFailure = z.infer<typeof taskFailure>

/** How a task ended, or that it has not. */
export type TaskState =
  | { state: 'open'; at: string }
  | { state: 'done'; result: TaskResult }
  | { state: 'failed'; failure: TaskFailure }
