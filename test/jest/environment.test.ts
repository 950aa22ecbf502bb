import { createRequire } from 'node:module'
import { compileFunction } from 'node:vm'

interface Environment {
  teardown(): Promise<void>
}
const Environment: new (config: object) => Environment = createRequire(import.meta.url)('./environment.cjs')

test('a test runs in the realm of the packages it tests with', () => {
  expect(compileFunction('return globalThis')()).toBe(globalThis)
})

test('what a file of tests leaves changed is put back after it', async () => {
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
