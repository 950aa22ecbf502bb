import type { AttachmentErasure } from '../../app/ports/chat.ts'
import { attachmentKey } from '../../domain/files/storage.ts'
import type { Env } from '../env.ts'

export const attachmentErasure = (env: Env): AttachmentErasure => ({
  async remove({ instanceId, id }) {
    // Loaded on demand: most conversations have no files.
    const { removeObject } = await import('./attachment-objects.ts')
    await removeObject({ Bucket: env.variable('FILES_BUCKET'), Key: attachmentKey(instanceId, id) })
  },
})
