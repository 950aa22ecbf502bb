import * as z from 'zod'
import { sha256 } from '../sha256.ts'
import { dayMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { fileSummary } from './entry.ts'

const pointReasons = ['demand', 'daily', 'refresh', 'upgrade', 'persona', 'runtime', 'restore'] as const
export type PointReason = (typeof pointReasons)[number]

export const restorePoint = z
  .object({
    id: z.string().meta({ example: 'rsp_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    state: z.enum(['making', 'ready', 'failed']),
    reason: z.enum(pointReasons),
    createdAt: timestamp,
    completedAt: timestamp.nullable(),
    summary: fileSummary.nullable(),
    newBytes: z.int().nullable().meta({ description: 'The bytes that it added to the earlier points.' }),
    failure: z.string().nullable(),
  })
  .meta({ id: 'RestorePoint' })
export type RestorePoint = z.infer<typeof restorePoint>

export type StoredPoint = RestorePoint & { instanceId: string; taskId: string }

export const retention = { asked: 10, automatic: 7, automaticMs: 30 * dayMs, failedMs: dayMs } as const

export const dailyMs = 20 * 60 * 60 * 1000

/** Ids of points past their retention; the newest ready one always stays. */
export function outdated(
  points: Pick<RestorePoint, 'id' | 'state' | 'reason' | 'createdAt'>[],
  nowMs: number,
): string[] {
  const newestFirst = [...points].sort((a, b) => (a.id < b.id ? 1 : -1))
  const newest = newestFirst.find(({ state }) => state === 'ready')?.id
  const counts = { asked: 0, automatic: 0 }
  return newestFirst
    .filter(({ id, state, reason, createdAt }) => {
      if (id === newest) return false
      const ageMs = nowMs - Date.parse(createdAt)
      if (state !== 'ready') return ageMs > retention.failedMs
      const kind = reason === 'demand' ? 'asked' : 'automatic'
      counts[kind]++
      return counts[kind] > retention[kind] || (kind === 'automatic' && ageMs > retention.automaticMs)
    })
    .map(({ id }) => id)
}

/** New data that one point may store, as a multiple of the plan's volume. */
export const newBytesPerVolume = 2

/** True for a whole point of this instance that is newer than the volume's last change. */
export const isCurrent = (
  { state, instanceId, createdAt }: StoredPoint,
  ofInstance: string,
  lastChangeMs: number,
): boolean => state === 'ready' && instanceId === ofInstance && Date.parse(createdAt) >= lastChangeMs

export const showPoint = ({ instanceId: _, taskId: __, ...shown }: StoredPoint): RestorePoint => shown

/** A file of a restore point: path, size, time of change (ms), mode, and offset in the whole. */
export const indexLine = z.object({ p: z.string(), s: z.int(), m: z.number(), x: z.int(), o: z.int() })

export type IndexLine = z.infer<typeof indexLine>

export const chunkList = z.array(z.object({ sha256, size: z.int().min(1) }))

export type ChunkList = z.infer<typeof chunkList>
