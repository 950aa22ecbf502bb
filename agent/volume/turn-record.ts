/** A file in the journal: bytes, time of change (ms), mode, content key (null for content too large to keep). */
export interface KeptFile {
  size: number
  m: number
  x: number
  sha256: string | null
  /** A digest of path, size, inode and times, from `stampOf`; empty if the file may have changed unseen since. */
  stamp: string
}

export interface TurnChange {
  path: string
  before: KeptFile | null
  after: KeptFile | null
}

/** A period of work without a pause: usually one prompt, several when they overlapped. */
export interface TurnRecord {
  promptIds: string[]
  endedAt: string
  changes: TurnChange[]
  /** Why the turn cannot be undone; null when it can. */
  problem: string | null
}

export interface JournalState {
  version: 1
  /** By path; null when there are too many to track. */
  files: Record<string, KeptFile> | null
  open: string[]
  /** Oldest first. */
  turns: TurnRecord[]
}

export const emptyState = (): JournalState => ({ version: 1, files: {}, open: [], turns: [] })

/** A turn with more changes cannot be undone. */
export const maxChanges = 1_000
/** Turns that are kept, and bytes of their files. */
export const kept = { turns: 20, bytes: 64 * 1024 * 1024 }

export function changesBetween(before: JournalState['files'], after: JournalState['files']): TurnChange[] | null {
  if (!before || !after) return null
  const changes: TurnChange[] = []
  const then = new Map(Object.entries(before))
  for (const [path, file] of Object.entries(after)) {
    const old = then.get(path) ?? null
    if (!old || !isSame(old, file)) changes.push({ path, before: old, after: file })
    then.delete(path)
  }
  for (const [path, file] of then) changes.push({ path, before: file, after: null })
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The same bytes; for files too large to keep, the same size and times. */
const isSame = (a: KeptFile, b: KeptFile): boolean =>
  a.sha256 !== null && b.sha256 !== null ? a.sha256 === b.sha256 : a.stamp !== '' && a.stamp === b.stamp

export const newTurn = (promptIds: string[], changes: TurnChange[] | null, nowMs: number): TurnRecord => ({
  promptIds,
  endedAt: new Date(nowMs).toISOString(),
  changes: changes && changes.length <= maxChanges ? changes : [],
  problem: !changes
    ? 'The volume has too many files to keep track of what a reply changes.'
    : changes.length > maxChanges
      ? `It changed more than ${maxChanges} files. Go back to a restore point instead.`
      : null,
})

/** The newest turns that fit. */
export function keptTurns(turns: readonly TurnRecord[], files: JournalState['files']): TurnRecord[] {
  const held = contentsOf({ files, turns: [] })
  const newest: TurnRecord[] = []
  let bytes = 0
  for (const turn of turns.slice(-kept.turns).reverse()) {
    for (const { before } of turn.changes) {
      if (!before?.sha256 || held.has(before.sha256)) continue
      held.add(before.sha256)
      bytes += before.size
    }
    if (bytes > kept.bytes) break
    newest.unshift(turn)
  }
  return newest
}

export function contentsOf({ files, turns }: Pick<JournalState, 'files' | 'turns'>): Set<string> {
  const contents = new Set<string>()
  for (const { sha256 } of Object.values(files ?? {})) if (sha256) contents.add(sha256)
  for (const { changes } of turns) for (const { before } of changes) if (before?.sha256) contents.add(before.sha256)
  return contents
}
