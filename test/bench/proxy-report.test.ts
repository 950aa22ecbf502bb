import { describe, expect, test } from '@jest/globals'
import { aimsTable, type Calls, callsTable, type Streams } from '../../bench/proxy/report.ts'

const call = (name: string, p50: number, perSecond: number): Calls => ({ name, p50, p99: 2 * p50, perSecond })
const calls = [
  call('direct', 1, 12_345),
  call('bare Node proxy', 1.5, 6_000),
  call('pipeline, store stubbed', 1.75, 4_000),
  call('pipeline, billed', 2.5, 1_200),
  call('Portkey 1.15.2', 2, 1_000),
]
const stream = (name: string, addedMs: number, gapP99: number, kib?: number): Streams => ({
  name,
  firstByteMs: 1 + addedMs,
  addedMs,
  gapP99,
  ...(kib && { kib: { short: kib, megabyte: kib } }),
})
const streams = [
  stream('bare Node proxy', 0.5, 20, 8),
  stream('pipeline, store stubbed', 0.75, 21, 16),
  stream('pipeline, billed', 1, 22),
]
const rowOf = (table: string, what: string) => table.split('\n').find((line) => line.startsWith(`| ${what}`))

describe('the tables of the proxy', () => {
  test('give, for each target, the time that it adds to the upstream', () => {
    expect(rowOf(callsTable(calls), 'direct')).toBe('| direct | 1.000 | 0 | 2.00 | 12 345 |')
    expect(rowOf(callsTable(calls), 'pipeline, billed')).toBe('| pipeline, billed | 2.500 | 1.500 | 5.00 | 1 200 |')
  })

  test.each([
    ['stubbed added p50', '1.50×', 'yes'],
    ['billed added p50', '1.50×', 'no'],
    ['billed req/s', '1.20×', 'yes'],
    ['stubbed added first byte', '1.50×', 'no'],
    ['gap p99', '1.05×, 1.10×', 'yes'],
    ['memory a stream', '2.00×, 2.00×', 'no'],
  ])('give, for the aim of %s, the measured %s: %s', (what, seen, reached) => {
    expect(rowOf(aimsTable(calls, streams), what)).toMatch(new RegExp(` \\| ${seen} \\| ${reached} \\|$`))
  })

  test('mark an aim as not measured when the peer to compare with did not start', () => {
    expect(rowOf(aimsTable(calls, streams), '≤ 0.2× LiteLLM')).toMatch(/ \| not measured \| no \|$/)
  })
})
