import type { Wallets } from '../../../app/wallet/ports.ts'
import type { Env } from '../../env.ts'
import { checks } from './checks.ts'
import { holds } from './holds.ts'
import { ledger } from './ledger.ts'
import { settings } from './settings.ts'
import { settlements } from './settlements.ts'

export function wallets(env: Env): Wallets {
  const table = env.table('wallets')
  return { ...settings(table), ...holds(table), ...settlements(table), ...ledger(table), ...checks(table) }
}
