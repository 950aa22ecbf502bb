import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { finished, pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { TaskResult } from '../../domain/agent/task.ts'
import type { ChunkList, IndexLine } from '../../domain/files/restore-point.ts'
import { readBytes } from '../http.ts'
import { chunksOf } from './chunker.ts'
import { emptySummary, type FoundFile, filesOf, reserved } from './files.ts'
import { childOf, Folder, VolumeError } from './folder.ts'
import { namesOf } from './names.ts'
import { type Store, sha256Of } from './store.ts'

/** Chunks are stored and fetched some at a time: this many are held in memory. */
const batch = 4
const readSize = 256 * 1024
const maxListBytes = 64 * 1024 * 1024

type Taken = Omit<Extract<TaskResult, { kind: 'snapshot' }>, 'kind'>
type Restored = Omit<Extract<TaskResult, { kind: 'restore' }>, 'kind'>

/**
 * Keeps every regular file of the volume: their bytes, one after another, in chunks that are stored once however often
 * they come, and a list of where each file lies in that. `scratch` is an empty folder of ours.
 */
export async function takeRestorePoint(volume: string, scratch: string, store: Store): Promise<Taken> {
  const summary = emptySummary()
  const indexFile = join(scratch, 'files.gz')
  const index = createGzip({ level: 6 })
  const written = index.pipe(createWriteStream(indexFile, { mode: 0o600 }))
  const buffer = Buffer.allocUnsafe(readSize)
  let offset = 0

  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const file of filesOf(volume, summary)) {
      let size = 0
      for (;;) {
        // What is appended while we read is left for the next time.
        const { bytesRead } = await file.handle.read(buffer, 0, Math.min(readSize, file.stat.size - size), null)
        if (bytesRead === 0) break
        size += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
      const line = `${JSON.stringify(lineOf(file, size, offset))}\n`
      if (!index.write(line)) await new Promise((resolve) => index.once('drain', resolve))
      offset += size
    }
  }

  const { list, newBytes } = await putChunks(chunksOf(bytes()), store)
  index.end()
  await finished(written)
  await store.put('files', { file: indexFile })
  // The list of chunks comes last: without it there is no restore point.
  await store.put('chunks', Buffer.from(JSON.stringify(list)))
  return { summary: { ...summary, bytes: offset }, chunks: list.length, newBytes }
}

const lineOf = ({ path, stat }: FoundFile, size: number, offset: number): IndexLine => ({
  p: path,
  s: size,
  m: Math.floor(Math.max(stat.mtimeMs, 0)),
  x: stat.mode & 0o777,
  o: offset,
})

/** Stores each chunk once; answers all in their order, and how many bytes were not stored before. */
async function putChunks(chunks: AsyncIterable<Buffer>, store: Store): Promise<{ list: ChunkList; newBytes: number }> {
  const list: ChunkList = []
  const seen = new Set<string>()
  let held: { sha256: string; bytes: Buffer }[] = []
  let newBytes = 0
  for await (const bytes of chunks) {
    const sha256 = sha256Of(bytes)
    list.push({ sha256, size: bytes.length })
    if (seen.has(sha256)) continue
    seen.add(sha256)
    held.push({ sha256, bytes })
    if (held.length < batch) continue
    newBytes += await store.putChunks(held)
    held = []
  }
  if (held.length > 0) newBytes += await store.putChunks(held)
  return { list, newBytes }
}

/**
 * Writes files of a restore point below `root`: all, or with `path` that file, or what lies in that folder. Links and
 * other things that stand in the way of a folder or file are removed, never followed. @throws VolumeError
 */
export async function restoreFiles(
  root: string,
  scratch: string,
  store: Store,
  path: string | null,
): Promise<Restored> {
  const indexFile = join(scratch, 'files.gz')
  await pipeline(await store.get('files'), createWriteStream(indexFile, { mode: 0o600 }))
  const bytesAt = await chunkReader(store)
  const inside = `${path?.replace(/\/+$/, '')}/`
  await using top = await Folder.top(root)
  const restored = { files: 0, bytes: 0 }
  for await (const line of linesOf(indexFile)) {
    if (path !== null && line.p !== path && !line.p.startsWith(inside)) continue
    await writeFile(top, line, bytesAt(line.o, line.s))
    restored.files++
    restored.bytes += line.s
  }
  if (path !== null && restored.files === 0) throw new VolumeError('not-found', 'The restore point has no such file.')
  return restored
}

/** Makes the volume what it was: all of it is fetched first, then it changes places with what is there. */
export async function restoreVolume(volume: string, scratch: string, store: Store): Promise<Restored> {
  const ours = join(volume, '.berth')
  const [next, old] = [join(ours, 'next'), join(ours, 'old')]
  for (const folder of [next, old]) {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true, mode: 0o700 })
  }
  const restored = await restoreFiles(next, scratch, store, null)
  await moveAll(volume, old, reserved)
  await moveAll(next, volume)
  await rm(ours, { recursive: true, force: true })
  return restored
}

async function moveAll(from: string, to: string, except: ReadonlySet<string> = new Set()): Promise<void> {
  for (const name of await readdir(from, { encoding: 'buffer' }))
    if (!except.has(name.toString())) await rename(childOf(Buffer.from(from), name), childOf(Buffer.from(to), name))
}

async function writeFile(top: Folder, line: IndexLine, bytes: AsyncIterable<Buffer>): Promise<void> {
  const names = namesOf(line.p)
  const last = names.pop()
  if (!last) throw new VolumeError('validation', 'The restore point names no file.')
  await using opened = new AsyncDisposableStack()
  let folder = top
  for (const name of names) folder = opened.use(await folder.makeFolder(name, true))
  const next = folder.at(Buffer.from('.berth-restored.next'))
  await rm(next, { force: true })
  await fill(next, line, bytes)
  const target = folder.at(last)
  const there = await lstat(target).catch(() => null)
  if (there?.isDirectory()) await rm(target, { recursive: true, force: true })
  await rename(next, target)
}

async function fill(path: Buffer, { x: mode, m: changedMs }: IndexLine, bytes: AsyncIterable<Buffer>): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  for await (const part of bytes) await file.writeFile(part)
  await file.chmod(mode & 0o777)
  await file.utimes(changedMs / 1000, changedMs / 1000)
}

async function* linesOf(indexFile: string): AsyncGenerator<IndexLine> {
  const text = createReadStream(indexFile).pipe(createGunzip())
  for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) yield JSON.parse(line)
}

/** Reads in the bytes of all files as one, forwards only; some chunks are held. */
async function chunkReader(store: Store) {
  const list: ChunkList = JSON.parse((await readBytes(await store.get('chunks'), maxListBytes)).toString())
  let held: Buffer[] = []
  /** The first chunk held, and where it begins. */
  let first = 0
  let beginsAt = 0

  /** What follows an offset in the chunk it lies in. @throws Error past the last one */
  async function after(offset: number): Promise<Buffer> {
    for (let chunk = list[first]; chunk && beginsAt + chunk.size <= offset; chunk = list[first]) {
      beginsAt += chunk.size
      held.shift()
      first++
    }
    if (held.length === 0) held = await store.getChunks(list.slice(first, first + batch).map(({ sha256 }) => sha256))
    const bytes = held[0]?.subarray(offset - beginsAt)
    if (!bytes?.length) throw new Error('a restore point lacks bytes')
    return bytes
  }

  return async function* (offset: number, size: number): AsyncGenerator<Buffer> {
    for (let read = 0; read < size; ) {
      const bytes = (await after(offset + read)).subarray(0, size - read)
      yield bytes
      read += bytes.length
    }
  }
}
