import type { Artifacts } from '../../app/ports/files.ts'
import { foldersOf } from '../../domain/files/storage.ts'
import type { Env } from '../env.ts'

export const artifacts = (env: Env): Artifacts => ({
  async erase(instanceId) {
    // Loaded on demand: a function that starts machines rarely erases.
    const { eraseObjects } = await import('./erase-objects.ts')
    return eraseObjects(env.variable('FILES_BUCKET'), foldersOf(instanceId))
  },
})
