// Swaps folders and links as fast as it can: node hostile-mover.mjs VOLUME OUTSIDE
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [volume, outside] = process.argv.slice(2)
const work = join(volume, 'workspace')
const quietly = (act) => {
  try {
    act()
  } catch {}
}
console.log('at work')
for (;;) {
  quietly(() => symlinkSync(outside, join(work, 'link')))
  quietly(() => mkdirSync(join(work, 'folder', 'inner'), { recursive: true }))
  quietly(() => writeFileSync(join(work, 'folder', 'inner', 'file'), 'x'))
  quietly(() => writeFileSync(join(work, 'folder', 'secret'), 'x'))
  quietly(() => renameSync(join(work, 'folder'), join(work, 'aside')))
  quietly(() => renameSync(join(work, 'link'), join(work, 'folder')))
  quietly(() => renameSync(join(work, 'folder'), join(work, 'link')))
  quietly(() => renameSync(join(work, 'aside'), join(work, 'folder')))
  quietly(() => renameSync(join(work, 'folder', 'inner'), join(work, 'folder', 'kept')))
  quietly(() => symlinkSync(outside, join(work, 'folder', 'inner')))
  quietly(() => rmSync(join(work, 'folder', 'inner')))
  quietly(() => renameSync(join(work, 'folder', 'kept'), join(work, 'folder', 'inner')))
  quietly(() => linkSync(join(work, 'folder', 'secret'), join(work, 'folder', 'again')))
  // The supervisor's own folder is on the volume as well.
  quietly(() => symlinkSync(outside, join(volume, '.berth', 'edits')))
  quietly(() => renameSync(join(volume, '.berth', 'edits'), join(volume, '.berth', 'moved')))
}
