import { randomUUID } from 'node:crypto'
import { chmod, rename, rmdir, unlink } from 'node:fs/promises'
import { childOf, entriesOf } from './folder.ts'

/** Files deleted at once: on a network volume each takes some milliseconds. */
const atOnce = 32

/** A folder whose path is longer than this is moved to the top first: the system takes paths of 4,096 bytes at most. */
const longPath = 3_000

/**
 * Deletes everything on the volume, whatever its names, modes and depth; links are deleted, never followed. Only for a
 * volume that nobody else works on. Repeated calls go on where the last one ended. @throws what cannot be deleted
 */
export async function eraseVolume(volume: string): Promise<void> {
  const top = Buffer.from(volume)

  async function empty(folder: Buffer): Promise<void> {
    await chmod(folder, 0o700)
    // Deleting while reading may hide names, so a folder is empty only when a reading of it finds nothing.
    for (let found = 1; found > 0; ) {
      found = 0
      let deletions: Promise<void>[] = []
      for await (const { name, kind } of entriesOf(folder)) {
        found++
        const path = childOf(folder, name)
        if (kind === 'folder') await remove(path)
        else deletions.push(unlink(path).catch((error) => removeUntold(error, path)))
        if (deletions.length < atOnce) continue
        await Promise.all(deletions)
        deletions = []
      }
      await Promise.all(deletions)
    }
  }

  async function remove(folder: Buffer): Promise<void> {
    if (folder.length > longPath) return rename(folder, childOf(top, Buffer.from(`.erased-${randomUUID()}`)))
    await empty(folder)
    await rmdir(folder)
  }

  /** A file system that does not tell kinds calls a folder what it likes. */
  async function removeUntold(error: NodeJS.ErrnoException, path: Buffer): Promise<void> {
    if (error.code === 'ENOENT') return
    if (error.code !== 'EISDIR' && error.code !== 'EPERM') throw error
    await remove(path)
  }

  await empty(top)
}
