import type { AutoTopUp } from '../../domain/wallet/auto-topup.ts'
import type { LimitSettings, Limits } from '../../domain/wallet/limits.ts'
import type { UsageRow } from '../../domain/wallet/usage.ts'
import type { Wallet } from '../../domain/wallet/wallet.ts'
import { call } from '../client.ts'

export type UsageBy = 'day' | 'model' | 'trigger'

export const walletApi = {
  wallet: () => call<Wallet>('GET', '/wallet'),
  setLimits: (settings: LimitSettings) => call<{ limits: Limits }>('PUT', '/wallet/limits', settings),
  setAutoTopUp: (settings: AutoTopUp) => call<{ autoTopup: AutoTopUp }>('PUT', '/wallet/auto-topup', settings),
  usage: (by: UsageBy) => call<{ usage: UsageRow[] }>('GET', `/wallet/usage?by=${by}`),
}

/** Downloaded by the browser itself, so that it lands where downloads do. */
export const statementPath = '/api/wallet/statement'
