import * as z from 'zod'
import { changeLimits } from '../../app/wallet/change-settings.ts'
import { limitSettings, limits, showLimits } from '../../domain/wallet/limits.ts'
import { operation } from '../kit/operation.ts'

export const setWalletLimits = operation({
  id: 'setWalletLimits',
  summary: 'Set the daily spending limits',
  description:
    'Caps the spending of a UTC day: in total, and by what started the turn. The caps apply at once, also to what ' +
    'was spent today.',
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
