import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { TaskResult } from '../../domain/agent/task.ts'
import type { ChunkList, IndexLine } from '../../domain/files/restore-point.ts'
import { readBytes } from '../kit/http.ts'
import { deleteEntry } from './empty-folder.ts'
import { reserved } from './files.ts'
import { Folder, VolumeError } from './folder.ts'
import { unzippedLines } from './line-file.ts'
import { namesOf, textOf } from './names.ts'
import { emptyTrash } from './own-folder.ts'
import type { Store } from './store.ts'
import { swapVolume } from './swap.ts'

/** Chunks held in memory at once, and addresses requested at once. */
const batch = 4
const ahead = 64
const maxListBytes = 64 * 1024 * 1024
/** Bytes of a list of files, and of one line: the service's limits. */
const mostOfIndex = { bytes: 2 * 1024 ** 3, line: 64 * 1024 }

type Restored = Omit<Extract<TaskResult, { kind: 'restore' }>, 'kind'>

/**
 * Writes files of a point below `root`: all, or those at `path`. Links and obstacles are removed. @throws VolumeError
 */
export async function restoreFiles(
  root: string,
  scratch: string,
  store: Store,
  path: string | null,
): Promise<Restored> {
  await using top = await Folder.top(root)
  return await restoreInto(top, scratch, store, path)
}

async function restoreInto(top: Folder, scratch: string, store: Store, path: string | null): Promise<Restored> {
  const indexFile = join(scratch, 'files.gz')
  await pipeline(await store.get('files'), createWriteStream(indexFile, { mode: 0o600 }))
  const bytesAt = await chunkReader(store)
  const inside = `${path?.replace(/\/+$/, '')}/`
  const restored = { files: 0, bytes: 0 }
  for await (const line of linesOfIndex(indexFile)) {
    if (path !== null && line.p !== path && !line.p.startsWith(inside)) continue
    if (reserved.has(textOf(namesOf(line.p)[0] ?? Buffer.alloc(0)))) continue
    await writeFile(top, line, bytesAt(line.o, line.s))
    restored.files++
    restored.bytes += line.s
  }
  if (path !== null && restored.files === 0) throw new VolumeError('not-found', 'The restore point has no such file.')
  return restored
}

/** Restores the whole volume: fetches everything first, then swaps it with the current files. */
export async function restoreVolume(volume: string, scratch: string, store: Store): Promise<Restored> {
  const restored = await swapVolume(volume, (next) => restoreInto(next, scratch, store, null))
  // The machine's next start empties the rest.
  await emptyTrash(volume).catch(() => {})
  return restored
}

async function writeFile(top: Folder, line: IndexLine, bytes: AsyncIterable<Buffer>): Promise<void> {
  const names = namesOf(line.p)
  const last = names.pop()
  if (!last) throw new VolumeError('validation', 'The restore point names no file.')
  await using opened = new AsyncDisposableStack()
  let folder = top
  for (const name of names) folder = opened.use(await folder.makeFolder(name, 'remove'))
  const temporary = Buffer.from('.berth-restored.next')
  await deleteEntry(folder, temporary)
  await fill(folder.at(temporary), line, bytes)
  const there = await lstat(folder.at(last)).catch(() => null)
  if (there?.isDirectory()) await deleteEntry(folder, last)
  await rename(folder.at(temporary), folder.at(last))
}

async function fill(path: Buffer, { x: mode, m: changedMs }: IndexLine, bytes: AsyncIterable<Buffer>): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  for await (const part of bytes) await file.writeFile(part)
  await file.chmod(mode & 0o777)
  await file.utimes(changedMs / 1000, changedMs / 1000)
}

export async function* linesOfIndex(indexFile: string): AsyncGenerator<IndexLine> {
  for await (const line of unzippedLines(createReadStream(indexFile), mostOfIndex)) yield JSON.parse(line)
}

/** Reads the bytes of all files as one sequence, only forwards. */
async function chunkReader(store: Store) {
  const list: ChunkList = JSON.parse((await readBytes(await store.get('chunks'), maxListBytes)).toString())
  let held: Buffer[] = []
  /** The first chunk held, and its offset. */
  let first = 0
  let beginsAt = 0

  const namesOfChunks = (from: number, to: number) => list.slice(from, to).map(({ sha256 }) => sha256)

  /** The rest of the chunk after an offset. @throws Error past the last one */
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
