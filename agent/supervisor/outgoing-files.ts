import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { Readable } from 'node:stream'
import type { AttachmentPlace, NewAttachment } from '../../domain/chat/attachment.ts'
import { parseObject } from '../kit/json.ts'
import { maxAttachmentBytes, maxAttachments } from '../kit/limits.ts'
import type { Service } from '../kit/service.ts'
import { openFile } from '../volume/files.ts'
import { VolumeError } from '../volume/folder.ts'
import { upload } from '../volume/store.ts'

/** Remembered uploads, for reports that are repeated. */
const maxRemembered = 100

interface SentFile {
  path: string
  /** Default: the last part of the path. */
  name?: string
  /** Media type; default: by the name's extension. */
  type?: string
}

/** The reason why files cannot be sent, for the runtime; retrying does not help. */
export class Unsendable extends Error {
  override name = 'Unsendable'
}

export class OutgoingFiles {
  readonly #service: Pick<Service, 'call'>
  readonly #volume: string
  readonly #sent = new Map<string, string>()
  /** One report at a time: each file is held in memory while it is sent. */
  #before: Promise<unknown> = Promise.resolve()

  constructor(service: Pick<Service, 'call'>, volume: string) {
    this.#service = service
    this.#volume = volume
  }

  /**
   * Uploads a report's files; a repeated report gets the same ids. @param owner the prompt or key of the report
   * @param alive is called before each file @throws Unsendable, StoreError, and what the connection throws
   */
  send(owner: string, named: readonly unknown[], alive: () => void = () => {}): Promise<string[]> {
    const sending = this.#before.then(() => this.#sendAll(owner, named, alive))
    this.#before = sending.catch(() => {})
    return sending
  }

  async #sendAll(owner: string, named: readonly unknown[], alive: () => void): Promise<string[]> {
    if (named.length > maxAttachments) throw new Unsendable(`Send ${maxAttachments} files at most.`)
    const ids: string[] = []
    for (const each of named) {
      alive()
      ids.push(await this.#sendOne(owner, fileOf(each)))
    }
    return ids
  }

  async #sendOne(owner: string, file: SentFile): Promise<string> {
    const content = await this.#read(file.path)
    const name = file.name ?? file.path.split('/').at(-1) ?? ''
    const facts: NewAttachment = {
      name,
      type: file.type ?? types[extname(name).toLowerCase()] ?? 'application/octet-stream',
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    }
    const key = JSON.stringify([owner, file.path, facts])
    const known = this.#sent.get(key)
    if (known) return known
    const answer = await this.#service.call<AttachmentPlace>('agent', '/agent/attachments', { body: facts })
    if (!answer.ok) {
      if (answer.status >= 500) throw new Error(`the service gave no place: HTTP ${answer.status}`)
      throw new Unsendable(`${name}: ${parseObject<{ message: string }>(answer.text).message ?? 'it was refused.'}`)
    }
    const { attachment, upload: to } = answer.body
    await upload(to.url, content.length, () => Readable.from([content]), to.headers)
    this.#sent.set(key, attachment.id)
    if (this.#sent.size > maxRemembered)
      for (const first of [...this.#sent.keys()].slice(0, 1)) this.#sent.delete(first)
    return attachment.id
  }

  /** @throws Unsendable unless the path is a regular file of the volume */
  async #read(path: string): Promise<Buffer> {
    const below = `${this.#volume}/`
    try {
      await using file = await openFile(this.#volume, path.startsWith(below) ? path.slice(below.length) : path)
      const { size } = await file.stat()
      if (size === 0 || size > maxAttachmentBytes)
        throw new Unsendable(`${path} is ${size === 0 ? 'empty' : `larger than ${maxAttachmentBytes / 1e6} MB`}.`)
      const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, 0)
      return buffer.subarray(0, bytesRead)
    } catch (thrown) {
      if (thrown instanceof VolumeError) throw new Unsendable(`${path}: ${thrown.message}`)
      throw thrown
    }
  }
}

function fileOf(named: unknown): SentFile {
  // safe because each field is checked before its use
  const { path, name, type } = (typeof named === 'object' && named !== null ? named : {}) as Record<string, unknown>
  if (typeof path !== 'string') throw new Unsendable('Name each file as {"path": …}, its path on the volume.')
  return { path, ...(typeof name === 'string' && { name }), ...(typeof type === 'string' && { type }) }
}

const types: Record<string, string> = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.zip': 'application/zip',
}
