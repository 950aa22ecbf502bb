import { randomUUID } from 'node:crypto'
import { lstat, rename } from 'node:fs/promises'
import { reserved } from './files.ts'
import { Folder, isThere, VolumeError } from './folder.ts'
import { discard, moveEntry, openOwn, ownFolder } from './own-folder.ts'

/**
 * Folders of `.berth`, in the order of a full restore. Each step ends with a rename, so the next machine knows how far
 * a killed one came.
 */
const names = {
  next: Buffer.from('next'),
  /** The fetched files, while the user's own are moved to `old`. */
  fetched: Buffer.from('fetched'),
  old: Buffer.from('old'),
  /** The fetched files, while they are moved into place. */
  placed: Buffer.from('placed'),
}
/** Records of the replaced files. */
const memories = ['undo', 'known-files.gz'].map((name) => Buffer.from(name))

/** A program may add files faster than they are moved. */
const maxPasses = 20

/** Fetches files with `fetch`, and swaps them with everything on the volume. */
export async function swapVolume<T>(volume: string, fetch: (folder: Folder) => Promise<T>): Promise<T> {
  await settleSwap(volume)
  await using own = await openOwnTop(volume)
  await using next = await own.makeFolder(names.next, 'remove')
  const fetched = await fetch(next)
  await rename(own.at(names.next), own.at(names.fetched))
  try {
    await using top = await Folder.top(volume)
    await using old = await own.makeFolder(names.old, 'remove')
    await moveAll(top, old)
    await rename(own.at(names.fetched), own.at(names.placed))
  } finally {
    await settleSwap(volume)
  }
  return fetched
}

/** Ends an interrupted swap: undoes it until all of the user's files are in `old`, completes it after that. */
export async function settleSwap(volume: string): Promise<void> {
  await using top = await Folder.top(volume)
  await using own = await openOwnTop(volume)
  if (await isThere(own.at(names.placed))) {
    await bringBack(own, names.placed, top)
    if (await isThere(own.at(names.old))) {
      await using trash = await openOwn(volume, 'trash')
      await rename(own.at(names.old), trash.at(Buffer.from(randomUUID())))
    }
    for (const name of memories) await discard(volume, own, name)
    await discard(volume, own, names.placed)
  } else if (await isThere(own.at(names.old))) await bringBack(own, names.old, top)
  for (const name of [names.old, names.fetched, names.next]) await discard(volume, own, name)
}

async function openOwnTop(volume: string): Promise<Folder> {
  await using top = await Folder.top(volume)
  return await top.makeFolder(Buffer.from(ownFolder), 'remove')
}

async function bringBack(own: Folder, name: Buffer, top: Folder): Promise<void> {
  await using folder = await own.makeFolder(name, 'remove')
  await moveAll(folder, top)
}

/** Moves the contents of a folder. An entry of the same name in `to` is moved to `<name>.displaced-<time>`. */
async function moveAll(from: Folder, to: Folder): Promise<void> {
  // Renaming while reading may hide names, so only a reading that finds nothing ends this.
  for (let pass = 0, count = 1; count > 0; pass++) {
    if (pass === maxPasses) throw new VolumeError('conflict', 'Something is written there all the time.')
    count = 0
    for await (const { name } of from.entries()) {
      if (reserved.has(name.toString())) continue
      count++
      await moveTo(from, name, to)
    }
  }
}

async function moveTo(from: Folder, name: Buffer, to: Folder): Promise<void> {
  const there = await lstat(to.at(name)).catch(() => null)
  if (there && !there.isDirectory()) await to.displace(name)
  await moveEntry(from, name, to.at(name)).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return
    await to.displace(name)
    await moveEntry(from, name, to.at(name))
  })
}
