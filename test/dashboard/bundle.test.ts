import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { viteBuild } from '../../lib/build/vite.ts'

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

const always = () => filesOf('index.html')

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
