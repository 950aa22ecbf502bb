import { notFound } from '../../domain/errors.ts'
import type { Entry, EntryPage } from '../../domain/files/entry.ts'
import { type IndexLine, indexLine, isCurrent, type StoredPoint } from '../../domain/files/restore-point.ts'
import { chunkKey, indexKey } from '../../domain/files/storage.ts'
import type { InstanceRecord } from '../../domain/instance/instance.ts'
import { iso } from '../../domain/time.ts'
import type { RestorePoints, Storage } from '../ports/files.ts'
import type { Instances } from '../ports/instance.ts'
import { findReadyPoint, readChunkList } from './restore-points.ts'
import { requireVolume } from './volume-jobs.ts'

/**
 * The named point, or null for the volume. A sleeping instance unchanged since its newest point uses that point, which
 * needs no machine. @throws not-found, conflict
 */
export async function chooseSource(
  deps: { instances: Instances; restorePoints: RestorePoints },
  userId: string,
  pointId?: string,
): Promise<{ instance: InstanceRecord; point: StoredPoint | null }> {
  const instance = requireVolume(await deps.instances.find(userId))
  if (pointId !== undefined) return { instance, point: await findReadyPoint(deps, userId, pointId) }
  if (instance.state !== 'paused') return { instance, point: null }
  const points = await deps.restorePoints.list(userId)
  const changedMs = instance.lastActivityAt === null ? 0 : Date.parse(instance.lastActivityAt)
  return { instance, point: points.find((point) => isCurrent(point, instance.id, changedMs)) ?? null }
}

const readLine = (line: string): IndexLine => indexLine.parse(JSON.parse(line))

export async function browsePoint(
  { storage }: { storage: Storage },
  { instanceId, id }: StoredPoint,
  path: string,
  after: string | null,
  limit: number,
): Promise<EntryPage> {
  const inside = path === '' ? '' : `${path.replace(/\/+$/, '')}/`
  const byName = new Map<string, Entry>()
  let known = path === ''
  for await (const line of storage.lines(indexKey(instanceId, id))) {
    const { p, s, m } = readLine(line)
    if (!p.startsWith(inside)) continue
    known = true
    const [name = '', ...deeper] = p.slice(inside.length).split('/')
    if (after !== null && name <= after) continue
    const kind = deeper.length > 0 ? ('folder' as const) : ('file' as const)
    if (!byName.has(name)) byName.set(name, { name, kind, size: kind === 'file' ? s : 0, changedAt: iso(m) })
    if (byName.size > limit * 4) keepFirst(byName, limit + 1)
  }
  if (!known) throw notFound('folder in this restore point')
  keepFirst(byName, limit + 1)
  const entries = [...byName.values()].slice(0, limit)
  return { entries, next: byName.size > limit ? (entries.at(-1)?.name ?? null) : null }
}

function keepFirst(byName: Map<string, Entry>, count: number): void {
  const first = [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, count)
  byName.clear()
  for (const [name, entry] of first) byName.set(name, entry)
}

/** @throws not-found */
export async function openInPoint(
  { storage }: { storage: Storage },
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

async function* bytesOf(storage: Storage, instanceId: string, pointId: string, offset: number, size: number) {
  let start = 0
  for (const chunk of await readChunkList(storage, instanceId, pointId)) {
    const from = Math.max(offset, start)
    const to = Math.min(offset + size, start + chunk.size)
    if (from < to) yield await storage.read(chunkKey(instanceId, chunk.sha256), from - start, to - start)
    start += chunk.size
  }
}

export async function isInPoint(
  { storage }: { storage: Storage },
  { instanceId, id }: StoredPoint,
  path: string,
): Promise<boolean> {
  for await (const line of storage.lines(indexKey(instanceId, id))) {
    const { p } = readLine(line)
    if (p === path || p.startsWith(`${path}/`)) return true
  }
  return false
}
