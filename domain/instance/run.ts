import * as z from 'zod'
import { dayMs, iso, secondMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'

const startReasons = [
  'subscribed',
  'user',
  'message',
  'schedule',
  'refresh',
  'image',
  'billing',
  'crash',
  'host',
] as const
export type StartReason = (typeof startReasons)[number]

export const endReasons = [
  'idle',
  'user',
  'billing',
  'volume',
  'refresh',
  'image',
  'crash',
  'host',
  'failure',
  'deleted',
] as const
export type EndReason = (typeof endReasons)[number]

/** One run of the agent's machine, from the request to the stop. Volume workers have no runs. */
export const storedRun = z.object({
  generation: z.int().meta({ example: 7, description: 'The generation of the machine, which differs for each run.' }),
  requestedAt: timestamp.meta({ description: 'The time at which the machine was asked to start.' }),
  startReason: z.enum(startReasons).meta({ description: 'Why the machine was started.' }),
  readyAt: timestamp
    .nullable()
    .meta({ example: '2026-11-01T12:00:41.000Z', description: 'The time from which the machine ran; null if never.' }),
  endedAt: timestamp
    .nullable()
    .meta({ example: '2026-11-01T12:20:41.000Z', description: 'The time at which it had stopped; null until then.' }),
  endReason: z.enum(endReasons).nullable().meta({ description: 'Why it stopped; null until it has.' }),
  failureCode: z
    .string()
    .nullable()
    .meta({ example: 'capacity', description: 'The code of the failure that ended the run, if any.' }),
})
export type StoredRun = z.infer<typeof storedRun>

export const run = storedRun
  .extend({
    startSeconds: z.int().nullable().meta({ example: 41, description: 'Seconds from the request until it ran.' }),
    awakeSeconds: z
      .int()
      .meta({ example: 1_200, description: 'Seconds for which it ran, until now if it still runs.' }),
  })
  .meta({ id: 'MachineRun' })
export type Run = z.infer<typeof run>

export const runKeptMs = 90 * dayMs

/** Sorts like the generation. */
export const runId = ({ generation }: Pick<StoredRun, 'generation'>): string => String(generation).padStart(12, '0')
export const runIds = /^\d{12}$/

export const newRun = (generation: number, reason: string, nowMs: number): StoredRun => ({
  generation,
  requestedAt: iso(nowMs),
  startReason: startReasons.find((known) => known === reason) ?? 'user',
  readyAt: null,
  endedAt: null,
  endReason: null,
  failureCode: null,
})

const secondsBetween = (from: string, toMs: number): number =>
  Math.max(Math.round((toMs - Date.parse(from)) / secondMs), 0)

export const showRun = (stored: StoredRun, nowMs: number): Run => {
  const { requestedAt, readyAt, endedAt } = stored
  return {
    ...stored,
    startSeconds: readyAt === null ? null : secondsBetween(requestedAt, Date.parse(readyAt)),
    awakeSeconds: readyAt === null ? 0 : secondsBetween(readyAt, endedAt ? Date.parse(endedAt) : nowMs),
  }
}
