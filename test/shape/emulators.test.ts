import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { awsEmulator } from '../../emulators/aws/emulator.ts'
import { discordEmulator } from '../../emulators/discord/emulator.ts'
import { slackEmulator } from '../../emulators/slack/emulator.ts'
import { stripeEmulator } from '../../emulators/stripe/emulator.ts'
import { telegramEmulator } from '../../emulators/telegram/emulator.ts'
import { inFolder, sources } from './sources.ts'

const root = join(import.meta.dirname, '../..')

interface Manifest {
  name: string
  exports: Record<string, { types: string; default: string }>
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies?: Record<string, string>
}
const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(root, `emulators/${name}/package.json`), 'utf8'))

const common = () => ({ stateFolder: mkdtempSync(join(tmpdir(), 'emulator-')) })
const pages = () => ({ ...common(), pagesUrl: 'http://127.0.0.1:1/pages' })
const starts = {
  aws: () => awsEmulator.start({ ...common(), taskCommand: () => ({ file: '', args: [], cwd: '' }), onEvent() {} }),
  discord: () => discordEmulator.start({ pagesUrl: pages().pagesUrl, interactionsUrl: null, name: 'Bot' }),
  slack: () => slackEmulator.start({ ...pages(), webhookUrl: 'http://127.0.0.1:1' }),
  stripe: () => stripeEmulator.start({ ...pages(), webhookUrl: 'http://127.0.0.1:1', webhookSecret: 'whsec_x' }),
  telegram: () => telegramEmulator.start(pages()),
}
const emulators = [awsEmulator, discordEmulator, slackEmulator, stripeEmulator, telegramEmulator]

test('each folder with a package.json is an emulator with a name of its own', () => {
  const folders = new Set(inFolder('emulators').map(({ path }) => path.split('/')[1] ?? ''))
  const packages = [...folders].filter((name) => existsSync(join(root, `emulators/${name}/package.json`)))
  expect(packages.sort()).toEqual(emulators.map(({ name }) => name))
})

describe.each(Object.entries(starts))('emulators/%s', (name, start) => {
  const folder = `emulators/${name}/`
  const files = inFolder(`emulators/${name}`)
  const { exports, scripts, dependencies, devDependencies = {}, ...manifest } = manifestOf(name)
  const packageOf = (from: string) => from.split('/', from.startsWith('@') ? 2 : 1).join('/')

  test('starts, answers at its address, and stops', async () => {
    const running = await start()
    expect(running.routes.length).toBeGreaterThan(3)
    const response = await fetch(running.apiBase)
    expect(response.status).toBeGreaterThanOrEqual(400)
    await running.stop()
    await expect(fetch(running.apiBase)).rejects.toThrow()
  })

  test('imports only itself, the kit, Node and the packages of its package.json', () => {
    const programs = files.filter(({ path }) => !path.startsWith(`${folder}test/`))
    const isOwn = (from: string) => from.startsWith(folder) || from.startsWith('emulators/kit/')
    const imports = programs.flatMap(({ imports }) =>
      imports.filter(({ from }) => !isOwn(from) && !/^node:/.test(from)),
    )
    const loaded = new Set(imports.filter(({ typeOnly }) => !typeOnly).map(({ from }) => packageOf(from)))
    const declared = Object.keys(dependencies)
    expect([...loaded].filter((each) => !declared.includes(each))).toEqual([])
    const types = imports.filter(({ typeOnly }) => typeOnly).map(({ from }) => packageOf(from))
    expect(types.filter((each) => !declared.includes(each) && !(each in devDependencies))).toEqual([])
  })

  test('contains no name of the product', () => {
    expect(files.filter(({ text }) => /berth/i.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('is packed as the JavaScript of its modules', () => {
    expect([manifest.name, scripts.prepack]).toEqual([`@berth/emulator-${name}`, 'node ../build.ts'])
    const targets = Object.values(exports).flatMap((target) => [target.types, target.default])
    const sourceOf = (target: string) => target.replace('./dist/', 'emulators/').replace(/\.(d\.ts|js)$/, '.ts')
    expect(targets.filter((target) => !existsSync(join(root, sourceOf(target))))).toEqual([])
  })

  test('is imported by other folders through its exports only', () => {
    const open = Object.values(exports).map((target) =>
      target.default.replace('./dist/', 'emulators/').replace('.js', '.ts'),
    )
    const others = sources.filter(({ path }) => !/^(emulators|test|bench|proofs)\//.test(path))
    const imported = others.flatMap(({ imports }) => imports.map(({ from }) => from))
    expect(imported.filter((from) => from.startsWith(folder) && !open.includes(from))).toEqual([])
  })

  test('has a README that says how to use it alone', () => {
    const text = readFileSync(join(root, folder, 'README.md'), 'utf8')
    expect(text).toContain('\n## Use it without Berth\n')
    expect(text).toContain(`from '${manifest.name}'`)
    expect(text).toMatch(/\n(## Refusals|Not supported: )/)
  })
})
