import * as z from 'zod'
import { taskId } from '../agent/observation.ts'
import type { Task } from '../agent/task.ts'
import { invalid } from '../errors.ts'
import { chunkKey, maxBytes, placeOf, sha256 } from './keys.ts'
import type { Storage } from './ports.ts'

/** Most pieces one request may ask for. */
export const maxPieces = 64

const place = z.enum(['files', 'chunks', 'handover'])

/** What a task wants to move: pieces by their hash, and its own few objects by name. */
export const wantedAddresses = z.strictObject({
  taskId,
  put: z
    .array(z.strictObject({ name: z.union([sha256, place]), size: z.int().min(1) }))
    .max(maxPieces)
    .default([]),
  get: z
    .array(z.union([sha256, place]))
    .max(maxPieces)
    .default([]),
})
type Wanted = z.infer<typeof wantedAddresses>

const isPlace = (name: string) => place.safeParse(name).success

/** Addresses below the instance's own folder, as far as the task's errand goes. */
export async function addressesFor(storage: Storage, instanceId: string, task: Task, wanted: Wanted) {
  const { errand } = task
  const pointId = 'pointId' in errand ? errand.pointId : null
  const about = { id: task.id, pointId }
  const writes = errand.kind === 'snapshot' || errand.kind === 'export' || errand.kind === 'read'
  if (wanted.put.length > 0 && !writes) throw invalid('put', 'this task stores nothing.')
  if (wanted.get.length > 0 && errand.kind !== 'restore') throw invalid('get', 'this task fetches nothing.')
  const keyOf = (name: string) => (isPlace(name) ? placeOf(instanceId, about, name) : chunkKey(instanceId, name))
  const put = wanted.put.map(async ({ name, size }): Promise<[string, string] | null> => {
    if (size > limitOf(name)) throw invalid('size', `at most ${limitOf(name)} bytes.`)
    if (errand.kind !== 'snapshot' && name !== 'handover') throw invalid('name', 'this task has no such place.')
    if (isPlace(name)) return [name, await storage.putAddress(keyOf(name), size)]
    return (await storage.size(keyOf(name))) === size ? null : [name, await storage.putAddress(keyOf(name), size, name)]
  })
  const get = wanted.get.map(async (name): Promise<[string, string]> => [name, await storage.getAddress(keyOf(name))])
  const [puts, gets] = await Promise.all([Promise.all(put), Promise.all(get)])
  return { put: Object.fromEntries(puts.filter((one) => one !== null)), get: Object.fromEntries(gets) }
}

const limitOf = (name: string): number =>
  name === 'handover' ? maxBytes.handover : isPlace(name) ? maxBytes.index : maxBytes.chunk
