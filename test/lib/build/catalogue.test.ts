import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { persona, showPersona } from '../../../domain/catalogue/persona.ts'
import { skillDetail } from '../../../domain/catalogue/skill.ts'
import { readCatalogue } from '../../../lib/build/catalogue.ts'

const head = (extra = '') => `---
name: daily-brief
description: Sums up the day.
license: MIT
allowed-tools: read_file write_file
metadata:
  version: "1.2.0"
  updated: 2026-11-01
${extra}---

# Daily brief

Read, then write.
`

const soul = {
  'personas/default/persona.yaml': 'name: Default\ndescription: Plain.\n',
  'personas/default/SOUL.md': 'Be kind.',
}

const made: string[] = []
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

function folderOf(files: Record<string, string | Uint8Array>): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-catalogue-'))
  made.push(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const read = (files: Record<string, string | Uint8Array>) => readCatalogue(folderOf({ ...soul, ...files }))

describe('skills', () => {
  test('are read with their files in path order', () => {
    const [skill, ...others] = read({
      'skills/daily-brief/SKILL.md': head('  requires:\n    env: [CITY]\n    bins: git  node\n'),
      'skills/daily-brief/scripts/run.sh': 'echo hi\n',
    }).skills
    expect(others).toEqual([])
    expect(skill).toMatchObject({
      id: 'daily-brief',
      name: 'daily-brief',
      description: 'Sums up the day.',
      version: '1.2.0',
      license: 'MIT',
      updatedAt: '2026-11-01T00:00:00.000Z',
      requires: { env: ['CITY'], bins: ['git', 'node'] },
      allowedTools: ['read_file', 'write_file'],
      body: '# Daily brief\n\nRead, then write.',
    })
    expect(skill?.files.map(({ path, size }) => [path, size])).toEqual([
      ['SKILL.md', Buffer.byteLength(head('  requires:\n    env: [CITY]\n    bins: git  node\n'))],
      ['scripts/run.sh', 8],
    ])
    skillDetail.parse({ ...skill, enabled: true, changed: false, missing: { env: [], bins: [] }, personas: [] })
  })

  test('have a hash that only their files’ names and contents change', () => {
    const hashOf = (files: Record<string, string>) => read(files).skills[0]?.sha256
    const plain = hashOf({ 'skills/daily-brief/SKILL.md': head() })
    expect(plain).toMatch(/^[0-9a-f]{64}$/)
    expect(hashOf({ 'skills/daily-brief/SKILL.md': head() })).toBe(plain)
    const [a, b, c] = [
      { 'x.md': 'ab', 'y.md': 'c' },
      { 'x.md': 'a', 'y.md': 'bc' },
      { 'x.md': 'ab', 'z.md': 'c' },
    ].map((more) => {
      const files = Object.entries(more).map(([name, text]) => [`skills/daily-brief/${name}`, text])
      return hashOf({ 'skills/daily-brief/SKILL.md': head(), ...Object.fromEntries(files) })
    })
    expect(new Set([plain, a, b, c]).size).toBe(4)
  })

  test.each([
    ['no front matter', { 'skills/daily-brief/SKILL.md': '# Hello' }, /SKILL\.md: it must begin with front matter/],
    [
      'another folder name',
      { 'skills/other/SKILL.md': head() },
      /other\/SKILL\.md: name is "daily-brief", but the folder is "other"/,
    ],
    ['no SKILL.md', { 'skills/daily-brief/README.md': 'x' }, /daily-brief\/SKILL\.md is missing/],
    [
      'an unknown field',
      { 'skills/daily-brief/SKILL.md': head().replace('license:', 'licence:') },
      /SKILL\.md: .*licence/,
    ],
    [
      'no version',
      { 'skills/daily-brief/SKILL.md': head().replace(/ {2}version.*\n/, '') },
      /SKILL\.md: metadata\.version/,
    ],
    [
      'an invalid date',
      { 'skills/daily-brief/SKILL.md': head().replace('2026-11-01', 'soon') },
      /metadata\.updated: write a date/,
    ],
    ['broken YAML', { 'skills/daily-brief/SKILL.md': head().replace('MIT', '[') }, /SKILL\.md: this is not YAML/],
    [
      'bytes',
      { 'skills/daily-brief/SKILL.md': head(), 'skills/daily-brief/a.png': Uint8Array.of(0xff, 0xfe, 0x00) },
      /a\.png: it is not UTF-8/,
    ],
    [
      'an invalid name',
      { 'skills/daily-brief/SKILL.md': head(), 'skills/daily-brief/.env': 'x' },
      /\.env: use letters/,
    ],
  ])('with %s are refused, with the name of the file', (_, files, message) => {
    expect(() => read(files)).toThrow(message)
  })
})

describe('the manifests of the catalogue’s skills', () => {
  const { skills } = readCatalogue(join(import.meta.dirname, '../../../catalogue'))

  test.each(skills.map((skill) => [skill.id, skill] as const))(
    '%s declares the hosts and paths of its text',
    (_, skill) => {
      const { body, access, allowedTools, requires } = skill
      const hosts = [...body.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host)
      expect(access.network).toEqual([...new Set(hosts)])
      for (const name of requires.env) expect(body).toContain(name)
      const files = (paths: string[]) => paths.some((path) => path.startsWith('workspace'))
      expect([files(access.reads), files(access.writes)]).toEqual([
        allowedTools.includes('read_file') && requires.bins.length === 0 ? true : files(access.reads),
        allowedTools.includes('write_file') && requires.bins.length === 0 ? true : files(access.writes),
      ])
      expect(access.writes.includes('memory')).toBe(allowedTools.includes('remember'))
      for (const [, folder] of body.matchAll(/`([a-z]+)\/[^`]*`/g))
        expect([...access.reads, ...access.writes].join(' ')).toContain(`workspace/${folder}`)
    },
  )

  test('are refused when they name an invalid host or path', () => {
    const skill = (access: string) => ({ 'skills/daily-brief/SKILL.md': head(`  access:\n    ${access}\n`) })
    expect(read(skill('network: [api.example.com]')).skills[0]?.access.network).toEqual(['api.example.com'])
    for (const wrong of [
      'network: [https://x.com]',
      'network: [everywhere]',
      'reads: [/etc]',
      'writes: [../x]',
      'runs: [x]',
    ])
      expect(() => read(skill(wrong))).toThrow(/metadata\.access/)
  })
})

describe('personas', () => {
  test('are read in order of their ids', () => {
    const { personas } = read({
      'personas/coach/persona.yaml': 'name: Coach\ndescription: Pushes.\nversion: 2\n',
      'personas/coach/STYLE.md': 'Short.',
      'personas/coach/SOUL.md': 'Push.',
    })
    expect(personas).toMatchObject([
      {
        id: 'coach',
        name: 'Coach',
        version: 2,
        builtIn: true,
        files: [{ path: 'SOUL.md', text: 'Push.' }, { path: 'STYLE.md' }],
      },
      { id: 'default', version: 1 },
    ])
    for (const record of personas) persona.parse(showPersona(record, 'default'))
  })

  test('must include the one that every instance starts with', () => {
    expect(() =>
      readCatalogue(folderOf({ 'personas/a/persona.yaml': 'name: A\ndescription: a\n', 'personas/a/SOUL.md': 'a' })),
    ).toThrow(/personas\/default: every instance starts/)
  })

  test.each([
    ['only a name', { 'personas/a/persona.yaml': 'name: A\ndescription: a\n' }, /personas\/a: a persona needs/],
    ['no persona.yaml', { 'personas/a/SOUL.md': 'a' }, /a\/persona\.yaml is missing/],
    [
      'another kind of file',
      { 'personas/a/persona.yaml': 'name: A\ndescription: a\n', 'personas/a/run.sh': 'a' },
      /run\.sh: a persona holds/,
    ],
  ])('with %s are refused, with the name of the file', (_, files, message) => {
    expect(() => read(files)).toThrow(message)
  })
})

test('the catalogue of this repository is complete', () => {
  const { skills, personas } = readCatalogue(join(import.meta.dirname, '../../../catalogue'))
  expect(skills.length).toBeGreaterThan(0)
  expect(personas.map(({ id }) => id)).toContain('default')
})

test('a missing folder is an empty catalogue', () => {
  expect(readCatalogue(join(tmpdir(), 'berth-there-is-no-such-folder'))).toEqual({ skills: [], personas: [] })
})
