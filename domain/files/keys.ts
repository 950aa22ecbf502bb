import * as z from 'zod'
import { invalid } from '../errors.ts'

/** What is kept of one instance lies below this, and nothing of another. */
const home = (instanceId: string) => `instances/${instanceId}/`

/** All that is kept of one instance: its restore points, and what its tasks handed over. */
export const foldersOf = (instanceId: string): string[] => [home(instanceId), `handover/${instanceId}/`]

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'Expected a SHA-256 in hex.')

/** A piece of the volume, named by what it holds: equal pieces are stored once. */
export const chunkKey = (instanceId: string, hash: string): string => `${home(instanceId)}chunks/${hash}`
export const chunkFolder = (instanceId: string): string => `${home(instanceId)}chunks/`

/** The list of files of a restore point (gzipped JSON lines), and the list of its chunks (JSON). */
export const indexKey = (instanceId: string, pointId: string): string => `${home(instanceId)}points/${pointId}/files.gz`
export const chunksKey = (instanceId: string, pointId: string): string =>
  `${home(instanceId)}points/${pointId}/chunks.json`

/** What a task hands over: a file that was asked for, or an archive. The bucket forgets it after a day. */
export const handoverKey = (instanceId: string, taskId: string): string => `handover/${instanceId}/${taskId}`

/** Largest of each kind, bytes. */
export const maxBytes = { chunk: 8 * 1024 * 1024, index: 512 * 1024 * 1024, handover: 5 * 1024 * 1024 * 1024 } as const

/** Names of what a task may store besides chunks. @throws validation for one that has no place in this task */
export function placeOf(instanceId: string, task: { id: string; pointId: string | null }, name: string): string {
  if (name === 'handover') return handoverKey(instanceId, task.id)
  if (task.pointId && name === 'files') return indexKey(instanceId, task.pointId)
  if (task.pointId && name === 'chunks') return chunksKey(instanceId, task.pointId)
  throw invalid('name', 'this task has no such place.')
}
