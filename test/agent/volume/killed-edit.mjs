// One edit in a process that is killed before its call number N to the file system: node killed-edit.mjs VOLUME N EDIT…
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const [volume, at, kind, ...given] = process.argv.slice(2)
let left = Number(at)
const counted = (object, name) => {
  const call = object[name]
  object[name] = function (...args) {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL')
    return call.apply(this, args)
  }
}
const any = await fs.open(process.execPath)
for (const name of ['writeFile', 'sync', 'chmod', 'utimes', 'stat', 'read', 'readFile'])
  counted(Object.getPrototypeOf(any), name)
await any.close()
left = Number(at)
for (const name of ['open', 'rename', 'link', 'unlink', 'rm', 'rmdir', 'mkdir', 'lstat', 'opendir']) counted(fs, name)
syncBuiltinESMExports()

const { makeFolder, move, remove, writeFile } = await import('../../../agent/volume/edit.ts')
const { Inbox } = await import('../../../agent/supervisor/inbox.ts')
const { createReadStream } = await import('node:fs')
const { restoreVolume } = await import('../../../agent/volume/restore.ts')
const { TurnJournal } = await import('../../../agent/volume/turn-journal.ts')
const { undoTurn } = await import('../../../agent/volume/undo-turn.ts')
/** A folder stands for storage. */
const storeIn = (folder) => ({
  get: async (name) => createReadStream(`${folder}/${name}`),
  getChunks: (names) =>
    Promise.all(names.map(async (name) => Buffer.concat(await createReadStream(`${folder}/${name}`).toArray()))),
})
const still = (run) => run()
const edits = {
  write: ([path, text, replaces, taskId]) => writeFile(volume, path, [Buffer.from(text)], replaces, still, taskId),
  folder: ([path]) => makeFolder(volume, path),
  move: ([from, to, replace, taskId]) => move(volume, from, to, replace === 'replace', still, taskId),
  remove: ([path, taskId]) => remove(volume, path, taskId),
  restore: ([folder, scratch]) => restoreVolume(volume, scratch, storeIn(folder)),
  receive: ([prompt]) => new Inbox(volume).place(JSON.parse(prompt)),
  undo: ([promptId]) => undoTurn(volume, new TurnJournal(volume), promptId),
}
left = Number(at)
await edits[kind](given)
console.log('done')
