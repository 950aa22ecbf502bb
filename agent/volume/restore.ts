import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { TaskResult } from '../../domain/agent/task.ts'
import type { ChunkList, IndexLine } from '../../domain/files/restore-point.ts'
import { readBytes } from '../http.ts'
import { reserved } from './files.ts'
import { childOf, Folder, VolumeError } from './folder.ts'
import { namesOf } from './names.ts'
import type { Store } from './store.ts'

/** Chunks are fetched some at a time: this many are held in memory, of so many is the address asked for at once. */
const batch = 4
const ahead = 64
const maxListBytes = 64 * 1024 * 1024

type Restored = Omit<Extract<TaskResult, { kind: 'restore' }>, 'kind'>

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
  for await (const line of linesOfIndex(indexFile)) {
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
  for (const name of names) folder = opened.use(await folder.makeFolder(name, 'remove'))
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

/** The files of a restore point, from its list. */
export async function* linesOfIndex(indexFile: string): AsyncGenerator<IndexLine> {
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

  const namesOfChunks = (from: number, to: number) => list.slice(from, to).map(({ sha256 }) => sha256)

  /** What follows an offset in the chunk it lies in. @throws Error past the last one */
  async function after(offset: number): Promise<Buffer> {
    for (let chunk = list[first]; chunk && beginsAt + chunk.size <= offset; chunk = list[first]) {
      beginsAt += chunk.size
      held.shift()
      first++
    }
    if (held.length === 0)
      held = await store.getChunks(namesOfChunks(first, first + batch), namesOfChunks(first + batch, first + ahead))
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
