import type { Wallets } from '../../../app/ports/wallet.ts'
import type { Env } from '../../env.ts'
import { checks } from './checks.ts'
import { holds } from './holds.ts'
import { ledger } from './ledger.ts'
import { payments } from './payments.ts'
import { settings } from './settings.ts'
import { settlements } from './settlements.ts'
import { usage } from './usage.ts'

export function wallets(env: Env): Wallets {
  const table = env.table('wallets')
  const moves = { ...settings(table), ...holds(table), ...settlements(table), ...ledger(table) }
  return { ...moves, ...payments(table), ...checks(table), ...usage(table) }
}
