import type { AttachmentFiles } from '../../app/ports/chat.ts'
import { attachmentKey } from '../../domain/files/storage.ts'
import type { Env } from '../env.ts'

export const attachmentFiles = (env: Env): AttachmentFiles => {
  // Loaded on demand: most messages have no files and must not wait for another SDK.
  const objects = () => import('./attachment-objects.ts')
  const at = (of: { instanceId: string; id: string }) => ({
    Bucket: env.variable('FILES_BUCKET'),
    Key: attachmentKey(of.instanceId, of.id),
  })
  return {
    putAddress: async (of) => (await objects()).signUpload(at(of), of),
    put: async (of, content) => (await objects()).putObject(at(of), of, content),
    read: async (of) => (await objects()).readObject(at(of)),
    isStored: async (of) => (await objects()).isStored(at(of), of),
    getAddress: async (of) => (await objects()).signDownload(at(of), of),
  }
}
