import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { attachment as asAttachment } from '../../app/files/download.ts'
import { type Attachment, addressSeconds } from '../../domain/chat/attachment.ts'
import { isImage } from '../../domain/chat/attachment-limits.ts'
import { once } from '../memoize.ts'
import { objectClient, signPut } from './signed-put.ts'

const client = once(objectClient)

interface Place {
  Bucket: string
  Key: string
}

interface Content {
  bytes: number
  /** Hex. */
  sha256: string
}

const base64 = ({ sha256 }: Content): string => Buffer.from(sha256, 'hex').toString('base64')

export async function signUpload(at: Place, content: Content) {
  const url = await signPut(client(), { ...at, size: content.bytes, sha256: content.sha256 }, addressSeconds)
  return { url, headers: { 'x-amz-checksum-sha256': base64(content) } }
}

export async function putObject(at: Place, content: Content, Body: Uint8Array): Promise<void> {
  await client().send(new PutObjectCommand({ ...at, Body, ChecksumSHA256: base64(content) }))
}

export async function readObject(at: Place): Promise<Uint8Array> {
  const { Body } = await client().send(new GetObjectCommand(at))
  if (!Body) throw new Error('an object came without its bytes')
  return Body.transformToByteArray()
}

export async function removeObject(at: Place): Promise<void> {
  await client().send(new DeleteObjectCommand(at))
}

/** False for an object without a checksum: it is not the signed upload. */
export async function isStored(at: Place, content: Content): Promise<boolean> {
  try {
    const head = await client().send(new HeadObjectCommand({ ...at, ChecksumMode: 'ENABLED' }))
    return head.ContentLength === content.bytes && head.ChecksumSHA256 === base64(content)
  } catch (error) {
    if (error instanceof NotFound || error instanceof NoSuchKey) return false
    throw error
  }
}

/** The sender's media type only decides between image and download; no page or script is ever displayed. */
export function signDownload(at: Place, { name, type }: Pick<Attachment, 'name' | 'type'>): Promise<string> {
  const image = isImage({ type })
  const command = new GetObjectCommand({
    ...at,
    ResponseContentType: image ? type : 'application/octet-stream',
    ResponseContentDisposition: image ? asAttachment(name).replace(/^attachment/, 'inline') : asAttachment(name),
  })
  return getSignedUrl(client(), command, { expiresIn: addressSeconds })
}
