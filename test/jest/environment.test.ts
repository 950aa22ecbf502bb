import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { compileFunction } from 'node:vm'

interface Environment {
  teardown(): Promise<void>
}
const load = createRequire(import.meta.url)
const Environment: new (config: object) => Environment = load('./environment.cjs')
const { keeps }: { keeps: RegExp } = load('./runtime.cjs')

test('a test runs in the same realm as the packages that it tests with', () => {
  expect(compileFunction('return globalThis')()).toBe(globalThis)
})

test('changes that a test file makes to globals are undone after it', async () => {
  const before = { fetch: globalThis.fetch, exit: process.exit, path: process.env.PATH, folder: process.cwd() }
  const environment = new Environment({ projectConfig: { fakeTimers: {} } })
  Object.assign(globalThis, { fetch: null, left: 1 })
  Object.defineProperty(globalThis, 'document', { get: () => null, configurable: true })
  Object.assign(process, { exit: null })
  Object.assign(process.env, { LEFT: '1', PATH: 'nowhere' })
  process.chdir('/')
  await environment.teardown()
  expect({ fetch, exit: process.exit, path: process.env.PATH, folder: process.cwd() }).toEqual(before)
  expect(['left' in globalThis, 'document' in globalThis, 'LEFT' in process.env]).toEqual([false, false, false])
})

test.each([
  'let last = 0',
  'export let last: string | undefined',
  'const breaker = new RepetitionBreaker()',
  'export const seen: Map<string, string[]> = new Map()',
  'const seen = new Set<string>()',
  'const client = once(() => new S3Client({}))',
  'const seen: Record<string, Set<number>> =\n  new Map<string, Set<number>>()',
])('a module with %j at its top level is loaded for each file', (line) => {
  expect(keeps.test(`import { a } from './a.ts'\n\n${line}\n`)).toBe(true)
})

test.each([
  "const names = new Set(['a'])",
  'export const byName: ReadonlyMap<string, Model> = new Map(\n  models.map((each) => [each.name, each]),\n)',
  "const kinds = new Map<string, Kind>([['a', 'b']])",
  'const made = new WeakMap<object, Made>()',
  'const encoder = new TextEncoder()',
  "const words = new Intl.Segmenter(undefined, { granularity: 'word' })",
  'const open = () => new Map()',
  'function open() {\n  let last = 0\n  const seen = new Map()\n}',
])('a module with %j is loaded once a worker', (line) => {
  expect(keeps.test(`${line}\n`)).toBe(false)
})

test('the product keeps nothing between two calls but its adapters and each user’s last action', () => {
  const of = ['domain', 'app', 'lambdas'].flatMap((folder) =>
    globSync(`${folder}/**/*.ts`).filter((path) => keeps.test(readFileSync(path, 'utf8'))),
  )
  expect(of).toEqual(['app/models/settle-call.ts', 'app/models/stop-repetition.ts', 'app/models/telling-of-limits.ts'])
})
