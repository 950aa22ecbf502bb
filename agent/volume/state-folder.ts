import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import { Folder, VolumeError } from './folder.ts'
import { discard, newFile, replaceFile } from './own-folder.ts'

const appending =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK
const maxBytes = 16 * 1024 * 1024
const maxListed = 1_000

/** A folder of our runtimes where programs can write too: links are not followed, obstacles are renamed. */
export class StateFolder {
  readonly #volume: string
  readonly #names: Buffer[]

  constructor(volume: string, ...names: string[]) {
    this.#volume = volume
    this.#names = names.map((name) => Buffer.from(name))
  }

  /** Reads a file; empty for a missing one, or one of more than `most` bytes. */
  async read(name: string, most = maxBytes): Promise<string> {
    await using folder = await this.#open()
    const bytes = await folder.read(Buffer.from(name), most).catch(unlessOther)
    return bytes?.toString() ?? ''
  }

  async has(name: string): Promise<boolean> {
    await using folder = await this.#open()
    await using file = await folder.file(Buffer.from(name)).catch(unlessOther)
    return file !== null
  }

  /** The newest regular files with this ending, at most `maxListed`. */
  async list(end: string): Promise<{ name: string; changedMs: number }[]> {
    await using folder = await this.#open()
    const files: { name: string; changedMs: number }[] = []
    for await (const { name } of folder.entries()) {
      const text = name.toString()
      const stat = text.endsWith(end) ? await lstat(folder.at(name)).catch(() => null) : null
      if (stat?.isFile()) files.push({ name: text, changedMs: stat.mtimeMs })
      if (files.length === maxListed) break
    }
    return files
  }

  /** Writes a file atomically. */
  async replace(name: string, text: string): Promise<void> {
    await using folder = await this.#open()
    await replaceFile(this.#volume, folder, Buffer.from(name), text, 'displace')
  }

  async remove(name: string): Promise<void> {
    await using folder = await this.#open()
    await rm(folder.at(Buffer.from(name)), { force: true }).catch(() => folder.displace(Buffer.from(name)))
  }

  /** Opens a file for reading and appending; makes it if missing. */
  async openLog(name: string): Promise<FileHandle> {
    await using folder = await this.#open()
    const bytes = Buffer.from(name)
    const file = await open(folder.at(bytes), appending, 0o600).catch(() => null)
    if (file && (await file.stat()).isFile()) return file
    await file?.close()
    await folder.displace(bytes)
    return await open(folder.at(bytes), appending | constants.O_EXCL, 0o600)
  }

  /** Rewrites a file of lines atomically, without those that `isKept` refuses. */
  async keepLines(name: string, isKept: (line: string) => boolean): Promise<void> {
    await using folder = await this.#open()
    const next = folder.at(Buffer.from(`.${name}.next`))
    await discard(this.#volume, folder, Buffer.from(`.${name}.next`))
    let isWhole = true
    {
      await using from = await this.openLog(name)
      await using into = await open(next, newFile, 0o600)
      for await (const line of from.readLines({ start: 0, autoClose: false }))
        if (isKept(line)) await into.write(`${line}\n`)
        else isWhole = false
    }
    await (isWhole ? rm(next) : rename(next, folder.at(Buffer.from(name))))
  }

  async #open(): Promise<Folder> {
    let folder = await Folder.top(this.#volume)
    for (const name of this.#names) {
      await using outer = folder
      folder = await outer.makeFolder(name, 'displace')
    }
    return folder
  }
}

function unlessOther(thrown: unknown): null {
  if (thrown instanceof VolumeError) return null
  throw thrown
}
