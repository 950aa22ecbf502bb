import { hash } from 'node:crypto'
import { type BigIntStats, createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ChunkList, IndexLine } from '../../domain/files/restore-point.ts'
import { Folder } from './folder.ts'
import { linesOfFile, unzippedLines } from './line-file.ts'
import { ownFolder } from './own-folder.ts'

/** A file of a restore point with its stamp; without one, the file may have changed unseen since. */
export type KnownLine = IndexLine & { stamp?: string }

/** The last line: identifies this file and its volume, and lists the chunks that offsets refer to. */
interface Tail {
  version: 1
  inode: string
  volume: string
  /** Time of the last complete reading, ms since 1970. */
  readAt: number
  chunks: ChunkList
}

/** Bounds of the record, which the agent may have changed; a volume of more files is read whole each time. */
const most = { zippedBytes: 256 * 1024 * 1024, bytes: 1024 ** 3, line: 16 * 1024 * 1024, lines: 400_000 }

const nextName = Buffer.from('known-files.next')
const fileName = Buffer.from('known-files.gz')

/** Equal as long as a file's path, size, inode and times are. */
export const stampOf = (path: string, { size, mtimeNs, ctimeNs, ino }: BigIntStats): string =>
  hash('sha256', `${size} ${mtimeNs} ${ctimeNs} ${ino} ${path}`, 'base64url').slice(0, 22)

/**
 * The record of the last restore point: files, and the chunks and offsets of their bytes. It names its own and the
 * volume's inode, so copies are ignored.
 */
export class KnownFiles {
  readonly #folder: Folder
  readonly #next: FileHandle
  readonly #inodes: Pick<Tail, 'inode' | 'volume'>
  /** The file system's time at the opening, ns. */
  readonly #openedNs: bigint

  private constructor(folder: Folder, next: FileHandle, inodes: Pick<Tail, 'inode' | 'volume'>, openedNs: bigint) {
    this.#folder = folder
    this.#next = next
    this.#inodes = inodes
    this.#openedNs = openedNs
  }

  /** Null on a read-only volume, which is then read whole. */
  static async open(volume: string): Promise<KnownFiles | null> {
    let folder: Folder | undefined
    try {
      await using top = await Folder.top(volume)
      folder = await top.makeFolder(Buffer.from(ownFolder), 'remove')
      const { ino } = await lstat(top.at(Buffer.from('.')), { bigint: true })
      await rm(folder.at(nextName), { recursive: true, force: true })
      const next = await open(folder.at(nextName), 'wx', 0o600)
      const own = await next.stat({ bigint: true })
      return new KnownFiles(folder, next, { inode: String(own.ino), volume: String(ino) }, own.ctimeNs)
    } catch {
      await folder?.[Symbol.asyncDispose]()
      return null
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#next.close()
    await rm(this.#folder.at(nextName), { force: true })
    await this.#folder[Symbol.asyncDispose]()
  }

  /** Whether a file was last changed this long before the opening, so any later change alters its time. */
  isSettled({ ctimeNs }: BigIntStats, settleMs: number): boolean {
    return ctimeNs < this.#openedNs - BigInt(settleMs) * 1_000_000n
  }

  /** The last record; null for a missing, damaged or foreign one. */
  async read(scratch: string): Promise<Recollection | null> {
    const lines = join(scratch, 'known-files')
    try {
      await using file = await this.#folder.file(fileName)
      const { ino, size } = await file.stat({ bigint: true })
      if (size > most.zippedBytes) return null
      const zipped = file.createReadStream({ autoClose: false, end: Number(size) })
      await pipeline(withLineEnds(unzippedLines(zipped, most)), createWriteStream(lines, { mode: 0o600 }))
      return await recollect(lines, { inode: String(ino), volume: this.#inodes.volume })
    } catch {
      return null
    }
  }

  tail(about: Pick<Tail, 'readAt' | 'chunks'>): Tail {
    return { version: 1, ...this.#inodes, ...about }
  }

  /** Never fails, for example on a full volume: without a record the next point only takes longer. */
  async replace(file: string): Promise<void> {
    try {
      await this.#next.writeFile(createReadStream(file))
      await this.#next.sync()
      await rename(this.#folder.at(nextName), this.#folder.at(fileName))
    } catch {}
  }

  async forget(): Promise<void> {
    await rm(this.#folder.at(fileName), { force: true }).catch(() => {})
  }
}

async function* withLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let count = 0
  for await (const line of lines) {
    if (++count > most.lines) throw new Error('there are too many lines')
    yield `${line}\n`
  }
}

/** @throws for a record that cannot be trusted */
async function recollect(file: string, { inode, volume }: Pick<Tail, 'inode' | 'volume'>): Promise<Recollection> {
  let last = ''
  let end = 0
  const stamps = new Map<string, boolean>()
  for await (const text of linesOfFile(file)) {
    if (last) {
      const { p, s, m, x, o, stamp }: KnownLine = JSON.parse(last)
      const isLine = typeof p === 'string' && [s, m, x, o].every(Number.isSafeInteger) && s >= 0 && o >= end
      if (!isLine) throw new Error('a line is none')
      end = o + s
      if (stamp) stamps.set(stamp, false)
    }
    last = text
  }
  const tail: Tail = JSON.parse(last)
  if (tail.version !== 1 || tail.inode !== inode || tail.volume !== volume) throw new Error('it is another’s')
  const arePieces = tail.chunks.every(({ sha256, size }) => /^[0-9a-f]{64}$/.test(sha256) && size > 0)
  if (!arePieces || !(end <= sizeOf(tail.chunks)) || !Number.isSafeInteger(tail.readAt)) throw new Error('no pieces')
  return new Recollection(file, tail, stamps)
}

/** In bytes. */
export const sizeOf = (chunks: ChunkList): number => chunks.reduce((sum, { size }) => sum + size, 0)

/** Files whose bytes need not be read if they are found unchanged. */
export class Recollection {
  readonly readAt: number
  readonly chunks: ChunkList
  readonly #file: string
  /** Whether an unchanged file was found, by stamp. */
  readonly #stamps: Map<string, boolean>

  constructor(file: string, { readAt, chunks }: Pick<Tail, 'readAt' | 'chunks'>, stamps: Map<string, boolean>) {
    this.#file = file
    this.readAt = readAt
    this.chunks = chunks
    this.#stamps = stamps
  }

  /** True for an unchanged file, which `kept` then includes. */
  find(path: string, stat: BigIntStats): boolean {
    const stamp = stampOf(path, stat)
    if (!this.#stamps.has(stamp)) return false
    this.#stamps.set(stamp, true)
    return true
  }

  /** Drops files with bytes in chunks that are no longer stored. */
  async dropLost(lost: ReadonlySet<string>): Promise<void> {
    if (lost.size === 0) return
    const ranges: { from: number; to: number }[] = []
    let from = 0
    for (const { sha256, size } of this.chunks) {
      if (lost.has(sha256)) ranges.push({ from, to: from + size })
      from += size
    }
    for await (const { o, s, stamp } of this.#lines())
      if (stamp && ranges.some(({ from, to }) => o < to && o + s > from)) this.#stamps.delete(stamp)
  }

  /** The files that were found, at their offsets in the chunks that they need; adds these chunks to `list`. */
  async *kept(list: ChunkList): AsyncGenerator<KnownLine> {
    let index = 0
    /** Where chunk `index` begins in the old sequence, and how many bytes before it are left out of the new one. */
    let at = 0
    let left = 0
    for await (const line of this.#lines()) {
      if (!line.stamp || !this.#stamps.get(line.stamp)) continue
      while (line.s > 0 && at < line.o + line.s) {
        const piece = this.chunks[index++]
        if (!piece) throw new Error('a known file lies past the end')
        at += piece.size
        if (at <= line.o) left += piece.size
        else list.push(piece)
      }
      yield { ...line, o: Math.min(line.o, at) - left }
    }
  }

  async *#lines(): AsyncGenerator<KnownLine> {
    let last = ''
    for await (const text of linesOfFile(this.#file)) {
      if (last) yield JSON.parse(last)
      last = text
    }
  }
}
