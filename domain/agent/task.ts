import * as z from 'zod'
import { entryPage } from '../files/entry.ts'
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
export const errand = z.discriminatedUnion('kind', [
  /** May this machine stop now? With `keep`, take a restore point first. */
  z.object({ kind: z.literal('drain') }),
  z.object({ kind: z.literal('list'), path: volumePath, after: z.string().nullable(), limit: z.int() }),
  z.object({ kind: z.literal('read'), path: volumePath }),
  z.object({ kind: z.literal('snapshot'), pointId: z.string() }),
  z.object({ kind: z.literal('restore'), pointId: z.string(), path: volumePath.nullable() }),
  z.object({ kind: z.literal('export') }),
])
export type Errand = z.infer<typeof errand>

export const task = z
  .object({
    id: z.string().meta({ example: 'tsk_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    errand,
    at: timestamp,
    attempt: z.int().min(1),
    leaseExpiresAt: timestamp,
  })
  .meta({ id: 'Task' })
export type Task = z.infer<typeof task>

/** What was found on a volume; nothing but regular files is ever read. */
export const census = z
  .object({
    files: z.int().min(0),
    bytes: z.int().min(0),
    skipped: z
      .object({ links: z.int(), devices: z.int(), sockets: z.int(), pipes: z.int(), unreadable: z.int() })
      .meta({ description: 'What is there and was left alone.' }),
  })
  .meta({ id: 'Census' })
export type Census = z.infer<typeof census>

/** What a task came to, by its errand. */
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
  z.strictObject({ kind: z.literal('snapshot'), census, chunks: z.int(), newBytes: z.int() }),
  z.strictObject({ kind: z.literal('restore'), files: z.int(), bytes: z.int() }),
  z.strictObject({ kind: z.literal('export'), census, archiveBytes: z.int() }),
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
