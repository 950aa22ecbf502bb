import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Comparison, FileChange } from '../../domain/files/change.ts'
import { emptySummary, filesOf } from './files.ts'
import { VolumeError } from './folder.ts'
import { linesOfIndex } from './restore.ts'
import type { Store } from './store.ts'

const usual = {
  /** Files of the point that are held in memory. */
  files: 200_000,
  /** Changes that are named, and characters of their paths; all changes are counted. */
  named: 1_000,
  characters: 100_000,
}

/** Restored times are seconds in a double. */
const timeErrorMs = 1

interface Side {
  size: number
  changedMs: number
}

/**
 * Changes since a restore point, by size and time; opens no file. @throws VolumeError for a point with too many files
 */
export async function compareWithPoint(
  volume: string,
  scratch: string,
  store: Pick<Store, 'get'>,
  bounds: Partial<typeof usual> = {},
): Promise<Comparison> {
  const most = { ...usual, ...bounds }
  const indexFile = join(scratch, 'files.gz')
  await pipeline(await store.get('files'), createWriteStream(indexFile, { mode: 0o600 }))
  const before = new Map<string, Side>()
  for await (const { p, s, m } of linesOfIndex(indexFile)) {
    before.set(p, { size: s, changedMs: m })
    if (before.size > most.files) throw new VolumeError('conflict', 'The restore point has too many files to compare.')
  }
  const changes = new Changes(most)
  const look = (path: string, now: Side): true => {
    const then = before.get(path)
    before.delete(path)
    if (!then) changes.add('added', path, null, now)
    else if (then.size !== now.size || Math.abs(then.changedMs - now.changedMs) > timeErrorMs)
      changes.add('changed', path, then, now)
    return true
  }
  const isKnown = (path: string, { size, mtimeMs }: { size: bigint; mtimeMs: bigint }) =>
    look(path, { size: Number(size), changedMs: Math.max(Number(mtimeMs), 0) })
  // A file that needs a closer look comes opened.
  for await (const { path, stat } of filesOf(volume, emptySummary(), isKnown)) isKnown(path, stat)
  for (const [path, then] of before) changes.add('removed', path, then, null)
  return changes.result()
}

class Changes {
  readonly #most: Pick<typeof usual, 'named' | 'characters'>
  readonly #counts = { added: 0, changed: 0, removed: 0 }
  #named: FileChange[] = []

  constructor(most: Pick<typeof usual, 'named' | 'characters'>) {
    this.#most = most
  }

  add(change: FileChange['change'], path: string, before: Side | null, now: Side | null): void {
    this.#counts[change]++
    this.#named.push({ path, change, before: before && shown(before), now: now && shown(now) })
    if (this.#named.length > this.#most.named * 4) this.#named = this.#first()
  }

  #first(): FileChange[] {
    return this.#named.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, this.#most.named)
  }

  result(): Comparison {
    let characters = 0
    const changes = this.#first().filter(({ path }) => {
      characters += path.length
      return characters <= this.#most.characters
    })
    const { added, changed, removed } = this.#counts
    return { ...this.#counts, changes, more: changes.length < added + changed + removed }
  }
}

const shown = ({ size, changedMs }: Side) => ({ size, changedAt: new Date(changedMs).toISOString() })
