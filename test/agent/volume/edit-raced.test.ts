import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, move, remove, writeFile } from '../../../agent/volume/edit.ts'
import { searchNames } from '../../../agent/volume/search.ts'
import { TurnJournal } from '../../../agent/volume/turn-journal.ts'
import { undoTurn } from '../../../agent/volume/undo-turn.ts'
import { full, most } from '../../counts.ts'
import { still, TestVolume } from './tree.ts'

let volume: TestVolume
let mover: ChildProcess
beforeEach(async () => {
  volume = new TestVolume({ 'workspace/folder/inner/file': 'x' })
  chmodSync(volume.outside, 0o755)
  mover = spawn(process.execPath, [join(import.meta.dirname, 'hostile-mover.mjs'), volume.path, volume.outside])
  if (mover.stdout) await once(mover.stdout, 'data')
})
afterEach(async () => {
  mover.kill('SIGKILL')
  await once(mover, 'exit')
  volume.close()
})

it('nothing outside the volume is read, written or deleted, even if a program of the agent renames folders meanwhile', async () => {
  const inside = ['workspace/folder/x', 'workspace/folder/inner/x', 'workspace/folder/secret', 'workspace/folder/inner']
  const journal = new TurnJournal(volume.path)
  const outcomes = new Map<string, number>()
  const tried = async (what: string, run: () => Promise<unknown>) => {
    const outcome = await run().then(
      () => 'done',
      (thrown: unknown) => String(Object(thrown).code ?? thrown),
    )
    outcomes.set(`${what} ${outcome}`, (outcomes.get(`${what} ${outcome}`) ?? 0) + 1)
  }
  for (let round = 0; round < (full ? most(400, 130) : 30); round++) {
    const path = inside[round % inside.length] ?? ''
    const { path: at } = volume
    await tried('write', () => writeFile(at, path, [Buffer.from('written by us')], 'anything', still))
    await tried('folder', () => makeFolder(at, `${path}-folder`))
    await tried('move', () => move(at, path, `workspace/moved-${round}`, true, still))
    await tried('remove', () => remove(at, round % 5 === 0 ? 'workspace/folder' : path))
    await tried('search', async () => {
      const found = await searchNames(at, 'secret', null, 100)
      if (found.entries.some(({ size }) => size === 'not yours'.length)) throw new Error('read outside')
    })
    await tried('begin', () => journal.begin(`prm_${round}`))
    await tried('end', () => journal.end(`prm_${round}`))
    await tried('undo', () => undoTurn(at, journal, `prm_${round}`))
    expect(volume.tree(volume.outside)).toEqual({ secret: 'not yours' })
    expect(statSync(volume.outside).mode & 0o777).toBe(0o755)
  }
  expect(readdirSync(volume.around).sort()).toEqual(['outside', 'volume'])
  expect([...outcomes.keys()]).toEqual(
    expect.arrayContaining(['write done', 'write validation', 'remove done', 'move done']),
  )
  expect([...outcomes.keys()].filter((outcome) => outcome.includes('read outside'))).toEqual([])
}, 600_000)
