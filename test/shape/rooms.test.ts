import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sources, topOf } from './sources.ts'

const root = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { types: string } }
const rooms = (/^for room in \. (.+?);/.exec(scripts.types)?.[1] ?? '').split(' ')

/** Folders that the root's tsconfig.json checks: tests and proofs, which may use every global, and plain data. */
const withoutRoom = ['test', 'bench', 'proofs', 'stages', 'clients', 'examples']

test('`npm run check` compiles each room with its own globals', () => {
  const folders = new Set(sources.map(({ path }) => topOf(path)))
  expect([...folders].filter((folder) => !withoutRoom.includes(folder)).sort()).toEqual(rooms.toSorted())
  for (const room of rooms) expect(existsSync(join(root, room, 'tsconfig.json'))).toBe(true)
})

describe('a global of another room does not compile', () => {
  test.each([
    ['lambdas', 'document.title'],
    ['lambdas', 'describe.name'],
    ['app', 'window.name'],
    ['dashboard', 'process.env.HOME'],
    ['domain', 'process.env.HOME'],
    ['domain', 'fetch.name'],
  ])('%s: %s', (room, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-room-'))
    try {
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
      writeFileSync(join(folder, 'use.ts'), `export const use = ${use}\n`)
      const compilerOptions = { typeRoots: [join(root, 'node_modules/@types')] }
      const only = { extends: join(root, room, 'tsconfig.json'), compilerOptions, files: ['use.ts'], include: [] }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(only))
      const compile = () =>
        execFileSync('node_modules/.bin/tsc', ['--noEmit', '-p', folder], { cwd: root, encoding: 'utf8' })
      expect(compile).toThrow(expect.objectContaining({ stdout: expect.stringMatching(/Cannot find name/) }))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
