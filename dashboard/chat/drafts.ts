/** Files for the next message. They survive a visit to another page, but not a reload. */
import { useSyncExternalStore } from 'react'
import type { Attachment } from '../../domain/chat/attachment.ts'
import { isImage, maxAttachmentBytes, maxAttachments } from '../../domain/chat/attachment-limits.ts'
import { berth, errorText } from '../data/client.ts'
import { UploadFailed, uploadFile } from '../data/upload.ts'
import { showSize } from '../format.ts'
import { texts } from '../texts/index.ts'

export interface Draft {
  key: number
  conversation: string
  name: string
  bytes: number
  /** A `blob:` address; null for a file that is not an image. */
  preview: string | null
  state: 'uploading' | 'ready' | 'refused'
  /** Uploaded share, 0–1. */
  done: number
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

/** Starts uploads; a refused file shows its reason. */
export function attach(conversation: string, files: readonly File[]): void {
  for (const file of files) begin(conversation, { name: file.name, bytes: file.size }, async () => file)
}

/** Uploads files of an earlier message again, because a file belongs to one message. */
export function attachAgain(conversation: string, files: readonly Attachment[]): void {
  for (const { id, name, type, bytes } of files)
    begin(conversation, { name, bytes }, async () => {
      const answer = await fetch((await berth.getAttachment({ id })).url)
      if (!answer.ok) throw new UploadFailed()
      return new Blob([await answer.arrayBuffer()], { type })
    })
}

function begin(conversation: string, file: Pick<Draft, 'name' | 'bytes'>, load: () => Promise<Blob>): void {
  const key = ++lastKey
  const full = draftsIn(conversation).filter(({ state }) => state !== 'refused').length >= maxAttachments
  const problem = full ? texts.chat.files.tooMany(maxAttachments) : problemOf(file)
  const fixed = { ...file, key, conversation, preview: null, done: 0, attachment: null }
  set([...drafts, { ...fixed, state: problem ? 'refused' : 'uploading', problem }])
  if (!problem) void upload(key, file.name, load)
}

function problemOf({ bytes }: Pick<Draft, 'bytes'>): string | null {
  if (bytes === 0) return texts.chat.files.empty
  return bytes > maxAttachmentBytes ? texts.chat.files.tooLarge(showSize(maxAttachmentBytes)) : null
}

export function removeDraft(key: number): void {
  aborts.get(key)?.abort()
  forget(drafts.filter((draft) => draft.key === key))
}

/** Takes the uploads for the next message; refused files disappear too. */
export function takeReady(conversation: string): Attachment[] {
  const gone = draftsIn(conversation)
  forget(gone)
  return gone.flatMap(({ attachment }) => attachment ?? [])
}

function forget(gone: readonly Draft[]): void {
  for (const { preview } of gone) if (preview) URL.revokeObjectURL(preview)
  set(drafts.filter((draft) => !gone.includes(draft)))
}

async function upload(key: number, name: string, load: () => Promise<Blob>): Promise<void> {
  const abort = new AbortController()
  aborts.set(key, abort)
  try {
    const file = await load()
    abort.signal.throwIfAborted()
    if (isImage(file)) change(key, { preview: URL.createObjectURL(file) })
    const attachment = await uploadFile({
      name,
      type: file.type,
      bytes: new Uint8Array(await file.arrayBuffer()),
      progress: (done) => change(key, { done }),
      signal: abort.signal,
    })
    change(key, { state: 'ready', done: 1, attachment })
  } catch (thrown) {
    if (!abort.signal.aborted) change(key, { state: 'refused', problem: uploadProblem(thrown) })
  } finally {
    aborts.delete(key)
  }
}

const uploadProblem = (thrown: unknown): string =>
  thrown instanceof UploadFailed || thrown instanceof TypeError ? texts.chat.files.notUploaded : errorText(thrown)
