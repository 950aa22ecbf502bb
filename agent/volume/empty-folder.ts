import { randomUUID } from 'node:crypto'
import { rename, rmdir, unlink } from 'node:fs/promises'
import { type Folder, VolumeError } from './folder.ts'

/** Each level holds a folder open; deeper entries are moved up first. */
const maxDepth = 30
/** A program may add files faster than they are deleted. */
const maxPasses = 20

/**
 * Deletes the contents of a folder that others may change meanwhile. Nothing outside is reached; links are not
 * followed.
 * @throws VolumeError when the folder does not become empty
 */
export async function emptyFolder(folder: Folder, top = folder, depth = 0): Promise<void> {
  // Deleting while reading may hide names, so only a reading that finds nothing ends this.
  for (let pass = 0; pass < maxPasses; pass++) {
    let count = 0
    for await (const { name } of folder.entries()) {
      count++
      await deleteEntry(folder, name, top, depth)
    }
    if (count === 0) return
  }
  throw new VolumeError('conflict', 'Something is written there all the time. Pause the agent and try again.')
}

/** Deletes an entry with its contents. Links are deleted, never followed. */
export async function deleteEntry(folder: Folder, name: Buffer, top = folder, depth = 0): Promise<void> {
  try {
    return await unlink(folder.at(name))
  } catch (thrown) {
    const { code } = Object(thrown)
    if (code === 'ENOENT') return
    if (code !== 'EISDIR' && code !== 'EPERM') throw thrown
  }
  try {
    await using inner = await folder.lockedFolder(name)
    await inner.unlock()
    if (depth >= maxDepth) return await rename(folder.at(name), top.at(Buffer.from(randomUUID())))
    await emptyFolder(inner, top, depth + 1)
    await rmdir(folder.at(name))
  } catch (thrown) {
    const { code } = Object(thrown)
    // The entry vanished, or something was added to it: the next pass handles that.
    if (!['not-found', 'ENOENT', 'ENOTEMPTY', 'ENOTDIR'].includes(code)) throw thrown
  }
}
