import type { CallBodies } from '../../app/ports/files.ts'
import { callBodyKey } from '../../domain/files/storage.ts'
import type { Env } from '../env.ts'

export const callBodies = (env: Env): CallBodies => {
  // Loaded on demand: most calls include their body and must not wait for another SDK.
  const objects = () => import('./call-body-objects.ts')
  const at = (instanceId: string, id: string) => ({
    Bucket: env.variable('FILES_BUCKET'),
    Key: callBodyKey(instanceId, id),
  })
  return {
    putAddress: async (instanceId, id, body) => (await objects()).signBody(at(instanceId, id), body),
    read: async (instanceId, id) => (await objects()).readBody(at(instanceId, id)),
    remove: async (instanceId, id) => (await objects()).removeBody(at(instanceId, id)),
  }
}
