import { DeleteObjectsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { once } from '../memoize.ts'

/** Maximum number of pages (1,000 objects) per call: about twenty seconds. */
const pagesAtOnce = 20

const client = once(() => new S3Client({ maxAttempts: 5 }))

/** Deletes all objects below these folders; false if more remain than one call deletes. */
export async function eraseObjects(Bucket: string, folders: string[]): Promise<boolean> {
  let pages = 0
  for (const Prefix of folders) {
    for (;;) {
      // Always list the first page, because listed objects are deleted.
      const { Contents = [] } = await client().send(new ListObjectsV2Command({ Bucket, Prefix }))
      const Objects = Contents.flatMap(({ Key }) => (Key ? [{ Key }] : []))
      if (Objects.length === 0) break
      if (pages++ === pagesAtOnce) return false
      const { Errors = [] } = await client().send(
        new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
      )
      if (Errors.length > 0) throw new Error(`${Errors.length} objects were not deleted: ${Errors[0]?.Code}`)
    }
  }
  return true
}
