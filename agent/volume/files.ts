import type { BigIntStats } from 'node:fs'
import { type FileHandle, lstat } from 'node:fs/promises'
import type { EntryPage, Entry as FileEntry, FileSummary } from '../../domain/files/entry.ts'
import { type Entry, Folder, type Kind, kindOf, VolumeError } from './folder.ts'
import { namesOf, textOf } from './names.ts'
import { ownFolder } from './own-folder.ts'

export const emptySummary = (): FileSummary => ({
  files: 0,
  bytes: 0,
  skipped: { links: 0, devices: 0, sockets: 0, pipes: 0, unreadable: 0 },
})

const skips: Partial<Record<Kind, keyof FileSummary['skipped']>> = {
  link: 'links',
  device: 'devices',
  socket: 'sockets',
  pipe: 'pipes',
}

/** Deeper folders are left out and counted: each level holds a folder open. */
const maxDepth = 100

/** Bytes of sparse files (less than half written) in one walk; further ones are left out and counted. */
const maxHollowBytes = 64n * 1024n ** 3n

/** Stats at once: on a network file system each is a round trip. */
const looksAtOnce = 64

/** Folders that are not the user's data: the service's and the supervisor's. */
export const uncounted: ReadonlySet<string> = new Set(['config', ownFolder])

/** Folders outside restore points and exports, which a restore keeps; packages can be installed again. */
export const reserved: ReadonlySet<string> = new Set([...uncounted, 'packages'])

/** Folders at the top that every machine starts with. */
export const topFolders = ['config', 'home', 'inbox', 'memory', 'state', 'workspace'] as const

export interface FoundFile {
  path: string
  names: Buffer[]
  stat: BigIntStats
  handle: FileHandle
}

/** Summarises the volume, including packages. */
export async function summarize(volume: string): Promise<FileSummary> {
  const summary = emptySummary()
  await using top = await Folder.top(volume)
  for await (const _ of filesIn(top, [], '', { summary, leftOut: uncounted, hollowBytes: 0n }));
  return summary
}

/** Whether a file's content is known without opening it. */
type IsKnown = (path: string, stat: BigIntStats) => boolean

/** Walks every regular file that is neither left out nor known, and counts all in `summary`. */
export async function* filesOf(
  volume: string,
  summary: FileSummary,
  isKnown?: IsKnown,
  leftOut = reserved,
): AsyncGenerator<FoundFile> {
  await using top = await Folder.top(volume)
  yield* filesIn(top, [], '', { summary, leftOut, hollowBytes: 0n, ...(isKnown && { isKnown }) })
}

/** A sparse file's bytes, which take no room but may take years to read; 0 for other files. */
const hollowBytesOf = ({ size, blocks }: BigIntStats): bigint => (blocks * 1024n < size ? size : 0n)

/** Whether a single sparse file is too large to be read. */
export const isHollow = (stat: BigIntStats): boolean => hollowBytesOf(stat) > maxHollowBytes

interface Walk {
  summary: FileSummary
  leftOut: ReadonlySet<string>
  isKnown?: IsKnown
  hollowBytes: bigint
}

async function* filesIn(folder: Folder, above: Buffer[], prefix: string, walk: Walk): AsyncGenerator<FoundFile> {
  const { summary, leftOut, isKnown } = walk
  for await (const { name, kind, stat } of looked(folder, isKnown !== undefined)) {
    const text = textOf(name)
    if (prefix === '' && leftOut.has(text)) continue
    if (kind !== 'file' && kind !== 'folder') {
      summary.skipped[skips[kind] ?? 'unreadable']++
      continue
    }
    const names = [...above, name]
    try {
      if (kind === 'folder') {
        if (names.length > maxDepth) throw new VolumeError('validation', 'It lies too deep.')
        await using inner = await folder.folder(name)
        yield* filesIn(inner, names, `${prefix}${text}/`, walk)
      } else if (stat && isKnown?.(prefix + text, stat)) {
        summary.files++
        summary.bytes += Number(stat.size)
      } else {
        await using handle = await folder.file(name)
        const stat = await handle.stat({ bigint: true })
        const hollow = hollowBytesOf(stat)
        if (hollow > maxHollowBytes - walk.hollowBytes)
          throw new VolumeError('validation', 'It is nearly all holes, and too large to be read.')
        walk.hollowBytes += hollow
        summary.files++
        summary.bytes += Number(stat.size)
        yield { path: prefix + text, names, stat, handle }
      }
    } catch (thrown) {
      // The file vanished, changed its kind or may not be read: only this file is skipped.
      if (!(thrown instanceof VolumeError)) throw thrown
      summary.skipped.unreadable++
    }
  }
}

type Looked = Entry & { stat: BigIntStats | null }

/** The entries of a folder; with `closely`, with the stat of each file. */
async function* looked(folder: Folder, closely: boolean): AsyncGenerator<Looked> {
  let entries: Entry[] = []
  for await (const entry of folder.entries()) {
    entries.push(entry)
    if (entries.length < looksAtOnce) continue
    yield* await Promise.all(entries.map((entry) => look(folder, entry, closely)))
    entries = []
  }
  yield* await Promise.all(entries.map((entry) => look(folder, entry, closely)))
}

/** Some file systems do not list kinds with names. */
async function look(folder: Folder, { name, kind }: Entry, closely: boolean): Promise<Looked> {
  const wanted = kind === 'unknown' || (closely && kind === 'file')
  const stat = wanted ? await lstat(folder.at(name), { bigint: true }).catch(() => null) : null
  return { name, kind: stat ? kindOf(stat) : kind, stat }
}

/** Opens the folder at a path; with `make`, makes missing ones. @throws VolumeError */
export async function openFolder(volume: string, names: Buffer[], make = false): Promise<Folder> {
  let folder = await Folder.top(volume)
  for (const name of names) {
    await using outer = folder
    folder = await (make ? outer.makeFolder(name) : outer.folder(name))
  }
  return folder
}

/** Opens the regular file at a path. @throws VolumeError */
export async function openFile(volume: string, path: string): Promise<FileHandle> {
  const names = namesOf(path)
  const last = names.pop()
  if (!last) throw new VolumeError('validation', 'Name a file.')
  await using folder = await openFolder(volume, names)
  return await folder.file(last)
}

/** A page of a folder, by name. Reads the whole folder each time, but holds only a few pages. @throws VolumeError */
export async function listFolder(
  volume: string,
  path: string,
  after: string | null,
  limit: number,
): Promise<EntryPage> {
  await using folder = await openFolder(volume, namesOf(path))
  let first: { text: string; name: Buffer }[] = []
  for await (const { name } of folder.entries()) {
    const text = textOf(name)
    if (path === '' && text === ownFolder) continue
    if (after !== null && text <= after) continue
    first.push({ text, name })
    if (first.length > limit * 4) first = smallest(first, limit + 1)
  }
  first = smallest(first, limit + 1)
  const entries = await Promise.all(first.slice(0, limit).map(({ text, name }) => describe(folder, text, name)))
  return { entries, next: first.length > limit ? (entries.at(-1)?.name ?? null) : null }
}

const smallest = <T extends { text: string }>(list: T[], count: number): T[] =>
  list.sort((a, b) => (a.text < b.text ? -1 : 1)).slice(0, count)

/** Does not follow links. */
export async function describe(folder: Folder, name: string, bytes: Buffer): Promise<FileEntry> {
  const stat = await lstat(folder.at(bytes)).catch(() => null)
  const found = stat ? kindOf(stat) : 'unknown'
  const kind = found === 'file' || found === 'folder' || found === 'link' ? found : 'other'
  // A sparse file may be larger than a report can hold.
  const size = stat && kind === 'file' ? Math.min(stat.size, Number.MAX_SAFE_INTEGER) : 0
  return { name, kind, size, changedAt: new Date(Math.max(stat?.mtimeMs ?? 0, 0)).toISOString() }
}
