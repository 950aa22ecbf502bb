import * as z from 'zod'
import { changeLimits } from '../../app/wallet/change-settings.ts'
import { limitSettings, limits, showLimits } from '../../domain/wallet/limits.ts'
import { operation } from '../kit/operation.ts'

export const setWalletLimits = operation({
  id: 'setWalletLimits',
  summary: 'Set how much may be spent in a day',
  description: 'Caps on a UTC day’s spending, in all and by what started the turn. They hold for today at once.',
  http: { method: 'PUT', path: '/wallet/limits' },
  auth: 'session',
  recentSignIn: { when: 'a limit is raised' },
  commits: true,
  input: limitSettings,
  output: z.object({ limits }),
  uses: { events: 'write', wallets: 'write' },
  run: async ({ input, actor, deps, now, outboxFor }) => ({
    limits: showLimits(await changeLimits(deps, actor, input, now, outboxFor(actor.userId)), now),
  }),
})
