import type { Artifacts } from '../../app/files/ports.ts'
import { foldersOf } from '../../domain/files/storage.ts'
import type { Env } from '../env.ts'

/** What S3 keeps of an instance. */
export const artifacts = (env: Env): Artifacts => ({
  async erase(instanceId) {
    // Loaded when it is needed: whoever starts machines seldom erases.
    const { eraseObjects } = await import('./erase-objects.ts')
    return eraseObjects(env.variable('FILES_BUCKET'), foldersOf(instanceId))
  },
})
