import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { areas } from '../../../lambdas/areas.ts'
import { accessOf } from '../../../lambdas/kit/area.ts'
import { buildDashboard, bundle, bundleFolder, filesOf, root, writeEntryPoints } from '../../../lib/build/bundle.ts'
import { entryPointFile } from '../../../lib/build/esbuild.ts'
import type { StageSettings } from '../../../lib/stage.ts'
import { buildDashboard as laptopDashboard } from '../../../local/start/builds.ts'
import exampleSettings from '../../../stages/example.ts'
import localSettings from '../../../stages/local.ts'
import { full } from '../../counts.ts'
import { assembling, bundledFolder, deployments, local, type Synthesis } from '../synthesis.ts'

/** The assembly that `npm start` runs, and the folder of each function, bundled as at its first call. */
let started: Synthesis
let folders: Map<string, string>
beforeAll(async () => {
  started = await local()
  folders = new Map()
  for (const { name } of areas) folders.set(name, await bundledFolder(started, name))
})
const folderOf = (name: string) => folders.get(name) ?? ''

/** The maximum size of a function's code, bytes. */
const limit = 1_700_000

describe('bundles', () => {
  const codeOf = (name: string) => join(folderOf(name), 'index.js')

  test('exist once for each area, with at most 1.7 MB', () => {
    const sizes = areas.map(({ name }) => [name, statSync(codeOf(name)).size] as const)
    process.stdout.write(`bundles in kB: ${sizes.map(([area, bytes]) => `${area} ${bytes / 1000}`).join(', ')}\n`)
    expect(sizes.filter(([, bytes]) => bytes > limit)).toEqual([])
  })

  test.each(areas.map((area) => [area.name, area] as const))(
    '%s holds its code and the files that its ports read',
    (name, area) => {
      expect(readdirSync(folderOf(name)).sort()).toEqual([entryPointFile, 'index.js', ...filesOf(area)].sort())
      for (const file of filesOf(area)) JSON.parse(readFileSync(join(folderOf(name), file), 'utf8'))
    },
  )

  test('contain a vendor’s SDK only where a port needs it', () => {
    const carriers = (mark: string) =>
      areas.map(({ name }) => name).filter((name) => readFileSync(codeOf(name), 'utf8').includes(mark))
    const withPort = (...ports: string[]) =>
      areas.filter((area) => ports.some((port) => port in accessOf(area))).map(({ name }) => name)
    expect(carriers('StripeInvalidRequestError').sort()).toEqual(withPort('payments').sort())
    expect(carriers('AmazonEC2ContainerServiceV20141113.RunTask').length).toBeLessThanOrEqual(
      withPort('machines').length,
    )
  })
})

test('synthesis for the cloud passes CloudFormation’s own schemas', async () => {
  const { production } = await deployments()
  const report = JSON.parse(readFileSync(join(production.folder, 'validation-report.json'), 'utf8'))
  expect(report.pluginReports.flatMap((plugin: { violations: unknown[] }) => plugin.violations)).toEqual([])
})

/** The same code, bundled and synthesised once more. */
;(full ? describe : describe.skip)('built again', () => {
  let built: string
  let folder: string
  beforeAll(async () => {
    built = mkdtempSync(join(tmpdir(), 'berth-bundle-'))
    folder = mkdtempSync(join(tmpdir(), 'berth-synth-'))
    await bundle(built, false)
    buildDashboard(built)
    const entries = join(folder, 'entries')
    writeEntryPoints(entries)
    assemble(entries, 'local', localSettings)
    assemble(built, 'production', exampleSettings)
  })
  function assemble(from: string, stage: string, settings: StageSettings) {
    const { args, env } = assembling({ built: from, assemblies: [{ stage, settings, folder: join(folder, stage) }] })
    execFileSync(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'pipe' })
  }
  afterAll(() => {
    for (const made of [built, folder]) rmSync(made, { recursive: true })
  })

  const contents = (of: string) =>
    readdirSync(of, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== entryPointFile)
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [relative(of, path), readFileSync(path, 'latin1')])

  test.each(areas.map(({ name }) => name))('%s has the same bytes on a laptop and in the cloud', (name) => {
    // Not toEqual, which would print megabytes.
    expect(isDeepStrictEqual(contents(folderOf(name)), contents(bundleFolder(built, name)))).toBe(true)
  })

  test('the dashboard has the same bytes on a laptop and in the cloud', async () => {
    const ours = contents(await laptopDashboard(root))
    expect(ours.length).toBeGreaterThan(10)
    expect(isDeepStrictEqual(ours, contents(join(built, 'dashboard')))).toBe(true)
  })

  /** The end of a creation stack trace: the lines of the program, and its callers. */
  const program =
    / {4}at file:\S+(bin\/app|test\/lib\/assemble)\.ts\S* \(:\)|,\s*" {4}(at build [^"]*|\.\.\.node internals\.\.\.)"/g
  const json = (assembly: string) =>
    readdirSync(assembly)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => [name, readFileSync(join(assembly, name), 'utf8').replace(program, '')])

  test('has the same assembly', () => {
    expect(json(started.folder)).toHaveLength(7)
    expect(json(join(folder, 'local'))).toEqual(json(started.folder))
  })

  test('includes the built dashboard for the cloud', () => {
    const { files } = JSON.parse(
      readFileSync(join(folder, 'production', 'berth-production-service.assets.json'), 'utf8'),
    )
    const folders = Object.values<{ source: { path: string } }>(files).map(({ source }) =>
      join(folder, 'production', source.path),
    )
    const listed = folders.flatMap((path) => (statSync(path).isDirectory() ? [readdirSync(path).join()] : []))
    // Its pages, and separately the files that they load.
    expect(listed.filter((names) => /\bindex\.html\b/.test(names))).toHaveLength(1)
    expect(listed.filter((names) => /\bcore-[\w-]+\.js\b/.test(names) && /\.css\b/.test(names))).toHaveLength(1)
  })
})
