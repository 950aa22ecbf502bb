import { lstat } from 'node:fs/promises'
import { textOf } from './names.ts'
import { type Kind, kindOf, type Place } from './place.ts'
import { openFolder, pathNames } from './walk.ts'

export interface Listed {
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
  size: number
  changedAt: string
}

/**
 * A page of a folder, in the order of the names. A folder of a million names is read through once a page, and no more
 * than a few pages of it are held. @throws NotThere
 */
export async function list(
  volume: string,
  path: string,
  after: string | null,
  limit: number,
): Promise<{ entries: Listed[]; next: string | null }> {
  const place = await openFolder(volume, pathNames(path))
  try {
    let first: { text: string; name: Buffer }[] = []
    for await (const { name } of place.entries()) {
      const text = textOf(name)
      if (after !== null && text <= after) continue
      first.push({ text, name })
      if (first.length > limit * 4) first = smallest(first, limit + 1)
    }
    first = smallest(first, limit + 1)
    const entries = await Promise.all(first.slice(0, limit).map(({ text, name }) => describe(place, text, name)))
    return { entries, next: first.length > limit ? (entries.at(-1)?.name ?? null) : null }
  } finally {
    await place.close()
  }
}

const smallest = <T extends { text: string }>(list: T[], count: number): T[] =>
  list.sort((a, b) => (a.text < b.text ? -1 : 1)).slice(0, count)

async function describe(place: Place, name: string, bytes: Buffer): Promise<Listed> {
  const stat = await lstat(place.at(bytes)).catch(() => null)
  const kind = stat ? kindOf(stat) : 'unknown'
  const size = stat && kind === 'file' ? stat.size : 0
  return { name, kind: shown[kind], size, changedAt: new Date(Math.max(stat?.mtimeMs ?? 0, 0)).toISOString() }
}

const shown: Record<Kind, Listed['kind']> = {
  file: 'file',
  folder: 'folder',
  link: 'link',
  device: 'other',
  socket: 'other',
  pipe: 'other',
  unknown: 'other',
}
