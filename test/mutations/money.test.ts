import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { mutations } from './mutations.ts'

const repo = join(import.meta.dirname, '../..')

/** Files of each folder that contain a rule or a write of money. */
const rules: Record<string, string[]> = {
  'domain/wallet': ['holds', 'ledger', 'limits', 'auto-topup'],
  'domain/billing': ['checkout', 'payment-steps', 'top-up', 'reversals', 'subscription', 'grace-period'],
  'app/billing': ['auto-topup', 'reversal', 'subscription', 'top-up'],
  'adapters/dynamo/trial': ['trials'],
  'adapters/dynamo/wallet': ['holds', 'settlements', 'ledger', 'item', 'settings'],
}
const deciding = (folder: string) => (rules[folder] ?? []).map((name) => `${folder}/${name}.ts`)

describe('mutations of money', () => {
  test.each(mutations)(
    '$breaks: the text to replace occurs once, and the suite exists',
    ({ file, search, replace, suite }) => {
      expect(readFileSync(join(repo, file), 'utf8').split(search)).toHaveLength(2)
      expect(replace).not.toBe(search)
      const folder = join(repo, dirname(suite))
      const found = readdirSync(folder).filter((name) => name.startsWith(suite.split('/').pop() ?? ''))
      expect(found.length).toBeGreaterThan(0)
    },
  )

  test('cover each file that decides or writes money', () => {
    const broken = new Set(mutations.map(({ file }) => file))
    for (const file of Object.keys(rules).flatMap(deciding)) expect(broken).toContain(file)
    expect(existsSync(join(repo, 'proofs/money.ts'))).toBe(true)
  })
})
