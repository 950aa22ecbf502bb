import { symlinkSync } from 'node:fs'
import { searchNames } from '../../../agent/volume/search.ts'
import { TestVolume } from './tree.ts'

let volume: TestVolume
beforeEach(() => {
  volume = new TestVolume({
    'workspace/Tides.md': 'x',
    'workspace/notes/old-tides/2024.md': 'x',
    'workspace/notes/Ebbe und Flut – GEZEITEN.txt': 'x',
    'workspace/cafe\u0301.md': 'x',
    'memory/tide': 'x',
    'config/tides': 'x',
    '.berth/tides': 'x',
  })
  symlinkSync(volume.outside, volume.at('workspace/tide-link'))
})
afterEach(() => volume.close())

const all = async (text: string, limit: number, bounds = {}) => {
  const paths: string[] = []
  let [after, pages]: [string | null, number] = [null, 0]
  do {
    const page: Awaited<ReturnType<typeof searchNames>> = await searchNames(volume.path, text, after, limit, bounds)
    expect(page.entries.length).toBeLessThanOrEqual(limit)
    paths.push(...page.entries.map(({ path }) => path))
    // A page that does not advance would be requested forever.
    expect(page.next).not.toBe(after ?? '')
    after = page.next
    pages++
  } while (after !== null)
  return { paths, pages }
}

const found = ['memory/tide', 'workspace/Tides.md', 'workspace/notes/old-tides', 'workspace/tide-link']

it('a search finds files, folders and links by a part of their name, ignoring case, and follows no link', async () => {
  expect((await all('TIDE', 100)).paths).toEqual(found)
  expect((await all('gezeiten', 100)).paths).toEqual(['workspace/notes/Ebbe und Flut – GEZEITEN.txt'])
  expect((await all('café', 100)).paths).toEqual(['workspace/cafe\u0301.md'])
  expect((await all('secret', 100)).paths).toEqual([])
})

it('a search returns each entry once over its pages, also when a page covers only a few names', async () => {
  for (const limit of [1, 2, 3]) expect((await all('tide', limit)).paths).toEqual(found)
  for (const looked of [1, 2, 3, 5]) {
    const { paths, pages } = await all('tide', 100, { looked })
    expect(paths).toEqual(found)
    expect(pages).toBeGreaterThan(1)
  }
})

it('a search continues after its last entry when that entry is gone', async () => {
  const page = await searchNames(volume.path, 'tide', 'workspace/Aaa/deeper', 100)
  expect(page.entries.map(({ path }) => path)).toEqual(found.slice(1))
})
