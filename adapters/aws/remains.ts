import { foldersOf } from '../../domain/files/keys.ts'
import type { Remains } from '../../domain/files/ports.ts'
import type { Env } from '../env.ts'

/** What S3 keeps of an instance. */
export const remains = (env: Env): Remains => ({
  async erase(instanceId) {
    // Loaded when it is needed: whoever starts machines seldom erases.
    const { eraseObjects } = await import('./erase-objects.ts')
    return eraseObjects(env.variable('FILES_BUCKET'), foldersOf(instanceId))
  },
})
