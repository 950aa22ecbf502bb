import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { open, rename, rm, unlink } from 'node:fs/promises'
import { emptyFolder } from './empty-folder.ts'
import { Folder, type Obstacle } from './folder.ts'

/** The supervisor's own folder at the top of the volume, hidden in listings. */
export const ownFolder = '.berth'

export const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
/** Bytes of a name kept in its temporary name: names have at most 255. */
const maxStem = 200

/** Opens a folder in `.berth`. Another object of its name is deleted: no user files are kept there. */
export async function openOwn(volume: string, name: string): Promise<Folder> {
  await using top = await Folder.top(volume)
  await using own = await top.makeFolder(Buffer.from(ownFolder), 'remove')
  return await own.makeFolder(Buffer.from(name), 'remove')
}

/** Renames an entry, also a folder whose mode forbids that. */
export async function moveEntry(folder: Folder, name: Buffer, to: Buffer): Promise<void> {
  await rename(folder.at(name), to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error
    await using locked = await folder.lockedFolder(name)
    await locked.unlock()
    await rename(folder.at(name), to)
  })
}

/** Removes an entry at once, whatever its size; `emptyTrash` deletes it later. */
export async function discard(volume: string, folder: Folder, name: Buffer): Promise<void> {
  try {
    await unlink(folder.at(name))
  } catch (thrown) {
    const { code } = Object(thrown)
    if (code === 'ENOENT') return
    if (code !== 'EISDIR' && code !== 'EPERM') throw thrown
    await using trash = await openOwn(volume, 'trash')
    await moveEntry(folder, name, trash.at(Buffer.from(randomUUID())))
  }
}

export async function emptyTrash(volume: string): Promise<void> {
  await using trash = await openOwn(volume, 'trash')
  await emptyFolder(trash)
}

/** Writes a file atomically. Obstacles at its temporary name, and by default at its name, are discarded. */
export async function replaceFile(
  volume: string,
  folder: Folder,
  name: Buffer,
  content: Buffer | string,
  obstacle: Exclude<Obstacle, 'keep'> = 'remove',
): Promise<void> {
  const next = Buffer.concat([Buffer.from('.'), name.subarray(0, maxStem), Buffer.from('.next')])
  await discard(volume, folder, next)
  try {
    {
      await using file = await open(folder.at(next), newFile, 0o600)
      await file.writeFile(content)
    }
    await rename(folder.at(next), folder.at(name)).catch(async () => {
      await (obstacle === 'remove' ? discard(volume, folder, name) : folder.displace(name))
      await rename(folder.at(next), folder.at(name))
    })
  } finally {
    await rm(folder.at(next), { force: true }).catch(() => {})
  }
}
