import { hash } from 'node:crypto'
import { type BigIntStats, createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ChunkList, IndexLine } from '../../domain/files/restore-point.ts'
import { Folder } from './folder.ts'
import { linesOfFile, unzippedLines } from './line-file.ts'
import { ownFolder } from './own-folder.ts'

/**
 * A file of a restore point, and what the file system said of it; none of a file that may have changed unseen since.
 */
export type KnownLine = IndexLine & { stamp?: string }

/** The last line: which file on which volume this is, and what the lines' offsets are in. */
interface Tail {
  version: 1
  inode: string
  volume: string
  /** When all files were last read, ms since 1970. */
  readAt: number
  chunks: ChunkList
}

/**
 * Limits on reading the record. The agent can write there too, and the supervisor's memory has room for this many
 * files; a volume of more is read whole each time. The last line has all pieces.
 */
const most = { zippedBytes: 256 * 1024 * 1024, bytes: 1024 ** 3, line: 16 * 1024 * 1024, lines: 400_000 }

const nextName = Buffer.from('known-files.next')
const fileName = Buffer.from('known-files.gz')

/** The same as long as a file's path, size, inode and times of change are. */
export const stampOf = (path: string, { size, mtimeNs, ctimeNs, ino }: BigIntStats): string =>
  hash('sha256', `${size} ${mtimeNs} ${ctimeNs} ${ino} ${path}`, 'base64url').slice(0, 22)

/**
 * The volume's record of its last restore point, in its folder `.berth`: files, and the pieces and offsets of their
 * bytes. It names its own inode and the volume's, so a copy of it, here or elsewhere, is not taken for it.
 */
export class KnownFiles {
  readonly #folder: Folder
  readonly #next: FileHandle
  readonly #inodes: Pick<Tail, 'inode' | 'volume'>
  /** The file system's own time when it was opened, ns. */
  readonly #openedNs: bigint

  private constructor(folder: Folder, next: FileHandle, inodes: Pick<Tail, 'inode' | 'volume'>, openedNs: bigint) {
    this.#folder = folder
    this.#next = next
    this.#inodes = inodes
    this.#openedNs = openedNs
  }

  /** Null on a volume that cannot be written: it is read whole then. */
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

  /**
   * Files recorded this long before the record was opened are known: any later change gives them another time of
   * change.
   */
  isSettled({ ctimeNs }: BigIntStats, settleMs: number): boolean {
    return ctimeNs < this.#openedNs - BigInt(settleMs) * 1_000_000n
  }

  /** The last record. Null for none, and for one that is damaged, another volume's, or not to be understood. */
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

  /** The last line of what `replace` puts in the place of what was kept. */
  tail(about: Pick<Tail, 'readAt' | 'chunks'>): Tail {
    return { version: 1, ...this.#inodes, ...about }
  }

  /** Any obstacle, for example a full volume, only costs the next point time. */
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

/** @throws what says that it cannot be relied upon */
async function recollect(file: string, { inode, volume }: Pick<Tail, 'inode' | 'volume'>): Promise<Recollection> {
  let last = ''
  let end = 0
  const found = new Map<string, boolean>()
  for await (const text of linesOfFile(file)) {
    if (last) {
      const { p, s, m, x, o, stamp }: KnownLine = JSON.parse(last)
      const isLine = typeof p === 'string' && [s, m, x, o].every(Number.isSafeInteger) && s >= 0 && o >= end
      if (!isLine) throw new Error('a line is none')
      end = o + s
      if (stamp) found.set(stamp, false)
    }
    last = text
  }
  const tail: Tail = JSON.parse(last)
  if (tail.version !== 1 || tail.inode !== inode || tail.volume !== volume) throw new Error('it is another’s')
  const arePieces = tail.chunks.every(({ sha256, size }) => /^[0-9a-f]{64}$/.test(sha256) && size > 0)
  if (!arePieces || !(end <= sizeOf(tail.chunks)) || !Number.isSafeInteger(tail.readAt)) throw new Error('no pieces')
  return new Recollection(file, tail, found)
}

/** Bytes in all of these. */
export const sizeOf = (chunks: ChunkList): number => chunks.reduce((sum, { size }) => sum + size, 0)

/** Files whose bytes need not be read, as far as they are found again. */
export class Recollection {
  readonly readAt: number
  readonly chunks: ChunkList
  readonly #file: string
  /** By stamp, whether a file was found that still has it. */
  readonly #found: Map<string, boolean>

  constructor(file: string, { readAt, chunks }: Pick<Tail, 'readAt' | 'chunks'>, found: Map<string, boolean>) {
    this.#file = file
    this.readAt = readAt
    this.chunks = chunks
    this.#found = found
  }

  /** True for a file that is as it was; it is one of `kept` from then on. */
  find(path: string, stat: BigIntStats): boolean {
    const stamp = stampOf(path, stat)
    if (!this.#found.has(stamp)) return false
    this.#found.set(stamp, true)
    return true
  }

  /** Takes files out that have bytes in pieces that are not stored any more. */
  async dropLost(lost: ReadonlySet<string>): Promise<void> {
    if (lost.size === 0) return
    const ranges: { from: number; to: number }[] = []
    let from = 0
    for (const { sha256, size } of this.chunks) {
      if (lost.has(sha256)) ranges.push({ from, to: from + size })
      from += size
    }
    for await (const { o, s, stamp } of this.#lines())
      if (stamp && ranges.some(({ from, to }) => o < to && o + s > from)) this.#found.delete(stamp)
  }

  /** The files that were found, at their offsets in only those pieces that hold some of them; adds these to `list`. */
  async *kept(list: ChunkList): AsyncGenerator<KnownLine> {
    let index = 0
    /** Where in the old whole the piece `index` begins, and how much before it is left out of the new one. */
    let at = 0
    let left = 0
    for await (const line of this.#lines()) {
      if (!line.stamp || !this.#found.get(line.stamp)) continue
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
