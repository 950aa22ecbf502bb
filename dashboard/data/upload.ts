/** Uploads a file: announces it, then puts it into storage. */
import type { Attachment } from '../../clients/typescript/operations.ts'
import { berth } from './client.ts'

export class UploadFailed extends Error {}

interface Upload {
  name: string
  /** Empty if unknown. */
  type: string
  bytes: Uint8Array<ArrayBuffer>
  /** Called with the uploaded share, 0–1. */
  progress: (done: number) => void
  signal?: AbortSignal
}

/** @throws BerthError, UploadFailed */
export async function uploadFile({ name, type, bytes, progress, signal }: Upload): Promise<Attachment> {
  const { attachment, upload } = await berth.createAttachment({
    name: allowedName(name),
    type: /^[a-z]+\/[a-z0-9][a-z0-9.+-]*$/.test(type) ? type : 'application/octet-stream',
    bytes: bytes.length,
    sha256: await sha256Of(bytes),
  })
  await put(upload, bytes, progress, signal)
  return attachment
}

export const sha256Of = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

/** Removes what the service refuses in a name; by a pattern, to keep the first page's code small. */
const allowedName = (name: string): string =>
  name
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]/gu, '_')
    .trim()
    .slice(-200)
    .replace(/^[\udc00-\udfff]/, '') || 'file'

/** Not `fetch`, which does not report an upload's progress. */
const put = (
  { url, headers }: { url: string; headers: Record<string, string> },
  bytes: Uint8Array<ArrayBuffer>,
  progress: (done: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const request = new XMLHttpRequest()
    request.open('PUT', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0)
    request.onload = () => (request.status < 300 ? resolve() : reject(new UploadFailed()))
    request.onerror = () => reject(new UploadFailed())
    signal?.addEventListener('abort', () => request.abort())
    request.send(bytes)
  })
