import * as z from 'zod'
import { usageOf } from '../../app/wallet/usage.ts'
import { dayRange, readDayRange, usageBy, usageRow } from '../../domain/wallet/usage.ts'
import { operation } from '../kit/operation.ts'
export const getWalletUsage = operation({
  id: 'getWalletUsage',
  summary: 'What was spent, by day, model or trigger',
  http: { method: 'GET', path: '/wallet/usage' },
  auth: 'user',
  scope: 'mcp:wallet.read',
  input: z.strictObject({ ...dayRange, by: usageBy.default('day').meta({ description: 'What each row sums up.' }) }),
  output: z.object({ usage: z.array(usageRow) }),
  uses: { wallets: 'write' },
  run: async ({ input, actor, deps, now }) => ({
    usage: await usageOf(deps, actor.userId, readDayRange(input, now), input.by, now),
  }),
})
