import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { mutations } from './mutations.ts'

const repo = join(import.meta.dirname, '../..')

describe('mutations of money', () => {
  test.each(mutations)('$breaks: its place is there once, and its suite exists', ({ file, search, replace, suite }) => {
    expect(readFileSync(join(repo, file), 'utf8').split(search)).toHaveLength(2)
    expect(replace).not.toBe(search)
    const folder = join(repo, dirname(suite))
    const found = readdirSync(folder).filter((name) => name.startsWith(suite.split('/').pop() ?? ''))
    expect(found.length).toBeGreaterThan(0)
  })

  test('break each file that decides or writes money', () => {
    const broken = new Set(mutations.map(({ file }) => file))
    for (const file of ['moves', 'hold', 'limits', 'rebuild']) expect(broken).toContain(`domain/wallet/${file}.ts`)
    for (const file of ['holds', 'settlements', 'credits', 'debits', 'item'])
      expect(broken).toContain(`adapters/dynamo/wallet-${file}.ts`)
    for (const file of [
      'top-up',
      'allowance',
      'reversals',
      'follow',
      'new-account',
      'grace',
      'apply-event',
      'auto-top-up',
    ])
      expect(broken).toContain(`domain/billing/${file}.ts`)
    expect(broken).toContain('domain/wallet/auto-topup.ts')
    expect(existsSync(join(repo, 'bench/prove/money.ts'))).toBe(true)
  })
})
