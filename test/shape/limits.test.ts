import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from '@jest/globals'
import { limits } from '../../domain/rates/rate-limits.ts'
import { callerKinds } from '../../domain/rates/window-owner.ts'

const top = join(import.meta.dirname, '../..')
const page = readFileSync(join(top, 'docs/limits.md'), 'utf8')

/** The rows of the table with this head; each row is a list of cells. */
function rowsOf(head: string): string[][] {
  const [, rest = ''] = page.split(`${head}\n|---`)
  const [, ...lines] = (rest.split('\n\n')[0] ?? '').split('\n')
  return lines.map((line) => line.slice(2, -2).split(' | '))
}

describe('the page of limits', () => {
  test('has each class of rate window with its number', () => {
    const rows = rowsOf('| class | a minute | counted for | what counts |')
    expect(rows.map(([name, number]) => [name, Number(number)])).toEqual(
      Object.entries(limits).map(([name, number]) => [`\`${name}\``, number]),
    )
  })

  test('has each kind of caller', () => {
    const rows = rowsOf('| kind | callers that share the window |')
    expect(rows.map(([kind]) => kind)).toEqual(callerKinds.map((kind) => `\`${kind}\``))
  })

  test('gives the number in the code for every other limit', async () => {
    const rows = rowsOf('| limit | number | counted for | in the code |')
    expect(rows.length).toBeGreaterThan(25)
    for (const [limit, number, , code = ''] of rows) {
      const [, expression = '', file = ''] = /^`(.+)` in `(.+)`$/.exec(code) ?? []
      const value: unknown = runInNewContext(expression, { ...(await import(join(top, file))) })
      const shown = [value].flat().map((each) => Number(each).toLocaleString('en-US'))
      expect([limit, number]).toEqual([limit, shown.join(' or ')])
    }
  })
})
