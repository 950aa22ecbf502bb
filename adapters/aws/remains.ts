import { DeleteObjectsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { foldersOf } from '../../domain/files/keys.ts'
import type { Remains } from '../../domain/files/ports.ts'
import type { Env } from '../env.ts'

/** Pages of a thousand objects that one call deletes at most: about twenty seconds. */
const pagesAtOnce = 20

/** Deletes everything that S3 keeps of an instance; what one call does not get to is left to the next. */
export const remains = (env: Env): Remains => {
  let client: S3Client | undefined

  /** The first page that is there, and nothing more: what is deleted makes room for the next. */
  const somePage = async (s3: S3Client, Prefix: string) => {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: env.variable('FILES_BUCKET'), Prefix }))
    return Contents.flatMap(({ Key }) => (Key ? [{ Key }] : []))
  }

  return {
    async erase(instanceId) {
      client ??= new S3Client({ maxAttempts: 5 })
      let pages = 0
      for (const folder of foldersOf(instanceId)) {
        for (;;) {
          const Objects = await somePage(client, folder)
          if (Objects.length === 0) break
          if (pages++ === pagesAtOnce) return false
          const Delete = { Objects, Quiet: true }
          const { Errors = [] } = await client.send(
            new DeleteObjectsCommand({ Bucket: env.variable('FILES_BUCKET'), Delete }),
          )
          if (Errors.length > 0) throw new Error(`${Errors.length} objects were not deleted: ${Errors[0]?.Code}`)
        }
      }
      return true
    },
  }
}
