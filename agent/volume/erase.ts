import { randomUUID } from 'node:crypto'
import { chmod, rename, rmdir, unlink } from 'node:fs/promises'
import { childOf, entriesOf } from './folder.ts'

/** Files deleted at once: on a network volume each takes some milliseconds. */
const atOnce = 32

/** The system takes paths of at most 4,096 bytes, so folders with longer paths than this move to the top first. */
const longPath = 3_000

/**
 * Empties a volume that nobody else uses, whatever names, modes and depth; links are not followed. A repeated call
 * continues. @throws for what cannot be deleted
 */
export async function eraseVolume(volume: string): Promise<void> {
  const top = Buffer.from(volume)

  async function empty(folder: Buffer): Promise<void> {
    await chmod(folder, 0o700)
    // Deleting while reading may hide names, so only a reading that finds nothing ends this.
    for (let count = 1; count > 0; ) {
      count = 0
      let deletions: Promise<void>[] = []
      for await (const { name, kind } of entriesOf(folder)) {
        count++
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

  /** Some file systems do not report kinds, or report wrong ones. */
  async function removeUntold(error: NodeJS.ErrnoException, path: Buffer): Promise<void> {
    if (error.code === 'ENOENT') return
    if (error.code !== 'EISDIR' && error.code !== 'EPERM') throw error
    await remove(path)
  }

  await empty(top)
}
