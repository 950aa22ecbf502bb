import { settleEdits } from './edit.ts'
import { emptyFolder } from './empty-folder.ts'
import { topFolders } from './files.ts'
import { Folder } from './folder.ts'
import { openOwn } from './own-folder.ts'
import { settleSwap } from './swap.ts'

/** The folder in `.berth` for attachments that are being fetched. */
export const arrivals = 'arrivals'

/**
 * Completes or undoes what a killed machine left unfinished, and deletes its partial files. Runs before the agent or a
 * task can change the volume.
 */
export async function settleVolume(volume: string): Promise<void> {
  await settleSwap(volume)
  await settleEdits(volume)
  await using folder = await openOwn(volume, arrivals)
  await emptyFolder(folder)
}

/**
 * Ends a restore that was cut off, and makes the folders that every machine starts with. A file or a link in the place of one is moved to
 * `<name>.displaced-<time>` next to it: it may be the user's.
 */
export async function prepareVolume(volume: string): Promise<void> {
  await settleSwap(volume)
  await using top = await Folder.top(volume)
  for (const name of topFolders) {
    await using _ = await top.makeFolder(Buffer.from(name), 'displace')
  }
}
