import { createHash, randomUUID } from 'node:crypto'
import type { BigIntStats, Stats } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, rename, rm, unlink } from 'node:fs/promises'
import type { TaskResult, VolumeJob } from '../../domain/agent/task.ts'
import { emptyFolder } from './empty-folder.ts'
import { isHollow, openFolder, topFolders, uncounted } from './files.ts'
import { type Folder, type Kind, kindOf, VolumeError } from './folder.ts'
import { namesOf, textOf } from './names.ts'
import { moveEntry, openOwn } from './own-folder.ts'
import { dropRecord, keepRecord, recordOf } from './task-records.ts'

/** Condition for writing: nothing at the path, a file of this SHA-256 (hex), or anything. */
export type Replaces = 'nothing' | 'anything' | (string & {})

/** Runs something short while the agent's programs are paused. */
export type Still = <T>(run: () => Promise<T>) => Promise<T>

type Content = AsyncIterable<Buffer> | Iterable<Buffer>

/** A name in an open folder: moves above the folder change neither. */
interface Place extends AsyncDisposable {
  folder: Folder
  name: Buffer
  isAtTop: boolean
}

/** @throws VolumeError for paths that only the service or the supervisor writes */
async function openPlace(volume: string, path: string): Promise<Place> {
  const names = namesOf(path)
  const last = names.at(-1)
  if (!last) throw new VolumeError('validation', 'Name a file or a folder.')
  const top = textOf(names[0] ?? last)
  if (uncounted.has(top)) throw new VolumeError('validation', `What is in ${top} is written by the service itself.`)
  const folder = await openFolder(volume, names.slice(0, -1))
  return {
    folder,
    name: last,
    isAtTop: names.length === 1,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

/** @throws VolumeError for a folder that every machine starts with */
function requireMovable({ name, isAtTop }: Place): void {
  if (isAtTop && topFolders.some((folder) => name.equals(Buffer.from(folder))))
    throw new VolumeError('validation', 'The agent needs this folder. Move or delete what is in it.')
}

/** Names in the folder of edits, by task: removed objects, and files being written. */
const removedName = (taskId: string) => Buffer.from(`removed-${taskId}`)
const writtenName = (taskId: string) => Buffer.from(`written-${taskId}`)

/** The supervisor's own folder for writes and deletions, emptied. Leftovers of a killed task are recorded first. */
export async function openEdits(volume: string): Promise<Folder> {
  const edits = await openOwn(volume, 'edits')
  for await (const { name } of edits.entries()) await settle(volume, edits, name).catch(() => {})
  await emptyFolder(edits).catch(() => {})
  return edits
}

/**
 * Records which writes of a killed machine were done. Must run before the user can replace a written file, which would
 * make the record wrong.
 */
export async function settleEdits(volume: string): Promise<void> {
  await using edits = await openOwn(volume, 'edits')
  for await (const { name } of edits.entries()) {
    await settle(volume, edits, name).catch(() => {})
    // A deleted folder may be large: the next edit empties it.
    await unlink(edits.at(name)).catch(() => {})
  }
}

async function settle(volume: string, edits: Folder, name: Buffer): Promise<void> {
  const [, kind, taskId = ''] = /^(removed|written)-(.+)$/.exec(name.toString()) ?? []
  if (kind === 'removed') await keepRecord(volume, taskId, { result: { kind: 'remove' } })
  // A file with a second name is already in place.
  if (kind === 'written' && (await lstat(edits.at(name))).nlink === 1) await dropRecord(volume, taskId)
}

/** The result of a task that is handed out again; null when the task was not done. @throws VolumeError */
export async function outcomeOf(volume: string, taskId: string, job: VolumeJob): Promise<TaskResult | null> {
  await using _ = await openEdits(volume)
  const record = await recordOf(volume, taskId)
  if (record?.result.kind !== job.kind) return null
  if (job.kind !== 'move') return record.result
  const isUnmoved = (await statAt(volume, job.from))?.ino === Number(record.inode)
  return isUnmoved ? null : record.result
}

/** The stat of a path; null if nothing is there. @throws VolumeError */
async function statAt(volume: string, path: string): Promise<Stats | null> {
  try {
    await using place = await openPlace(volume, path)
    return await lstat(place.folder.at(place.name))
  } catch (thrown) {
    if (['ENOENT', 'not-found'].includes(Object(thrown).code)) return null
    throw thrown
  }
}

/** Writes a file atomically, if the path matches `replaces`; its folder must exist. @throws VolumeError */
export const writeFile = (
  volume: string,
  path: string,
  content: Content,
  replaces: Replaces,
  still: Still,
  taskId: string = randomUUID(),
) =>
  explained(async () => {
    await using place = await openPlace(volume, path)
    await using edits = await openEdits(volume)
    const next = edits.at(writtenName(taskId))
    try {
      await using file = await fill(next, content)
      const stat = replaces === 'nothing' ? null : await look(place, replaces)
      if (stat) await file.chmod(Number(stat.mode) & 0o777)
      await keepRecord(volume, taskId, { result: { kind: 'write' } })
      if (!stat) return await link(next, place.folder.at(place.name))
      await still(async () => {
        if (!isSame(stat, await statOf(place))) throw changed()
        await rename(next, place.folder.at(place.name))
      })
    } catch (thrown) {
      await dropRecord(volume, taskId).catch(() => {})
      throw thrown
    } finally {
      await rm(next, { force: true })
    }
  })

async function fill(path: Buffer, content: Content): Promise<FileHandle> {
  const file = await open(path, 'wx', 0o600)
  for await (const bytes of content) await file.writeFile(bytes)
  await file.sync()
  return file
}

/** The file to replace; null when nothing is there and `replaces` allows anything. */
async function look({ folder, name }: Place, replaces: Replaces): Promise<BigIntStats | null> {
  try {
    await using file = await folder.file(name)
    const stat = await file.stat({ bigint: true })
    if (replaces !== 'anything' && (await hashOf(file)) !== replaces) throw changed()
    return stat
  } catch (thrown) {
    if (!(thrown instanceof VolumeError) || thrown.code !== 'not-found') throw thrown
    if (replaces === 'anything') return null
    throw new VolumeError('conflict', 'The file was deleted or moved after you read it.')
  }
}

/** @throws VolumeError for a file that consists almost only of holes and would take forever to read */
export async function hashOf(file: FileHandle): Promise<string> {
  if (isHollow(await file.stat({ bigint: true })))
    throw new VolumeError('validation', 'It is nearly all holes, and too large to be read.')
  const hash = createHash('sha256')
  for await (const bytes of file.createReadStream({ autoClose: false, start: 0 })) hash.update(bytes)
  return hash.digest('hex')
}

async function statOf({ folder, name }: Place): Promise<BigIntStats> {
  await using file = await folder.file(name)
  return await file.stat({ bigint: true })
}

const isSame = (a: BigIntStats, b: BigIntStats): boolean =>
  a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs

/** @throws VolumeError, a conflict when the name is taken */
export const makeFolder = (volume: string, path: string) =>
  explained(async () => {
    await using place = await openPlace(volume, path)
    await mkdir(place.folder.at(place.name), { mode: 0o700 })
  })

const isSamePath = (one: string, other: string): boolean => {
  const [names, others] = [namesOf(one), namesOf(other)]
  return names.length === others.length && names.every((name, index) => others[index]?.equals(name))
}

/** Moves a file or folder; a file may replace a file on request. @throws VolumeError */
export const move = (
  volume: string,
  from: string,
  to: string,
  replace: boolean,
  still: Still,
  taskId: string = randomUUID(),
) =>
  explained(async () => {
    await using source = await openPlace(volume, from)
    await using target = await openPlace(volume, to)
    requireMovable(source)
    requireMovable(target)
    const [old, next] = [source.folder.at(source.name), target.folder.at(target.name)]
    await still(async () => {
      const stat = await lstat(old)
      const there = await lstat(next).catch(() => null)
      // An interrupted move left both names. A file that is moved to its own name has one.
      const isLinked = there?.ino === stat.ino && stat.isFile() && !isSamePath(from, to)
      if (isLinked) return await unlink(old)
      if (there && !(replace && stat.isFile() && there.isFile())) throw taken()
      await keepRecord(volume, taskId, { result: { kind: 'move' }, inode: String(stat.ino) })
      if (replace || kindOf(stat) !== 'file') return rename(old, next)
      // Unlike a rename, a link never replaces a file.
      await link(old, next)
      if ((await lstat(old)).ino === stat.ino) await unlink(old)
    })
  })

/** Deletes a file, a link or a whole folder, which disappears at once. @throws VolumeError */
export const remove = (volume: string, path: string, taskId: string = randomUUID()) =>
  explained(async () => {
    await using place = await openPlace(volume, path)
    requireMovable(place)
    await using edits = await openEdits(volume)
    await moveEntry(place.folder, place.name, edits.at(removedName(taskId)))
    // A full volume has no room for a record.
    await keepRecord(volume, taskId, { result: { kind: 'remove' } }).catch(() => {})
    await emptyFolder(edits)
  })

/** The kind of object at a path; null for nothing. @throws VolumeError */
export async function kindAt(volume: string, path: string): Promise<Kind | null> {
  const stat = await statAt(volume, path)
  return stat && kindOf(stat)
}

/** Whether a file has this SHA-256 (hex). @throws VolumeError */
export async function hasContent(volume: string, path: string, sha256: string): Promise<boolean> {
  await using place = await openPlace(volume, path)
  await using file = await place.folder.file(place.name)
  return (await hashOf(file)) === sha256
}

const changed = () => new VolumeError('conflict', 'The file was changed after you read it. Read it again first.')
const taken = () => new VolumeError('conflict', 'The name already exists.')

const reasons: Readonly<Record<string, () => VolumeError>> = {
  EEXIST: taken,
  ENOTEMPTY: taken,
  ENOENT: () => new VolumeError('not-found', 'There is nothing of that name on the volume.'),
  EINVAL: () => new VolumeError('validation', 'A folder cannot be moved into itself.'),
  ENAMETOOLONG: () => new VolumeError('validation', 'The name or the path is too long for the volume.'),
  ENOSPC: () => new VolumeError('conflict', 'The volume is full.'),
  EDQUOT: () => new VolumeError('conflict', 'The volume is full.'),
  EACCES: () => new VolumeError('validation', 'Its mode does not let it be changed.'),
  EPERM: () => new VolumeError('validation', 'Its mode does not let it be changed.'),
}

async function explained<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    throw reasons[Object(thrown).code]?.() ?? thrown
  }
}
