import { settleEdits } from './edit.ts'
import { emptyFolder } from './empty-folder.ts'
import { topFolders } from './files.ts'
import { Folder } from './folder.ts'
import { openOwn } from './own-folder.ts'
import { settleSwap } from './swap.ts'

export const arrivals = 'arrivals'

/** Settles the unfinished work of a killed machine. Must run before the agent or a task changes the volume. */
export async function settleVolume(volume: string): Promise<void> {
  await settleSwap(volume)
  await settleEdits(volume)
  await using folder = await openOwn(volume, arrivals)
  await emptyFolder(folder)
}

/**
 * Ends an interrupted restore, and makes the folders that every machine starts with. A file or link in their place may
 * be the user's: it moves to `<name>.displaced-<time>`.
 */
export async function prepareVolume(volume: string): Promise<void> {
  await settleSwap(volume)
  await using top = await Folder.top(volume)
  for (const name of topFolders) {
    await using _ = await top.makeFolder(Buffer.from(name), 'displace')
  }
}
