import { randomUUID } from 'node:crypto'
import { link, lstat, open, rename, rm } from 'node:fs/promises'
import type { TurnChanges } from '../../domain/files/turn.ts'
import { hashOf, openEdits } from './edit.ts'
import { openFile, openFolder } from './files.ts'
import { type Folder, VolumeError } from './folder.ts'
import { stampOf } from './known-files.ts'
import { namesOf } from './names.ts'
import type { TurnJournal } from './turn-journal.ts'
import type { JournalState, KeptFile, TurnChange, TurnRecord } from './turn-record.ts'
import type { TurnStore } from './turn-store.ts'

type ChangeState = TurnChanges['changes'][number]['state']
type Judged = TurnChange & { state: ChangeState }

/** Characters of the named paths: a report is one item of a table. */
const maxCharacters = 100_000
const maxNamed = 5

/** All changes of a reply, and those that can be undone. @throws VolumeError when nothing is kept of it */
export const turnChanges = (volume: string, journal: TurnJournal, promptId: string): Promise<TurnChanges> =>
  journal.use(async (store, state) => {
    const turn = find(state, promptId)
    return show(turn, await judge(volume, store, turn))
  })

/**
 * Undoes a reply's changes, except content that was too large to keep. Repeating an interrupted undo completes it.
 * @throws VolumeError, a conflict when a file changed since
 */
export const undoTurn = (volume: string, journal: TurnJournal, promptId: string): Promise<{ files: number }> =>
  journal.use(async (store, state) => {
    const turn = find(state, promptId)
    if (turn.problem) throw new VolumeError('conflict', turn.problem)
    const changes = await judge(volume, store, turn)
    const since = changes.flatMap(({ path, state }) => (state === 'changed-since' ? [path] : []))
    if (since.length > 0)
      throw new VolumeError(
        'conflict',
        `Changed again since: ${since.slice(0, maxNamed).join(', ')}. Nothing was taken back.`,
      )
    await using edits = await openEdits(volume)
    let files = 0
    for (const change of changes) {
      if (change.state !== 'kept') continue
      await takeBack(volume, store, edits, change)
      files++
    }
    return { files }
  })

function find({ turns, open }: JournalState, promptId: string): TurnRecord {
  if (open.includes(promptId)) throw new VolumeError('conflict', 'The agent is still at work on this reply.')
  const found = turns.findLast(({ promptIds }) => promptIds.includes(promptId))
  if (found) return found
  throw new VolumeError('not-found', 'Nothing is kept of what this reply changed: that is so of the last 20 replies.')
}

/** Compares files with their state after a turn; a file that is as before the turn counts as undone. */
async function judge(volume: string, store: TurnStore, { changes }: TurnRecord): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const change of changes) judged.push({ ...change, state: await stateOf(volume, store, change) })
  return judged
}

async function stateOf(volume: string, store: TurnStore, { path, before, after }: TurnChange): Promise<ChangeState> {
  if (await isNow(volume, path, before)) return 'undone'
  if (!(await isNow(volume, path, after))) return 'changed-since'
  if (before && !(before.sha256 && (await store.content(before.sha256, before.size)))) return 'not-kept'
  return 'kept'
}

/** Whether a file is as noted; for null, whether it is absent. */
async function isNow(volume: string, path: string, noted: KeptFile | null): Promise<boolean> {
  if (!noted) return await isAbsent(volume, path)
  try {
    await using file = await openFile(volume, path)
    const stat = await file.stat({ bigint: true })
    if (Number(stat.size) !== noted.size) return false
    return stampOf(path, stat) === noted.stamp || (noted.sha256 !== null && (await hashOf(file)) === noted.sha256)
  } catch (thrown) {
    if (!(thrown instanceof VolumeError)) throw thrown
    return false
  }
}

async function isAbsent(volume: string, path: string): Promise<boolean> {
  const names = namesOf(path)
  try {
    await using folder = await openFolder(volume, names.slice(0, -1))
    return await lstat(folder.at(names.at(-1) ?? Buffer.alloc(0))).then(
      () => false,
      () => true,
    )
  } catch (thrown) {
    if (!(thrown instanceof VolumeError)) throw thrown
    return thrown.code === 'not-found'
  }
}

async function takeBack(
  volume: string,
  store: TurnStore,
  edits: Folder,
  { path, before, after }: Judged,
): Promise<void> {
  const names = namesOf(path)
  const name = names.at(-1) ?? Buffer.alloc(0)
  await using folder = await openFolder(volume, names.slice(0, -1), before !== null)
  const aside = edits.at(Buffer.from(randomUUID()))
  try {
    if (!before) return await rename(folder.at(name), aside)
    const content = await store.content(before.sha256 ?? '', before.size)
    if (!content) throw new VolumeError('conflict', 'The kept content is gone.')
    await using file = await open(aside, 'wx', 0o600)
    await file.writeFile(content)
    await file.chmod(before.x & 0o777)
    await file.utimes(before.m / 1000, before.m / 1000)
    await file.sync()
    if (after) await rename(aside, folder.at(name))
    else await link(aside, folder.at(name))
  } finally {
    await rm(aside, { force: true })
  }
}

function show({ promptIds, endedAt, problem }: TurnRecord, judged: Judged[]): TurnChanges {
  let characters = 0
  const changes = judged.flatMap(({ path, before, after, state }) => {
    characters += path.length
    if (characters > maxCharacters) return []
    const change = !before ? ('added' as const) : after ? ('changed' as const) : ('removed' as const)
    return [{ path, change, before: before && version(before), now: after && version(after), state }]
  })
  return { promptIds, endedAt, changes, more: changes.length < judged.length, problem }
}

const version = ({ size, m }: KeptFile) => ({ size, changedAt: new Date(m).toISOString() })
