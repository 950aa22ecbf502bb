import type { Stats } from 'node:fs'
import { type FileHandle, lstat } from 'node:fs/promises'
import { namesOf, textOf } from './names.ts'
import { type Kind, kindOf, NotThere, Place } from './place.ts'

/** What is on the volume; only regular files are read. */
export interface Census {
  files: number
  bytes: number
  skipped: { links: number; devices: number; sockets: number; pipes: number; unreadable: number }
}

export const noCensus = (): Census => ({
  files: 0,
  bytes: 0,
  skipped: { links: 0, devices: 0, sockets: 0, pipes: 0, unreadable: 0 },
})

const skips: Partial<Record<Kind, keyof Census['skipped']>> = {
  link: 'links',
  device: 'devices',
  socket: 'sockets',
  pipe: 'pipes',
}

/** Deeper folders than this are left out, and counted: each level is an open folder. */
const maxDepth = 100

/** What the service writes anew itself, and where it works. */
const ours = new Set(['config', '.berth'])

export interface FoundFile {
  path: string
  bytes: Buffer[]
  stat: Stats
  /** Open while the walk stands here, closed when it goes on. */
  handle: FileHandle
}

/** Every regular file below a folder, one after another; counts as it goes. */
export async function* files(volume: string, census: Census): AsyncGenerator<FoundFile> {
  const top = await Place.top(volume)
  try {
    yield* filesIn(top, [], '', census)
  } finally {
    await top.close()
  }
}

async function* filesIn(place: Place, above: Buffer[], prefix: string, census: Census): AsyncGenerator<FoundFile> {
  for await (const { name, kind: told } of place.entries()) {
    const text = textOf(name)
    if (prefix === '' && ours.has(text)) continue
    const kind = told === 'unknown' ? await look(place, name) : told
    if (kind !== 'file' && kind !== 'folder') {
      census.skipped[skips[kind] ?? 'unreadable']++
      continue
    }
    const bytes = [...above, name]
    const path = prefix + text
    try {
      if (kind === 'file') yield* oneFile(place, name, bytes, path, census)
      else if (bytes.length > maxDepth) census.skipped.unreadable++
      else yield* oneFolder(place, name, bytes, path, census)
    } catch (thrown) {
      // It vanished, changed its kind or may not be read: that is one file less, not the end.
      if (!(thrown instanceof NotThere)) throw thrown
      census.skipped.unreadable++
    }
  }
}

async function* oneFile(place: Place, name: Buffer, bytes: Buffer[], path: string, census: Census) {
  const handle = await place.file(name)
  try {
    const stat = await handle.stat()
    census.files++
    census.bytes += stat.size
    yield { path, bytes, stat, handle }
  } finally {
    await handle.close()
  }
}

async function* oneFolder(place: Place, name: Buffer, bytes: Buffer[], path: string, census: Census) {
  const inner = await place.folder(name)
  try {
    yield* filesIn(inner, bytes, `${path}/`, census)
  } finally {
    await inner.close()
  }
}

const look = (place: Place, name: Buffer): Promise<Kind> => lstat(place.at(name)).then(kindOf, () => 'unknown' as const)

/** The folder at a path, open. @throws NotThere */
export async function openFolder(volume: string, names: Buffer[]): Promise<Place> {
  let place = await Place.top(volume)
  for (const name of names) {
    try {
      const inner = await place.folder(name)
      await place.close()
      place = inner
    } catch (thrown) {
      await place.close()
      throw thrown
    }
  }
  return place
}

/** A regular file at a path, open. @throws NotThere */
export async function openFile(volume: string, path: string): Promise<FileHandle> {
  const names = pathNames(path)
  const last = names.pop()
  if (!last) throw new NotThere('validation', 'Name a file.')
  const place = await openFolder(volume, names)
  try {
    return await place.file(last)
  } finally {
    await place.close()
  }
}

export function pathNames(path: string): Buffer[] {
  const names = namesOf(path)
  if (!names) throw new NotThere('validation', 'The path does not lead into the volume.')
  return names
}
