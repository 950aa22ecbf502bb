import * as z from 'zod'
import { notFound } from '../errors.ts'
import type { Ports } from '../ports.ts'
import { iso } from '../time.ts'
import type { Entry, EntryPage } from './entry.ts'
import { chunkList } from './finish.ts'
import { chunkKey, chunksKey, indexKey } from './keys.ts'
import type { StoredPoint } from './point.ts'

/** A file of a restore point: its path, size, time of change (ms), mode, and where it begins in the whole. */
export const indexLine = z.object({ p: z.string(), s: z.int(), m: z.number(), x: z.int(), o: z.int() })
export type IndexLine = z.infer<typeof indexLine>

const readLine = (line: string): IndexLine => indexLine.parse(JSON.parse(line))

/** A folder of a restore point, a page at a time, in the order of the names. */
export async function browsePoint(
  { storage }: Pick<Ports, 'storage'>,
  { instanceId, id }: StoredPoint,
  path: string,
  after: string | null,
  limit: number,
): Promise<EntryPage> {
  const inside = path === '' ? '' : `${path.replace(/\/+$/, '')}/`
  const found = new Map<string, Entry>()
  let known = path === ''
  for await (const line of storage.lines(indexKey(instanceId, id))) {
    const { p, s, m } = readLine(line)
    if (!p.startsWith(inside)) continue
    known = true
    const [name = '', ...deeper] = p.slice(inside.length).split('/')
    if (after !== null && name <= after) continue
    const kind = deeper.length > 0 ? ('folder' as const) : ('file' as const)
    if (!found.has(name)) found.set(name, { name, kind, size: kind === 'file' ? s : 0, changedAt: iso(m) })
    if (found.size > limit * 4) keepFirst(found, limit + 1)
  }
  if (!known) throw notFound('folder in this restore point')
  keepFirst(found, limit + 1)
  const entries = [...found.values()].slice(0, limit)
  return { entries, next: found.size > limit ? (entries.at(-1)?.name ?? null) : null }
}

function keepFirst(found: Map<string, Entry>, count: number): void {
  const first = [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, count)
  found.clear()
  for (const [name, entry] of first) found.set(name, entry)
}

/** One file of a restore point: its size, and its bytes as they are fetched. @throws not-found */
export async function openInPoint(
  { storage }: Pick<Ports, 'storage'>,
  { instanceId, id }: StoredPoint,
  path: string,
): Promise<{ size: number; bytes: AsyncGenerator<Uint8Array> }> {
  for await (const line of storage.lines(indexKey(instanceId, id))) {
    if (!line.includes('"p"')) continue
    const { p, s, o } = readLine(line)
    if (p === path) return { size: s, bytes: bytesOf(storage, instanceId, id, o, s) }
  }
  throw notFound('file in this restore point')
}

async function* bytesOf(storage: Ports['storage'], instanceId: string, pointId: string, offset: number, size: number) {
  const key = chunksKey(instanceId, pointId)
  const list = await storage.read(key, 0, (await storage.size(key)) ?? 1)
  let at = 0
  for (const chunk of chunkList.parse(JSON.parse(new TextDecoder().decode(list)))) {
    const from = Math.max(offset, at)
    const to = Math.min(offset + size, at + chunk.size)
    if (from < to) yield await storage.read(chunkKey(instanceId, chunk.sha256), from - at, to - at)
    at += chunk.size
  }
}
