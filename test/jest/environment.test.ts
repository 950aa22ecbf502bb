import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { compileFunction } from 'node:vm'

interface Environment {
  teardown(): Promise<void>
}
const load = createRequire(import.meta.url)
const Environment: new (config: object) => Environment = load('./environment.cjs')
interface Loader {
  stateful: string[]
  madeFor: { jest: string; node: string }
  missing(jest?: object, node?: object): string[]
}
const loader: Loader = load('./runtime.cjs')

/** State of a module: a variable at its top level, or an object that is more than a list of constant values. */
const keeps =
  /^(export )?(let |const [^\n]*?=\s+(once|memoize|new (?!(Set|Map)(<[^\n]*?>)?\((?!\))|WeakMap|Text(En|De)coder|Intl\.)))/m

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
])('a module with %j at its top level has state', (line) => {
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
])('a module with %j has no state', (line) => {
  expect(keeps.test(`${line}\n`)).toBe(false)
})

test('the loader lists the modules of the product that have state, which it loads for each file', () => {
  const found = ['domain', 'app', 'lambdas'].flatMap((folder) =>
    globSync(`${folder}/**/*.ts`).filter((path) => keeps.test(readFileSync(path, 'utf8'))),
  )
  expect(found.sort()).toEqual(loader.stateful)
})

test('the loader runs with the versions that it was made for: read "What breaks it" in docs/adr/095 before you change them', () => {
  const { version } = load('jest-runtime/package.json')
  expect({ jest: version, node: process.versions.node.split('.')[0] }).toEqual(loader.madeFor)
  const { devDependencies } = load('../../package.json')
  expect([devDependencies.jest, devDependencies['@jest/globals']]).toEqual([version, version])
  expect(devDependencies.node).toBe(process.versions.node)
  expect(readFileSync('.nvmrc', 'utf8').trim()).toBe(devDependencies.node)
})

test('the loader names the internals that another jest or Node lacks', () => {
  expect(loader.missing()).toEqual([])
  expect(loader.missing(class {}, class {})).toEqual([
    'installGetBuiltinModule',
    'unstable_shouldLoadAsEsm',
    'unstable_importModule',
    'requireModule',
    'requireInternalModule',
    'teardown',
    'requireModuleOrMock',
    'moduleRequests',
    'linkRequests',
    'instantiate',
  ])
})
