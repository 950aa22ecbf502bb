import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../lib/build/bundle.ts'
import { countsImport, skippedPatterns, slowPaths, slowSuites } from './tiers.ts'

const all = globSync('{test,emulators}/**/*.test.ts', { cwd: root }).filter(
  (path) => path !== 'test/shape/stale-runs.test.ts',
)
const source = (path: string) => readFileSync(join(root, path), 'utf8')

/** The suites that a tier runs. */
const runBy = (tier: 'few' | 'full' | 'nightly') => {
  const patterns = skippedPatterns(false, tier).map((pattern) => new RegExp(pattern))
  return all.filter((path) => !patterns.some((pattern) => pattern.test(`/${path}`)))
}

test('the two tiers together run every suite, and so does each nightly run', () => {
  expect([...new Set([...runBy('few'), ...runBy('full')])].sort()).toEqual(all.toSorted())
  expect(runBy('nightly')).toEqual(all)
})

test('no suite runs twice with the same cases, except over the service', () => {
  const few = new Set(runBy('few'))
  const twice = runBy('full').filter((path) => few.has(path) && !path.startsWith('test/service/'))
  expect(twice.length).toBeGreaterThan(50)
  expect(twice.filter((path) => !countsImport.test(source(path)))).toEqual([])
})

test('all suites over the service run in one tier, which shows unused rights', () => {
  const over = all.filter((path) => path.startsWith('test/service/'))
  expect(runBy('full').filter((path) => over.includes(path))).toEqual(over)
})

test('only suites read the number of cases, because the tier would miss a helper that does', () => {
  const asking = globSync('test/**/*.ts', { cwd: root }).filter((path) => countsImport.test(source(path)))
  expect(asking.filter((path) => !path.endsWith('.test.ts'))).toEqual([])
})

test('each name in the list of long suites exists', () => {
  const names = slowPaths.flatMap((entry) => {
    const [, folder = '', choice = ''] = /^(.*?)\(([^?].*)\)$/.exec(entry) ?? []
    return choice === '' ? [entry] : choice.split('|').map((name) => folder + name)
  })
  const idle = names.filter((name) => !slowSuites.some((path) => new RegExp(`^test/${name}\\.test`).test(path)))
  expect(idle).toEqual([])
})
