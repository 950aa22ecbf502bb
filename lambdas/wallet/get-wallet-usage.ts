import * as z from 'zod'
import { readUsage } from '../../app/wallet/usage.ts'
import { dayRange, readDayRange } from '../../domain/wallet/usage.ts'
import { reportUsage, usageBy, usageFilters, usageReport } from '../../domain/wallet/usage-report.ts'
import { operation } from '../kit/operation.ts'

export const getWalletUsage = operation({
  id: 'getWalletUsage',
  summary: 'Get spending by day, model, trigger, token or conversation',
  description:
    'Returns days, rows and totals of at most three years. Calls from before tokens and conversations were recorded ' +
    'have `unknown` in their place.',
  http: { method: 'GET', path: '/wallet/usage' },
  auth: 'user',
  scope: 'mcp:wallet.read',
  viewed: 'account',
  input: z.strictObject({
    ...dayRange,
    by: usageBy.default('day').meta({ description: 'The dimension whose values are the rows.' }),
    ...usageFilters,
  }),
  output: usageReport,
  uses: { wallets: 'read' },
  run: async ({ input, actor, deps, now }) =>
    reportUsage(await readUsage(deps, actor.userId, readDayRange(input, now), now), input.by, input),
})
