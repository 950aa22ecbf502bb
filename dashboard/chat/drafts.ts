/** Files that are to go with the next message. They survive a visit to another page, and are gone with the tab. */
import { useSyncExternalStore } from 'react'
import type { Attachment } from '../../domain/chat/attachment.ts'
import { isImage, maxAttachmentBytes, maxAttachments } from '../../domain/chat/attachment-limits.ts'
import { berth, errorText } from '../api/client.ts'
import { showSize } from '../format.ts'

export interface Draft {
  key: number
  /** The conversation that it is to be sent in. */
  conversation: string
  name: string
  bytes: number
  /** What it looks like, an address in this page; null for what is no image. */
  preview: string | null
  state: 'uploading' | 'ready' | 'refused'
  /** How much of it is uploaded, 0–1. */
  done: number
  /** Why it was refused. */
  problem: string | null
  attachment: Attachment | null
}

let drafts: readonly Draft[] = []
let lastKey = 0
const listeners = new Set<() => void>()
const aborts = new Map<number, AbortController>()

function set(next: readonly Draft[]): void {
  drafts = next
  for (const listener of listeners) listener()
}

const change = (key: number, to: Partial<Draft>) =>
  set(drafts.map((draft) => (draft.key === key ? { ...draft, ...to } : draft)))

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const draftsIn = (conversation: string) => drafts.filter((draft) => draft.conversation === conversation)

export function useDrafts(conversation: string): readonly Draft[] {
  useSyncExternalStore(subscribe, () => drafts)
  return draftsIn(conversation)
}

/** Begins to upload them; what cannot go with a message says why. */
export function attach(conversation: string, files: readonly File[]): void {
  for (const file of files) {
    const key = ++lastKey
    const full = draftsIn(conversation).filter(({ state }) => state !== 'refused').length >= maxAttachments
    const problem = full ? `A message takes ${maxAttachments} files at most.` : problemOf(file)
    const preview = isImage(file) && !problem ? URL.createObjectURL(file) : null
    const fixed = { key, conversation, name: file.name, bytes: file.size, preview, done: 0, attachment: null }
    set([...drafts, { ...fixed, state: problem ? 'refused' : 'uploading', problem }])
    if (!problem) void upload(key, file)
  }
}

function problemOf({ size }: File): string | null {
  if (size === 0) return 'It is empty, or a folder.'
  return size > maxAttachmentBytes ? `It is larger than ${showSize(maxAttachmentBytes)}.` : null
}

/** Takes one away, uploaded or not. */
export function removeDraft(key: number): void {
  aborts.get(key)?.abort()
  forget(drafts.filter((draft) => draft.key === key))
}

/** What is uploaded, which then goes with a message; what was refused goes away with it. */
export function takeReady(conversation: string): Attachment[] {
  const gone = draftsIn(conversation)
  forget(gone)
  return gone.flatMap(({ attachment }) => attachment ?? [])
}

function forget(gone: readonly Draft[]): void {
  for (const { preview } of gone) if (preview) URL.revokeObjectURL(preview)
  set(drafts.filter((draft) => !gone.includes(draft)))
}

async function upload(key: number, file: File): Promise<void> {
  const abort = new AbortController()
  aborts.set(key, abort)
  try {
    const content = await file.arrayBuffer()
    const { attachment, upload } = await berth.createAttachment({
      name: nameOf(file),
      type: /^[a-z]+\/[a-z0-9][a-z0-9.+-]*$/.test(file.type) ? file.type : 'application/octet-stream',
      bytes: file.size,
      sha256: hex(await crypto.subtle.digest('SHA-256', content)),
    })
    await put(upload, content, abort.signal, (done) => change(key, { done }))
    change(key, { state: 'ready', done: 1, attachment })
  } catch (thrown) {
    if (!abort.signal.aborted) change(key, { state: 'refused', problem: uploadProblem(thrown) })
  } finally {
    aborts.delete(key)
  }
}

/** Its name without what no name may have. */
const nameOf = ({ name }: File): string =>
  name
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]/gu, '_')
    .trim()
    .slice(-200) || 'file'

const hex = (digest: ArrayBuffer): string =>
  Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')

class UploadFailed extends Error {}

const uploadProblem = (thrown: unknown): string =>
  thrown instanceof UploadFailed ? 'It could not be uploaded. Remove it and try again.' : errorText(thrown)

/** `fetch` does not tell how far an upload has come. */
function put(
  { url, headers }: { url: string; headers: Record<string, string> },
  content: ArrayBuffer,
  signal: AbortSignal,
  progress: (done: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    request.open('PUT', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0)
    request.onload = () => (request.status < 300 ? resolve() : reject(new UploadFailed()))
    request.onerror = () => reject(new UploadFailed())
    signal.addEventListener('abort', () => request.abort())
    request.send(content)
  })
}
