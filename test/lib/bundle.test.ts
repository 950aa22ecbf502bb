import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { areas } from '../../lambdas/areas.ts'
import { accessOf } from '../../lambdas/kit/area.ts'
import { buildDashboard, bundle, bundleFolder, filesOf, root } from '../../lib/bundle.ts'
import { assembling, codeFolder, local, type Synthesis } from './synthesis.ts'

/** What `npm start` runs, bundled some time ago by another process, and what the same code gives now. */
let started: Synthesis
let built: string
let sizes: Map<string, number>

beforeAll(async () => {
  started = await local()
  built = mkdtempSync(join(tmpdir(), 'berth-bundle-'))
  sizes = await bundle(built, false)
  buildDashboard(built)
})
afterAll(() => rmSync(built, { recursive: true }))

const contents = (folder: string) =>
  readdirSync(folder)
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')])

/** Most bytes of a function's code. */
const limit = 1_600_000

describe('bundles', () => {
  test('are one for each area, of 1.6 MB at most', () => {
    expect([...sizes.keys()].sort()).toEqual(areas.map(({ name }) => name).sort())
    const kilobytes = [...sizes].map(([area, bytes]) => [area, Math.round(bytes / 1000)] as const)
    process.stdout.write(`bundles in kB: ${kilobytes.map(([area, kB]) => `${area} ${kB}`).join(', ')}\n`)
    expect([...sizes].filter(([, bytes]) => bytes > limit)).toEqual([])
  })

  test.each(areas.map((area) => [area.name, area] as const))(
    '%s holds its code and the files its ports read',
    (_, area) => {
      expect(readdirSync(bundleFolder(built, area.name)).sort()).toEqual(['index.js', ...filesOf(area)].sort())
      for (const file of filesOf(area)) JSON.parse(readFileSync(join(bundleFolder(built, area.name), file), 'utf8'))
    },
  )

  test('carry a vendor’s SDK only where a port stands on it', () => {
    const carriers = (mark: string) =>
      areas
        .map(({ name }) => name)
        .filter((name) => readFileSync(join(bundleFolder(built, name), 'index.js'), 'utf8').includes(mark))
    const withPort = (...ports: string[]) =>
      areas.filter((area) => ports.some((port) => port in accessOf(area))).map(({ name }) => name)
    expect(carriers('StripeInvalidRequestError').sort()).toEqual(withPort('payments').sort())
    expect(carriers('AmazonEC2ContainerServiceV20141113.RunTask').length).toBeLessThanOrEqual(
      withPort('machines').length,
    )
  })

  test.each(areas.map(({ name }) => name))('%s is the same bytes every time, with source maps or without', (name) => {
    // Not toEqual, which would print megabytes.
    expect(isDeepStrictEqual(contents(codeFolder(started, name)), contents(bundleFolder(built, name)))).toBe(true)
  })
})

describe('synthesis', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-synth-'))
    const assemblies = [
      { context: { stage: 'local' }, folder: join(folder, 'local') },
      {
        context: { stage: 'production', mailFrom: 'hello@example.com' },
        folder: join(folder, 'production'),
        checked: true,
      },
    ]
    const { args, env } = assembling({ built, assemblies })
    execFileSync(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'pipe' })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** The line of a creation stack trace that names the program. */
  const program = / {4}at file:\S+(bin\/app|test\/lib\/assemble)\.ts\S* \(:\)/g
  const json = (assembly: string) =>
    readdirSync(assembly)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => [name, readFileSync(join(assembly, name), 'utf8').replace(program, '')])

  test('gives the same assembly twice', () => {
    expect(json(started.folder)).toHaveLength(7)
    expect(json(join(folder, 'local'))).toEqual(json(started.folder))
  })

  test('for the cloud takes along the dashboard that was built', () => {
    const { files } = JSON.parse(
      readFileSync(join(folder, 'production', 'berth-production-service.assets.json'), 'utf8'),
    )
    const sources = Object.values<{ source: { path: string } }>(files).map(({ source }) => source.path)
    const pages = sources.filter((path) => existsSync(join(folder, 'production', path, 'index.html')))
    expect(pages).toHaveLength(1)
    expect(readdirSync(join(folder, 'production', pages[0] ?? '', 'assets')).join()).toMatch(
      /\.js\b.*\.css\b|\.css\b.*\.js\b/,
    )
  })

  test('for the cloud passes CloudFormation’s own schemas', () => {
    const report = JSON.parse(readFileSync(join(folder, 'production', 'validation-report.json'), 'utf8'))
    expect(report.pluginReports.flatMap((one: { violations: unknown[] }) => one.violations)).toEqual([])
  })
})
