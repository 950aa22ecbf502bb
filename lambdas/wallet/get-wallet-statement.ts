import * as z from 'zod'
import { range, readRange, statementOf } from '../../domain/wallet/statement.ts'
import { operation } from '../kit/operation.ts'

export const getWalletStatement = operation({
  id: 'getWalletStatement',
  summary: 'The ledger of a range of days as CSV',
  http: { method: 'GET', path: '/wallet/statement', file: { type: 'text/csv', name: 'statement.csv' } },
  auth: 'user',
  scope: 'mcp:wallet.read',
  limit: 'read',
  input: z.strictObject(range),
  output: z.string(),
  errors: [],
  uses: ['wallets'],
  run: ({ input, actor, deps, now }) => statementOf(deps, actor.userId, readRange(input, now)),
})
