import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { tables } from '../../adapters/dynamo/tables.ts'

const top = join(import.meta.dirname, '../..')
const documents = globSync(
  ['*.md', '{agent,bench,catalogue,clients,docs,emulators,examples,gateway,lib,local,proofs,test}/**/*.md'],
  {
    cwd: top,
    exclude: ['**/node_modules/**'],
  },
).map((path) => ({ path, text: readFileSync(join(top, path), 'utf8') }))

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '')

/** The targets of links within a page: its headings, as GitHub names them, and its explicit anchors. */
const anchorsOf = (text: string): string[] => [
  ...[...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  ),
  ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id),
]

describe('documents', () => {
  test('link only to existing files and headings', () => {
    const broken = documents.flatMap(({ path, text }) =>
      [...withoutCode(text).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(([, to = '', anchor]) => {
        const file = to === '' ? path : join(dirname(path), to)
        if (!existsSync(join(top, file))) return [`${path} → ${to}`]
        const isThere = anchor === undefined || anchorsOf(readFileSync(join(top, file), 'utf8')).includes(anchor)
        return isThere ? [] : [`${path} → ${to}#${anchor}`]
      }),
    )
    expect(broken).toEqual([])
  })

  test('name only existing tests', () => {
    const missing = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/`(test\/[\w./-]+\.tsx?)`/g)].flatMap(([, named = '']) =>
        existsSync(join(top, named)) ? [] : [`${path}: ${named}`],
      ),
    )
    expect(missing).toEqual([])
  })

  const decisions = documents.filter(({ path }) => /^docs\/adr\/\d/.test(path))

  test('about a decision have its number in their title', () => {
    expect(decisions.length).toBeGreaterThan(60)
    const untitled = decisions.filter(({ path, text }) => !text.startsWith(`# ${basename(path).slice(0, 3)}: `))
    expect(untitled.map(({ path }) => path)).toEqual([])
  })

  test('list each decision with its title, date and status', () => {
    const rows = decisions.map(({ path, text }) => {
      const [, number = '', title = '', date = '', status = ''] =
        /^# (\d{3}): (.+)\n\nDate: (\d{4}-\d\d-\d\d)\. Status: (.+)\.\n/.exec(text) ?? []
      return `| ${number} | [${title}](${basename(path)}) | ${date} | ${status} |`
    })
    const table = readFileSync(join(top, 'docs/adr/README.md'), 'utf8')
    expect([...table.matchAll(/^\| \d.*$/gm)].map(([row]) => row)).toEqual(rows.sort())
  })

  test('list the readers of each table, in the design', () => {
    const [, rows = ''] = readFileSync(join(top, 'docs/design.md'), 'utf8').split(
      '| table | who reads it how |\n|---|---|\n',
    )
    const named = [...rows.matchAll(/^\| ([\w, ]+) \|/gm)].flatMap(([, names = '']) => names.split(', '))
    expect(named.sort()).toEqual(Object.keys(tables).sort())
  })
})
