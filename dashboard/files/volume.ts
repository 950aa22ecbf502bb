import { BerthError } from '../../clients/typescript/client.ts'
import type { FilesTask } from '../../clients/typescript/operations.ts'
import { maxInlineBytes } from '../../domain/files/write-limits.ts'
import { refresh } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { filePath, retryConflicts, untilTaskEnds } from '../data/operations.ts'
import { sha256Of, uploadFile } from '../data/upload.ts'

/** A file's bytes, and their SHA-256 (hex), which a save compares. */
export interface Content {
  bytes: Uint8Array<ArrayBuffer>
  sha256: string
}

/** `''` is the top. */
export const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
export const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)

/** @throws BerthError */
export const readContent = (path: string, point: string | null, signal?: AbortSignal): Promise<Content> =>
  retryConflicts(async () => {
    const answer = await fetch(filePath(path, point), signal ? { signal } : {})
    if (!answer.ok) {
      const { error = 'internal', message = '' } = await answer.json().catch(() => ({}))
      throw new BerthError(error, message, { status: answer.status })
    }
    const bytes = new Uint8Array(await answer.arrayBuffer())
    return { bytes, sha256: await sha256Of(bytes) }
  })

/** Waits for a change, also for a volume worker to start. @throws BerthError, a conflict when the change is refused */
export async function done(request: Promise<{ task: FilesTask }>): Promise<FilesTask> {
  const { task } = await request
  const ended = task.state === 'open' ? await untilTaskEnds(task.id) : task
  refresh('listFiles', 'searchFiles', 'compareRestorePoint', 'getReplyChanges')
  if (ended.state === 'failed') throw new BerthError('conflict', ended.failure ?? '', { status: 409 })
  return ended
}

/** `progress` receives the uploaded share, 0–1. @throws BerthError, UploadFailed */
export async function writeContent(
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  replaces: string,
  progress: (part: number) => void = () => {},
): Promise<void> {
  if (bytes.length <= maxInlineBytes) await done(berth.writeFile({ path, replaces, base64: base64Of(bytes) }))
  else {
    const { id } = await uploadFile({ name: nameOf(path), type: '', bytes, progress })
    await done(berth.writeFile({ path, replaces, attachment: id }))
  }
  progress(1)
}

function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(text)
}

/** Null for bytes that are not text. */
export function textOf(bytes: Uint8Array): string | null {
  if (bytes.subarray(0, 8_192).includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
