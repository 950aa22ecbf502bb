import type { Entry as FileEntry } from '../../domain/files/entry.ts'
import { describe, openFolder, uncounted } from './files.ts'
import { type Folder, VolumeError } from './folder.ts'
import { textOf } from './names.ts'

/** Bounds of one search; `next` continues it. */
interface Bounds {
  found: number
  looked: number
  /** Characters of all paths found: a report is one item of a table. */
  characters: number
}

const usual: Bounds = { found: 200, looked: 100_000, characters: 100_000 }

const maxDepth = 100

interface Found {
  entries: (FileEntry & { path: string })[]
  /** The path where the search stopped; null at the end. */
  next: string | null
}

interface Search extends Bounds {
  wanted: string
  after: string[]
  entries: Found['entries']
  last: string
}

/** Ignores case, and how accents are written. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase()

/**
 * Finds names that contain a text, in the order of names, folder by folder; links are not followed.
 * @param after the `next` of the previous search, even if that path is gone
 */
export async function searchNames(
  volume: string,
  text: string,
  after: string | null,
  limit: number,
  bounds: Partial<Bounds> = {},
): Promise<Found> {
  const search: Search = {
    ...usual,
    ...bounds,
    wanted: folded(text),
    after: after?.split('/') ?? [],
    entries: [],
    last: '',
  }
  search.found = Math.min(limit, search.found)
  await using top = await openFolder(volume, [])
  const isWhole = await searchIn(top, '', search.after, search)
  return { entries: search.entries, next: isWhole ? null : search.last }
}

/** False when a bound was reached. `after` is the rest of the last path below this folder. */
async function searchIn(folder: Folder, prefix: string, after: string[], search: Search): Promise<boolean> {
  const [from = ''] = after
  const depth = prefix.split('/').length
  for (const { name, text, kind } of await sortedEntries(folder, from)) {
    if (prefix === '' && uncounted.has(text)) continue
    const path = prefix + text
    const isDone = text === from
    if (!isDone) {
      if (search.looked <= 0 || search.entries.length >= search.found || search.characters < path.length) return false
      search.looked--
      search.last = path
      if (folded(text).includes(search.wanted)) {
        search.entries.push({ path, ...(await describe(folder, text, name)) })
        search.characters -= path.length
      }
    }
    if (kind !== 'folder' && kind !== 'unknown') continue
    if (depth >= maxDepth) continue
    await using inner = await folder.folder(name).catch(goneOrOther)
    if (inner && !(await searchIn(inner, `${path}/`, isDone ? after.slice(1) : [], search))) return false
  }
  return true
}

async function sortedEntries(folder: Folder, from: string) {
  const entries: { name: Buffer; text: string; kind: string }[] = []
  for await (const { name, kind } of folder.entries()) {
    const text = textOf(name)
    if (text >= from) entries.push({ name, text, kind })
  }
  return entries.sort((a, b) => (a.text < b.text ? -1 : 1))
}

function goneOrOther(thrown: unknown): null {
  if (thrown instanceof VolumeError) return null
  throw thrown
}
