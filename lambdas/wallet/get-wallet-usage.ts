import * as z from 'zod'
import { range, readRange, usageOf } from '../../domain/wallet/statement.ts'
import { usageBy, usageRow } from '../../domain/wallet/usage.ts'
import { operation } from '../kit/operation.ts'

export const getWalletUsage = operation({
  id: 'getWalletUsage',
  summary: 'What was spent, by day, model or trigger',
  http: { method: 'GET', path: '/wallet/usage' },
  auth: 'user',
  scope: 'mcp:wallet.read',
  limit: 'read',
  input: z.strictObject({ ...range, by: usageBy.default('day') }),
  output: z.object({ usage: z.array(usageRow) }),
  errors: [],
  uses: ['wallets'],
  run: async ({ input, actor, deps, now }) => ({
    usage: await usageOf(deps, actor.userId, readRange(input, now), input.by, now),
  }),
})
