import * as z from 'zod'
import { statementOf } from '../../app/wallet/statement.ts'
import { dayRange, readDayRange } from '../../domain/wallet/usage.ts'
import { operation } from '../kit/operation.ts'
export const getWalletStatement = operation({
  id: 'getWalletStatement',
  summary: 'The ledger of a range of days as CSV',
  http: { method: 'GET', path: '/wallet/statement', file: { type: 'text/csv', name: 'statement.csv' } },
  auth: 'user',
  scope: 'mcp:wallet.read',
  input: z.strictObject(dayRange),
  output: z.string(),
  uses: { wallets: 'write' },
  run: ({ input, actor, deps, now }) => statementOf(deps, actor.userId, readDayRange(input, now)),
})
