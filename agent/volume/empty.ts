import { randomUUID } from 'node:crypto'
import { chmod, opendir, rename, rmdir, unlink } from 'node:fs/promises'
import { kindOf } from './place.ts'

/** Files deleted at once: on a network volume each takes some milliseconds. */
const atOnce = 32

/** A folder whose path is longer than this is moved to the top first: the system takes paths of 4,096 bytes at most. */
const longPath = 3_000

/**
 * Deletes everything on the volume, whatever its names, modes and depth; links are deleted, never followed. Only for a
 * volume that nobody else works on. Repeated calls go on where the last one ended. @throws what cannot be deleted
 */
export async function emptyVolume(volume: string): Promise<void> {
  const top = Buffer.from(volume)

  async function empty(folder: Buffer): Promise<void> {
    await chmod(folder, 0o700)
    // Deleting while reading may hide names, so a folder is empty only when a reading of it finds nothing.
    for (let found = 1; found > 0; ) {
      found = 0
      let going: Promise<void>[] = []
      // safe because Node hands the encoding on to readdir, which knows `buffer`
      for await (const entry of await opendir(folder, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 })) {
        const name: unknown = entry.name
        if (!Buffer.isBuffer(name)) continue
        found++
        const path = Buffer.concat([folder, slash, name])
        if (kindOf(entry) === 'folder') await remove(path)
        else going.push(unlink(path).catch((error) => otherwise(error, path)))
        if (going.length < atOnce) continue
        await Promise.all(going)
        going = []
      }
      await Promise.all(going)
    }
  }

  async function remove(folder: Buffer): Promise<void> {
    if (folder.length > longPath) return rename(folder, Buffer.concat([top, Buffer.from(`/.erased-${randomUUID()}`)]))
    await empty(folder)
    await rmdir(folder)
  }

  /** A file system that does not tell kinds calls a folder what it likes. */
  async function otherwise(error: NodeJS.ErrnoException, path: Buffer): Promise<void> {
    if (error.code === 'ENOENT') return
    if (error.code !== 'EISDIR' && error.code !== 'EPERM') throw error
    await remove(path)
  }

  await empty(top)
}

const slash = Buffer.from('/')
