import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plans } from '../../domain/billing/plans.ts'
import { eventScope } from '../../domain/chat/event.ts'
import { eventTypes } from '../../domain/chat/event-types.ts'
import { codes } from '../../domain/errors.ts'
import { limits, streamSlots } from '../../domain/rates/rate-limits.ts'
import { maxReaders } from '../../domain/socket/connection.ts'
import { maxTokens } from '../../domain/tokens/pat.ts'
import { maxHolds } from '../../domain/wallet/holds.ts'
import { statusOf } from '../../lambdas/kit/errors.ts'

const top = join(import.meta.dirname, '../..')
const textOf = (name: string) => readFileSync(join(top, `docs/api/${name}.md`), 'utf8')

/** The cells of the table with this head, row by row, without marks of code. */
function rowsOf(name: string, head: string): string[][] {
  const [, rest = ''] = textOf(name).split(`${head}\n`)
  const lines = (rest.split('\n\n')[0] ?? '').split('\n').filter((line) => line.startsWith('| '))
  expect(lines.length).toBeGreaterThan(0)
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}

/** Statuses of a code that a gateway answers, in addition to the code's own. */
const gatewayStatuses: Record<string, string> = { 'not-found': ', 405', internal: ', 504' }

test('the page of errors lists each code with its status', () => {
  const rows = rowsOf('errors', '| code | status | when | what to do |')
  const expected = codes.map((code) => [code, `${statusOf[code]}${gatewayStatuses[code] ?? ''}`])
  expect(rows.map(([code, status]) => [code, status]).sort()).toEqual(expected.sort())
})

test('the page of events lists each type with its scope', () => {
  const rows = rowsOf('events', '| type | when | scope |')
  const expected = eventTypes.map((type) => [type, eventScope({ type })])
  expect(rows.map(([type, , scope]) => [type, scope]).sort()).toEqual(expected.sort())
})

test('the page of limits has the numbers of the code', () => {
  for (const [name = '', number] of rowsOf('limits', '| class | a minute | what counts |'))
    expect([name, Number(number)]).toEqual([name, limits[name as keyof typeof limits]]) // safe because an unknown name gives undefined
  expect(rowsOf('limits', '| limit | number |').map(([, number]) => Number(number))).toEqual([
    maxHolds,
    streamSlots.max,
    maxReaders,
    maxTokens,
  ])
})

test('the page of webhooks has the limits of the plans', () => {
  const [endpoints, anHour, aDay] = rowsOf('webhooks', '| limit | Starter | Pro |').map((row) => row.slice(1))
  const shown = (numbers: number[]) => numbers.map((number) => number.toLocaleString('en-US'))
  expect(endpoints).toEqual(shown(plans.map(({ webhookEndpoints }) => webhookEndpoints.most)))
  expect(anHour).toEqual(shown(plans.map(({ webhookEndpoints }) => webhookEndpoints.deliveriesAnHour)))
  expect(aDay).toEqual(shown(plans.map(({ webhookEndpoints }) => webhookEndpoints.aDay)))
})
