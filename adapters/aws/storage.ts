import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { attachment } from '../../app/files/download.ts'
import type { Storage } from '../../app/ports/files.ts'
import { conflict } from '../../domain/errors.ts'
import { unpackedList } from '../../domain/files/storage.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'
import { objectClient, signPut } from './signed-put.ts'

const addressSeconds = 15 * 60

/** A machine made the text, so memory and total size are limited, even if it decompresses to more. */
async function* linesOf(text: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let [bytes, rest] = [0, '']
  for await (const part of text) {
    bytes += part.length
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (bytes > unpackedList.bytes || rest.length > unpackedList.lineCharacters)
      throw conflict('The list of files in this restore point is larger than one may be. Choose another.')
    yield* lines
  }
  if (rest !== '') yield rest
}

export const storage = (env: Env): Storage => {
  const s3 = once(objectClient)
  const at = (key: string) => ({ Bucket: env.variable('FILES_BUCKET'), Key: key })

  const body = async (key: string, range?: string): Promise<Readable> => {
    const answer = await s3().send(new GetObjectCommand({ ...at(key), ...(range && { Range: range }) }))
    if (!(answer.Body instanceof Readable)) throw new Error('S3 answered no stream')
    return answer.Body
  }

  return {
    putAddress: (key, size, sha256) => signPut(s3(), { ...at(key), size, sha256 }, addressSeconds),

    getAddress(key, fileName) {
      const command = new GetObjectCommand({
        ...at(key),
        ResponseContentType: 'application/octet-stream',
        ...(fileName !== undefined && { ResponseContentDisposition: attachment(fileName) }),
      })
      return getSignedUrl(s3(), command, { expiresIn: addressSeconds })
    },

    async size(key) {
      try {
        return (await s3().send(new HeadObjectCommand(at(key)))).ContentLength ?? 0
      } catch (error) {
        if (error instanceof NotFound || error instanceof NoSuchKey) return null
        throw error
      }
    },

    async read(key, from, to) {
      const parts: Buffer[] = []
      for await (const part of await body(key, `bytes=${from}-${to - 1}`)) parts.push(Buffer.from(part))
      return Buffer.concat(parts)
    },

    async *lines(key) {
      const packed = await body(key)
      try {
        yield* linesOf(packed.pipe(createGunzip()))
      } finally {
        packed.destroy()
      }
    },

    async *list(prefix) {
      let from: string | undefined
      do {
        const page = await s3().send(
          new ListObjectsV2Command({ Bucket: env.variable('FILES_BUCKET'), Prefix: prefix, ContinuationToken: from }),
        )
        for (const { Key } of page.Contents ?? []) if (Key) yield Key
        from = page.NextContinuationToken
      } while (from)
    },

    async remove(keys) {
      for (const key of keys) await s3().send(new DeleteObjectCommand(at(key)))
    },
  }
}
