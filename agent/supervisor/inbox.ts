import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, link, lstat, open, rm } from 'node:fs/promises'
import type { Prompt } from '../../domain/chat/message.ts'
import type { ReceivedFile, RuntimePrompt } from '../kit/attached.ts'
import { openFolder } from '../volume/files.ts'
import { type Folder, VolumeError } from '../volume/folder.ts'
import { openOwn } from '../volume/own-folder.ts'
import { arrivals } from '../volume/prepare.ts'
import { download, StoreError } from '../volume/store.ts'

type SentFile = NonNullable<Prompt['attachments']>[number]

const aliveMs = 10_000
const maxNameBytes = 150
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Stores attachments of prompts in `inbox/<message>/<name>` of the volume. Existing files are not overwritten. */
export class Inbox {
  readonly #volume: string
  readonly #placing = new Map<string, Promise<ReceivedFile[]>>()

  constructor(volume: string) {
    this.#volume = volume
  }

  async place({ attachments, ...prompt }: Prompt, alive: () => void = () => {}): Promise<RuntimePrompt> {
    if (!attachments?.length) return prompt
    const { messageId } = prompt
    const placing = this.#placing.get(messageId) ?? this.#placeAll(messageId, attachments)
    this.#placing.set(messageId, placing)
    using _alive = setInterval(alive, aliveMs)
    try {
      return { ...prompt, attachments: await placing }
    } finally {
      this.#placing.delete(messageId)
    }
  }

  async #placeAll(messageId: string, files: readonly SentFile[]): Promise<ReceivedFile[]> {
    const placed: ReceivedFile[] = []
    const names = namesFor(files)
    for (const [index, file] of files.entries()) {
      const path = ['inbox', messageId, names[index] ?? '']
      const { name, type, bytes } = file
      const problem = await this.#put(
        file,
        path.map((part) => Buffer.from(part)),
      ).then(
        () => undefined,
        (thrown: unknown) => problemOf(thrown),
      )
      placed.push({ name, type, bytes, ...(problem ? { problem } : { path: path.join('/') }) })
    }
    return placed
  }

  async #put(file: SentFile, path: Buffer[]): Promise<void> {
    await using folder = await openFolder(this.#volume, path.slice(0, -1), true)
    const name = path.at(-1) ?? Buffer.alloc(0)
    const there = await lstat(folder.at(name)).catch(() => null)
    if (there?.isFile()) return
    if (there) throw new VolumeError('validation', 'Something else has its name in the inbox.')
    await using parts = await openOwn(this.#volume, arrivals)
    await fetchInto(folder, name, parts, file)
  }
}

/** A file is complete or absent: a download is written to `parts`, which the next start of a machine empties. */
async function fetchInto(
  folder: Folder,
  name: Buffer,
  parts: Folder,
  { url = '', bytes, sha256 }: SentFile,
): Promise<void> {
  const part = parts.at(Buffer.from(randomUUID()))
  try {
    await using handle = await open(part, newFile, 0o600)
    if ((await write(handle, url, bytes)) !== sha256) throw new StoreError('a file is not what was sent')
    await handle.sync()
    // Unlike a rename, a link never replaces a file.
    await link(part, folder.at(name))
  } finally {
    await rm(part, { force: true })
  }
}

/** @returns the SHA-256 of the written bytes, in hex */
async function write(handle: FileHandle, url: string, bytes: number): Promise<string> {
  const hash = createHash('sha256')
  let size = 0
  for await (const part of await download(url)) {
    size += part.length
    if (size > bytes) throw new StoreError('a file is larger than was said')
    hash.update(part)
    await handle.writeFile(part)
  }
  return hash.digest('hex')
}

function problemOf(thrown: unknown): string {
  const code: unknown = Object(thrown).code
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'The volume is full.'
  if (thrown instanceof VolumeError) return thrown.message
  return 'It could not be fetched.'
}

/** Unique names within a message, also where the file system ignores case. */
function namesFor(files: readonly Pick<SentFile, 'name'>[]): string[] {
  const taken = new Set<string>()
  return files.map(({ name }) => {
    const safe = safeName(name)
    const dot = safe.lastIndexOf('.')
    const [stem, end] = dot > 0 ? [safe.slice(0, dot), safe.slice(dot)] : [safe, '']
    let own = safe
    for (let count = 2; taken.has(own.toLowerCase()); count++) own = `${stem}-${count}${end}`
    taken.add(own.toLowerCase())
    return own
  })
}

/** A name without path parts, leading dots or dashes, and short enough for any file system. */
export function safeName(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|\ufffd]/gu, '_')
    .replace(/^[\s.-]+|[\s.]+$/g, '')
  const [, stem = '', end = ''] = /^(.*?)(\.[^.]{1,20})?$/s.exec(plain) ?? []
  return `${cut(stem, maxNameBytes) || 'file'}${cut(end, 40)}`
}

function cut(text: string, bytes: number): string {
  let kept = ''
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > bytes) break
    kept += character
  }
  return kept
}
