import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { readText } from '../http.ts'
import { asList, asNumber, asObject, asText, parseJson } from '../shapes.ts'
import { namesOf } from './names.ts'
import { NotThere, Place } from './place.ts'
import type { Store } from './store.ts'

/** Pieces fetched ahead of the file that needs them. */
const ahead = 4
const maxListBytes = 64 * 1024 * 1024

interface Line {
  path: string
  size: number
  changedMs: number
  mode: number
  offset: number
}

export interface Restored {
  files: number
  bytes: number
}

/**
 * Writes files of a restore point below `root`. With `path` only that file, or what lies in that folder. Links and
 * other things that stand in the way of a folder or file are removed, never followed. @throws NotThere
 */
export async function restoreInto(root: string, scratch: string, store: Store, path: string | null): Promise<Restored> {
  const indexFile = join(scratch, 'files.gz')
  await pipeline(await store.get('files'), createWriteStream(indexFile, { mode: 0o600 }))
  const whole = await openWhole(store)
  const top = await Place.top(root)
  const restored = { files: 0, bytes: 0 }
  try {
    for await (const line of linesOf(indexFile)) {
      if (path !== null && line.path !== path && !line.path.startsWith(`${path.replace(/\/+$/, '')}/`)) continue
      await writeFile(top, line, whole.bytes(line.offset, line.size))
      restored.files++
      restored.bytes += line.size
    }
  } finally {
    await top.close()
  }
  if (path !== null && restored.files === 0) throw new NotThere('not-found', 'The restore point has no such file.')
  return restored
}

/** Makes the volume what it was: all of it is fetched first, then it changes places with what is there. */
export async function restoreAll(volume: string, scratch: string, store: Store): Promise<Restored> {
  const ours = join(volume, '.berth')
  const [next, old] = [join(ours, 'next'), join(ours, 'old')]
  for (const folder of [next, old]) {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true, mode: 0o700 })
  }
  const restored = await restoreInto(next, scratch, store, null)
  for (const name of await readdir(volume, { encoding: 'buffer' })) {
    if (!kept.has(name.toString())) await rename(inFolder(volume, name), inFolder(old, name))
  }
  for (const name of await readdir(next, { encoding: 'buffer' }))
    await rename(inFolder(next, name), inFolder(volume, name))
  await rm(ours, { recursive: true, force: true })
  return restored
}

const kept = new Set(['config', '.berth'])
const inFolder = (folder: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${folder}/`), name])

async function writeFile(top: Place, line: Line, bytes: AsyncIterable<Buffer>): Promise<void> {
  const names = namesOf(line.path)
  const last = names?.pop()
  if (!names || !last)
    throw new NotThere('validation', 'The restore point names a path that does not lead into the volume.')
  const way: Place[] = []
  try {
    let folder = top
    for (const name of names) {
      folder = await folder.makeFolder(name)
      way.push(folder)
    }
    const next = folder.at(Buffer.from('.berth-restored.next'))
    await rm(next, { force: true })
    const file = await open(next, 'wx', 0o600)
    await fill(file, line, bytes)
    const target = folder.at(last)
    const there = await lstat(target).catch(() => null)
    if (there?.isDirectory()) await rm(target, { recursive: true, force: true })
    await rename(next, target)
  } finally {
    for (const place of way) await place.close()
  }
}

async function fill(file: FileHandle, { mode, changedMs }: Line, bytes: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const part of bytes) await file.writeFile(part)
    await file.chmod(mode & 0o777)
    await file.utimes(changedMs / 1000, changedMs / 1000)
  } finally {
    await file.close()
  }
}

async function* linesOf(indexFile: string): AsyncGenerator<Line> {
  const text = createReadStream(indexFile).pipe(createGunzip())
  for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) {
    const { p, s, m, x, o } = asObject(parseJson(line))
    if (asText(p))
      yield {
        path: asText(p),
        size: asNumber(s, 0),
        changedMs: asNumber(m, 0),
        mode: asNumber(x, 0o600),
        offset: asNumber(o, 0),
      }
  }
}

/** The bytes of all files as one, of which a few pieces are held at a time; files are read in order. */
async function openWhole(store: Store) {
  const list = asList(parseJson(await readText(await store.get('chunks'), maxListBytes))).map((one) => {
    const { sha256, size } = asObject(one)
    return { sha256: asText(sha256), size: asNumber(size, 0) }
  })
  let at = 0
  const pieces = list.map((one) => {
    at += one.size
    return { ...one, from: at - one.size }
  })
  const held = new Map<number, Buffer>()

  async function piece(index: number): Promise<Buffer> {
    const there = held.get(index)
    if (there) return there
    held.clear()
    const wanted = pieces.slice(index, index + ahead)
    const fetched = await store.getPieces(wanted.map(({ sha256 }) => sha256))
    fetched.forEach((bytes, i) => {
      held.set(index + i, bytes)
    })
    return held.get(index) ?? Buffer.alloc(0)
  }

  return {
    async *bytes(offset: number, size: number): AsyncGenerator<Buffer> {
      for (let from = offset, left = size; left > 0; ) {
        const index = indexAt(pieces, from)
        const { from: begins = 0 } = pieces[index] ?? {}
        const part = (await piece(index)).subarray(from - begins, from - begins + left)
        if (part.length === 0) throw new Error('a restore point lacks a piece')
        yield part
        from += part.length
        left -= part.length
      }
    },
  }
}

/** The piece in which a byte lies. */
function indexAt(pieces: { from: number; size: number }[], offset: number): number {
  let [low, high] = [0, pieces.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((pieces[middle]?.from ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
