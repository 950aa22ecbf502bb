import { topFolders } from './files.ts'
import { Folder } from './folder.ts'
import { settleSwap } from './swap.ts'

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
