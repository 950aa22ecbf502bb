import * as z from 'zod'
import { taskId } from '../agent/observation.ts'
import { invalid } from '../errors.ts'
import { sha256 } from '../sha256.ts'

export const instanceFolder = (instanceId: string) => `instances/${instanceId}/`

/** All stored objects of one instance: restore points, handovers of tasks, and attachments. */
export const foldersOf = (instanceId: string): string[] => [
  instanceFolder(instanceId),
  `handover/${instanceId}/`,
  `attachments/${instanceId}/`,
]

/** Named by the piece's hash, so that equal pieces are stored once. */
export const chunkKey = (instanceId: string, hash: string): string => `${instanceFolder(instanceId)}chunks/${hash}`

/** A restore point's list of files (gzipped JSON lines), and list of its chunks (JSON). */
export const indexKey = (instanceId: string, pointId: string): string =>
  `${instanceFolder(instanceId)}points/${pointId}/files.gz`
export const chunksKey = (instanceId: string, pointId: string): string =>
  `${instanceFolder(instanceId)}points/${pointId}/chunks.json`

/** A requested file, or an archive. The bucket deletes it after a day. */
export const handoverKey = (instanceId: string, taskId: string): string => `handover/${instanceId}/${taskId}`

/** The body of a large model call, until the call is made. The bucket deletes it after a day. */
export const callBodyKey = (instanceId: string, id: string): string => `handover/${instanceId}/bodies/${id}`

/** The bucket deletes it after `keptMs` of domain/chat/attachment.ts. */
export const attachmentKey = (instanceId: string, id: string): string => `attachments/${instanceId}/${id}`

const MiB = 1024 * 1024

/** Bytes. A list of chunks is read whole: this size has 90,000 of them. */
export const maxBytes = { chunk: 8 * MiB, files: 512 * MiB, chunks: 8 * MiB, handover: 5 * 1024 * MiB } as const

/** Limits of a machine's unpacked list of files, which is untrusted: bytes, and characters of a line. */
export const unpackedList = { bytes: 2 * 1024 * MiB, lineCharacters: 64 * 1024 } as const

/** Keys of a task besides chunks. @throws validation for a name without a place in this task */
export function storagePlaceKey(
  instanceId: string,
  task: { id: string; pointId: string | null; uploadId: string | null },
  name: string,
): string {
  if (task.uploadId && name === 'upload') return attachmentKey(instanceId, task.uploadId)
  if (name === 'handover') return handoverKey(instanceId, task.id)
  if (task.pointId && name === 'files') return indexKey(instanceId, task.pointId)
  if (task.pointId && name === 'chunks') return chunksKey(instanceId, task.pointId)
  throw invalid('name', 'this task has no such place.')
}

export const storagePlace = z.enum(['files', 'chunks', 'handover'])

export const fetchedPlace = z.enum([...storagePlace.options, 'upload'])

export const maxPieces = 64

/** Pieces have their hash as their name; a task's own few objects have a place's name. */
export const requestedAddresses = z.strictObject({
  taskId,
  put: z
    .array(z.strictObject({ name: z.union([sha256, storagePlace]), size: z.int().min(1) }))
    .max(maxPieces)
    .default([]),
  get: z
    .array(z.union([sha256, fetchedPlace]))
    .max(maxPieces)
    .default([]),
})

export type RequestedAddresses = z.infer<typeof requestedAddresses>
export type AddressRequest = z.input<typeof requestedAddresses>

export const signedAddresses = z.object({
  put: z.record(z.string(), z.url()).meta({ description: 'Addresses by name, for pieces that are not stored yet.' }),
  get: z.record(z.string(), z.url()).meta({ description: 'Addresses by name.' }),
})

export type SignedAddresses = z.infer<typeof signedAddresses>
