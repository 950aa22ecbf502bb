import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import type { TaskResult } from '../../domain/agent/task.ts'
import type { ChunkList } from '../../domain/files/restore-point.ts'
import { chunksOf, usualCut } from './chunker.ts'
import { emptySummary, type FoundFile, filesOf } from './files.ts'
import { KnownFiles, type KnownLine, type Recollection, sizeOf, stampOf } from './known-files.ts'
import { LineFile, linesOfFile } from './line-file.ts'
import { type Store, sha256Of } from './store.ts'

const readSize = 256 * 1024

/** Chunks are stored in batches: so many, or so many bytes in memory. */
const storedAtOnce = { chunks: 64, bytes: 24 * 1024 * 1024 }

type Taken = Omit<Extract<TaskResult, { kind: 'snapshot' }>, 'kind'>
type PointStore = Pick<Store, 'lost' | 'putChunks' | 'put'>

/** All files are read again after this time, ms: the plans' prices pay for one such reading a month. */
export const readAllAfterMs = 31 * 24 * 60 * 60_000

const usual = {
  readAllAfterMs,
  /** Longer than the resolution of file times, and than their delay after a write to a mapped page. */
  settleMs: 60_000,
  /** Unused bytes allowed in the chunks, besides as much as the files have; beyond that all files are read again. */
  spareBytes: 64 * 1024 * 1024,
  cut: usualCut,
}

/**
 * Keeps every regular file: the bytes of all as one sequence of chunks, each stored once, and a list of each file's
 * place. Unchanged files are not read: their chunks come first. `scratch` is an empty folder of the supervisor's.
 */
export async function takeRestorePoint(
  volume: string,
  scratch: string,
  store: PointStore,
  settings: Partial<typeof usual> = {},
): Promise<Taken> {
  const { readAllAfterMs, settleMs, spareBytes, cut } = { ...usual, ...settings }
  const nowMs = Date.now()
  await using memory = await KnownFiles.open(volume)
  const { known, stored } = await recall(memory, scratch, store, nowMs, readAllAfterMs)
  const isSettled = (stat: BigIntStats) => memory?.isSettled(stat, settleMs) ?? false

  const summary = emptySummary()
  const read = filesOf(volume, summary, known ? (path, stat) => known.find(path, stat) : undefined)
  const addedLines = join(scratch, 'added')
  const added = await putChunks(chunksOf(readFiles(read, addedLines, isSettled), cut), store, stored)

  const chunks: ChunkList = []
  const [files, remembered] = [join(scratch, 'files.gz'), join(scratch, 'remembered.gz')]
  const lists = [new LineFile(files, true), new LineFile(remembered, true)] as const
  let bytes = 0
  for await (const { stamp, ...line } of allLines(known, addedLines, chunks)) {
    await lists[0].write(line)
    await lists[1].write({ ...line, stamp })
    bytes += line.s
  }
  chunks.push(...added.chunks)
  if (memory) await lists[1].write(memory.tail({ readAt: known?.readAt ?? nowMs, chunks }))
  for (const list of lists) await list.end()

  await store.put('files', { file: files })
  // The list of chunks comes last: without it there is no restore point, and nothing to remember.
  await store.put('chunks', Buffer.from(JSON.stringify(chunks)))
  if (sizeOf(chunks) > 2 * bytes + spareBytes) await memory?.forget()
  else await memory?.replace(remembered)
  return { summary: { ...summary, bytes }, chunks: chunks.length, newBytes: added.newBytes }
}

interface Recalled {
  /** Files that need not be read again; null if all must be. */
  known: Recollection | null
  /** Chunks that the service still has. */
  stored: Set<string>
}

/** @throws StoreError when the service cannot be asked */
async function recall(
  memory: KnownFiles | null,
  scratch: string,
  store: PointStore,
  nowMs: number,
  readAllAfterMs: number,
): Promise<Recalled> {
  const known = await memory?.read(scratch)
  if (!known) return { known: null, stored: new Set() }
  const { lost, all } = await store.lost(known.chunks)
  if (!all) return { known: null, stored: new Set() }
  await known.dropLost(lost)
  const stored = new Set(known.chunks.flatMap(({ sha256 }) => (lost.has(sha256) ? [] : [sha256])))
  const isDue = known.readAt > nowMs || nowMs - known.readAt >= readAllAfterMs
  return { known: isDue ? null : known, stored }
}

/** The bytes of the files as one sequence; writes the place of each to `lines`. */
async function* readFiles(
  files: AsyncIterable<FoundFile>,
  lines: string,
  isSettled: (stat: BigIntStats) => boolean,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(readSize)
  const list = new LineFile(lines, false)
  let offset = 0
  for await (const { path, stat, handle } of files) {
    const expected = Number(stat.size)
    let size = 0
    for (;;) {
      // Bytes appended during the read are left for the next point.
      const { bytesRead } = await handle.read(buffer, 0, Math.min(readSize, expected - size), null)
      if (bytesRead === 0) break
      size += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
    const line = { p: path, s: size, m: Math.max(Number(stat.mtimeMs), 0), x: Number(stat.mode) & 0o777, o: offset }
    // Any later change, even during the read, changes the file's time, so it is read again.
    await list.write(isSettled(stat) ? { ...line, stamp: stampOf(path, stat) } : line)
    offset += size
  }
  await list.end()
}

/** Unchanged files first, whose chunks are added to `chunks`; then those that were read. */
async function* allLines(known: Recollection | null, addedLines: string, chunks: ChunkList): AsyncGenerator<KnownLine> {
  if (known) yield* known.kept(chunks)
  const start = sizeOf(chunks)
  for await (const text of linesOfFile(addedLines)) {
    const line: KnownLine = JSON.parse(text)
    yield { ...line, o: line.o + start }
  }
}

/** Stores each missing chunk once. @returns all chunks in order, and the number of new bytes */
async function putChunks(
  source: AsyncIterable<Buffer>,
  store: PointStore,
  stored: ReadonlySet<string>,
): Promise<{ chunks: ChunkList; newBytes: number }> {
  const chunks: ChunkList = []
  const names = new Set(stored)
  let held: { sha256: string; bytes: Buffer }[] = []
  let heldBytes = 0
  let newBytes = 0
  for await (const bytes of source) {
    const sha256 = sha256Of(bytes)
    chunks.push({ sha256, size: bytes.length })
    if (names.has(sha256)) continue
    names.add(sha256)
    held.push({ sha256, bytes })
    heldBytes += bytes.length
    if (held.length < storedAtOnce.chunks && heldBytes < storedAtOnce.bytes) continue
    newBytes += await store.putChunks(held)
    held = []
    heldBytes = 0
  }
  if (held.length > 0) newBytes += await store.putChunks(held)
  return { chunks, newBytes }
}
