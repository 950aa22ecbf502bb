import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { viteBuild } from '../../lib/build/vite.ts'
import { classesIn, splitList, styleRules } from './style-rules.ts'

interface Chunk {
  file: string
  imports?: string[]
}

const kilobyte = 1_000
const folder = mkdtempSync(join(tmpdir(), 'berth-bundle-'))
let chunks: Record<string, Chunk>

beforeAll(() => {
  const { args, env } = viteBuild(folder)
  execFileSync(process.execPath, [...args, '--manifest'], { env: { ...process.env, ...env }, stdio: 'pipe' })
  chunks = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The files of these modules and of their static imports. */
function filesOf(...names: string[]): Set<string> {
  const seen = new Set(names)
  for (const name of seen) for (const next of chunks[name]?.imports ?? []) seen.add(next)
  return new Set([...seen].map((name) => chunks[name]?.file ?? `no ${name}`))
}

/** Bytes of code as transferred, compressed file by file. */
const bytesOf = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0)

const sourcesBelow = (path: string): string =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(path, name), 'utf8'))
    .join('\n')

/** The scripts that the dashboard's one HTML page names. */
const always = () =>
  new Set(
    [...readFileSync(join(folder, 'index.html'), 'utf8').matchAll(/src="\/(assets\/[^"]+)"/g)].map(
      ([, file = '']) => file,
    ),
  )

describe('the code of the pages', () => {
  test('is at most 120 KB for the first page of a signed-in user', () => {
    expect(bytesOf(new Set([...always(), ...filesOf('pages/chat.tsx')]))).toBeLessThan(120 * kilobyte)
  })

  test('is at most 40 KB more for each other page', () => {
    const shared = always()
    const pages = Object.keys(chunks).filter((name) => name.startsWith('pages/'))
    const more = pages.map((name) => [name, bytesOf([...filesOf(name)].filter((file) => !shared.has(file)))] as const)
    expect(pages.length).toBeGreaterThan(10)
    expect(more.filter(([, bytes]) => bytes > 40 * kilobyte)).toEqual([])
  })
})

describe('the styles of the pages', () => {
  const rules = () =>
    readdirSync(join(folder, 'assets'))
      // The pages below /docs have styles of their own, as they share no page with the dashboard.
      .filter((name) => /(?<!^(docs|reference)-[\w-]+)\.css$/.test(name))
      .flatMap((name) => styleRules(readFileSync(join(folder, 'assets', name), 'utf8')))
  const outermost = (layer: string | null) =>
    rules()
      .filter((rule) => rule.layer === layer)
      .flatMap(({ selectors }) => splitList(selectors[0] ?? ''))

  test('are each in one of three layers, or are those of a page, which win', () => {
    expect([...new Set(rules().map(({ layer }) => layer))].sort()).toEqual(['base', 'frame', 'kit', null])
  })

  test('of elements name no class, and all others begin with one', () => {
    expect(outermost('base').filter((selector) => classesIn(selector).length > 0)).toEqual([])
    const isClass = /^(\.|:is\(\.|:root:has\()/
    expect(['kit', 'frame', null].flatMap(outermost).filter((selector) => !isClass.test(selector))).toEqual([])
  })

  test('of a page stay on the page', () => {
    const isPage = /^(\.[a-z]+-page(?![\w-])|:is\((\.[a-z]+-page(?![\w-])[^,)]*[,)])+)/
    expect(outermost(null).filter((selector) => !isPage.test(selector.replaceAll(' ', '')))).toEqual([])
  })

  test('name only classes that the pages use', () => {
    const code = sourcesBelow(join(import.meta.dirname, '../../dashboard'))
    const made = /^(hljs-|level-|align-|part-|sample-|compare-|run-)/
    const isUsed = (name: string) => made.test(name) || new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(code)
    const named = new Set(rules().flatMap(({ selectors }) => selectors.flatMap(classesIn)))
    expect(named.size).toBeGreaterThan(200)
    expect([...named].filter((name) => !isUsed(name) && !/^[a-z-]+-page$/.test(name))).toEqual([])
  })
})
