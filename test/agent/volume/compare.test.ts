import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compareWithPoint } from '../../../agent/volume/compare.ts'
import { Points } from './points.ts'
import { outcomeOf } from './tree.ts'

let points: Points
let scratch: string
beforeEach(async () => {
  points = await new Points().open()
  scratch = mkdtempSync(join(tmpdir(), 'berth-compare-'))
})
afterEach(async () => {
  await points.close()
  rmSync(scratch, { recursive: true, force: true })
})

const compare = (bounds = {}) => compareWithPoint(points.volume, scratch, points.store(), bounds)

it('a comparison names added and removed files and files with another size or time, and reads no file', async () => {
  for (const name of ['same', 'grown', 'touched', 'gone']) points.write(`a/${name}`, name)
  await points.take()
  expect(await compare()).toEqual({ added: 0, changed: 0, removed: 0, changes: [], more: false })
  points.write('a/grown', 'grown more')
  points.write('b/new', 'new')
  utimesSync(join(points.volume, 'a/touched'), 1, 1)
  rmSync(join(points.volume, 'a/gone'))
  points.reads()
  const found = await compare()
  expect(points.reads()).toEqual({})
  expect(found).toMatchObject({ added: 1, changed: 2, removed: 1, more: false })
  expect(found.changes.map(({ path, change }) => [path, change])).toEqual([
    ['a/gone', 'removed'],
    ['a/grown', 'changed'],
    ['a/touched', 'changed'],
    ['b/new', 'added'],
  ])
  expect(found.changes[1]).toMatchObject({ before: { size: 5 }, now: { size: 10 } })
})

it('a comparison is bounded: it names the first files, counts all, and refuses a list that is too long', async () => {
  for (let i = 0; i < 30; i++) points.write(`f${String(i).padStart(2, '0')}`, 'x')
  await points.take()
  for (let i = 0; i < 30; i++) rmSync(join(points.volume, `f${String(i).padStart(2, '0')}`))
  const found = await compare({ named: 5 })
  expect(found).toMatchObject({ removed: 30, more: true })
  expect(found.changes.map(({ path }) => path)).toEqual(['f00', 'f01', 'f02', 'f03', 'f04'])
  expect((await compare({ characters: 7 })).changes).toHaveLength(2)
  expect(await outcomeOf(compare({ files: 10 }))).toBe('conflict')
})
