import * as z from 'zod'
import { taskId } from '../agent/observation.ts'
import { invalid } from '../errors.ts'
import { sha256 } from '../sha256.ts'

/** The prefix of one instance's objects, and of no other's. */
export const instanceFolder = (instanceId: string) => `instances/${instanceId}/`

/** All stored objects of one instance: its restore points, its tasks' handovers, and its messages' attachments. */
export const foldersOf = (instanceId: string): string[] => [
  instanceFolder(instanceId),
  `handover/${instanceId}/`,
  `attachments/${instanceId}/`,
]

/** A piece of the volume, named by what it holds: equal pieces are stored once. */
export const chunkKey = (instanceId: string, hash: string): string => `${instanceFolder(instanceId)}chunks/${hash}`

/** The list of files of a restore point (gzipped JSON lines), and the list of its chunks (JSON). */
export const indexKey = (instanceId: string, pointId: string): string =>
  `${instanceFolder(instanceId)}points/${pointId}/files.gz`
export const chunksKey = (instanceId: string, pointId: string): string =>
  `${instanceFolder(instanceId)}points/${pointId}/chunks.json`

/** A task's handover: a requested file, or an archive. The bucket forgets it after a day. */
export const handoverKey = (instanceId: string, taskId: string): string => `handover/${instanceId}/${taskId}`

/** The body of a large model call, until it is made. The bucket forgets this too. */
export const callBodyKey = (instanceId: string, id: string): string => `handover/${instanceId}/bodies/${id}`

/** A file that goes with a message. The bucket forgets it after `keptMs` of domain/chat/attachment.ts. */
export const attachmentKey = (instanceId: string, id: string): string => `attachments/${instanceId}/${id}`

const MiB = 1024 * 1024

/** Largest of each kind, bytes. A list of chunks is read whole: this one is of 90,000 of them. */
export const maxBytes = { chunk: 8 * MiB, files: 512 * MiB, chunks: 8 * MiB, handover: 5 * 1024 * MiB } as const

/**
 * The maximum unpacked size of a machine's list of files, bytes, and its longest line, characters: the list is
 * untrusted.
 */
export const unpackedList = { bytes: 2 * 1024 * MiB, lineCharacters: 64 * 1024 } as const

/** Names of what a task may store besides chunks. @throws validation for one that has no place in this task */
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

/** Where in storage an instance's objects lie. */
export const storagePlace = z.enum(['files', 'chunks', 'handover'])

/** The same, and what a user uploaded for a task. */
export const fetchedPlace = z.enum([...storagePlace.options, 'upload'])

/** Most pieces one request may ask for. */
export const maxPieces = 64

/** The objects that a task moves: pieces by their hash, and its own few objects by name. */
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
/** The same as it is sent: what is not asked for may be left out. */
export type AddressRequest = z.input<typeof requestedAddresses>

export const signedAddresses = z.object({
  put: z.record(z.string(), z.url()).meta({ description: 'Address by name, of what is not there yet.' }),
  get: z.record(z.string(), z.url()).meta({ description: 'Address by name.' }),
})

export type SignedAddresses = z.infer<typeof signedAddresses>
