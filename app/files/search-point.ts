import type { FoundPage } from '../../domain/files/change.ts'
import { indexLine, type StoredPoint } from '../../domain/files/restore-point.ts'
import { indexKey } from '../../domain/files/storage.ts'
import { iso } from '../../domain/time.ts'
import type { Storage } from '../ports/files.ts'

type Entry = FoundPage['entries'][number]

/** Must match the comparison in `agent/volume/search.ts`. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase()

/** The order of a walk: a folder, then its content, then its later siblings. */
function isBefore(a: readonly string[], b: readonly string[]): boolean {
  const at = a.findIndex((name, i) => name !== b[i])
  if (at < 0) return a.length < b.length
  return at < b.length && (a[at] ?? '') < (b[at] ?? '')
}

/** In the order of a walk. */
export async function searchPoint(
  { storage }: { storage: Storage },
  { instanceId, id }: StoredPoint,
  text: string,
  after: string | null,
  limit: number,
): Promise<FoundPage> {
  const needle = folded(text)
  const last = after?.split('/') ?? null
  let byPath = new Map<string, Entry>()
  const first = () =>
    new Map([...byPath].sort(([a], [b]) => (isBefore(a.split('/'), b.split('/')) ? -1 : 1)).slice(0, limit + 1))
  for await (const line of storage.lines(indexKey(instanceId, id))) {
    const { p, s, m } = indexLine.parse(JSON.parse(line))
    const names = p.split('/')
    for (const [depth, name] of names.entries()) {
      const path = names.slice(0, depth + 1)
      if (!folded(name).includes(needle) || (last && !isBefore(last, path))) continue
      const kind = depth < names.length - 1 ? ('folder' as const) : ('file' as const)
      byPath.set(path.join('/'), { path: path.join('/'), name, kind, size: kind === 'file' ? s : 0, changedAt: iso(m) })
    }
    if (byPath.size > limit * 4) byPath = first()
  }
  const entries = [...first().values()]
  return { entries: entries.slice(0, limit), next: entries.length > limit ? (entries[limit - 1]?.path ?? null) : null }
}
