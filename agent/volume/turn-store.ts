import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import type { Folder } from './folder.ts'
import { parseJournal } from './journal-state.ts'
import { openOwn } from './own-folder.ts'
import { sha256Of } from './store.ts'
import { contentsOf, emptyState, type JournalState } from './turn-record.ts'

const stateName = Buffer.from('journal.json')
const maxStateBytes = 16 * 1024 * 1024

/** `.berth/undo`: contents by SHA-256, and the journal. The agent can write there too, so both are checked. */
export class TurnStore implements AsyncDisposable {
  readonly #folder: Folder

  private constructor(folder: Folder) {
    this.#folder = folder
  }

  static async open(volume: string): Promise<TurnStore> {
    return new TurnStore(await openOwn(volume, 'undo'))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#folder[Symbol.asyncDispose]()
  }

  /** Empty when missing, unreadable, or not written by the supervisor. */
  async state(): Promise<JournalState> {
    try {
      return parseJournal((await this.#folder.read(stateName, maxStateBytes)).toString())
    } catch {
      return emptyState()
    }
  }

  keepState = (state: JournalState): Promise<void> => this.#write(stateName, Buffer.from(JSON.stringify(state)))

  /** @returns the key of the content, which is stored once */
  async keep(content: Buffer, isKept: (sha256: string) => boolean): Promise<string> {
    const sha256 = sha256Of(content)
    if (!isKept(sha256)) await this.#write(Buffer.from(sha256), content)
    return sha256
  }

  /** Null when the content is missing or was changed. */
  async content(sha256: string, size: number): Promise<Buffer | null> {
    const bytes = await this.#folder.read(Buffer.from(sha256), size).catch(() => null)
    return bytes && sha256Of(bytes) === sha256 ? bytes : null
  }

  async prune(state: JournalState): Promise<void> {
    const wanted = contentsOf(state)
    for await (const { name } of this.#folder.entries())
      if (!name.equals(stateName) && !wanted.has(name.toString()))
        await rm(this.#folder.at(name), { recursive: true, force: true })
  }

  async #write(name: Buffer, content: Buffer): Promise<void> {
    const next = this.#folder.at(Buffer.from(randomUUID()))
    try {
      await using file = await open(next, 'wx', 0o600)
      await file.writeFile(content)
      await rename(next, this.#folder.at(name))
    } finally {
      await rm(next, { force: true })
    }
  }
}
