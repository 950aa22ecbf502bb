import * as z from 'zod'
import { changeAutoTopup } from '../../app/wallet/change-settings.ts'
import { autoTopup } from '../../domain/wallet/auto-topup.ts'
import { operation } from '../kit/operation.ts'

export const setAutoTopup = operation({
  id: 'setAutoTopup',
  summary: 'Set automatic top-up',
  description:
    'When the balance and the held money together fall to the threshold, the saved card is charged, up to the cap ' +
    'per calendar month (UTC).',
  http: { method: 'PUT', path: '/wallet/auto-topup' },
  auth: 'session',
  recentSignIn: { when: 'it would charge more, or sooner' },
  commits: true,
  input: z.strictObject(autoTopup.shape),
  output: z.object({ autoTopup: autoTopup }),
  errors: ['conflict'],
  uses: { events: 'write', wallets: 'write' },
  run: async ({ input, actor, deps, now, outboxFor }) => ({
    autoTopup: (await changeAutoTopup(deps, actor, input, now, outboxFor(actor.userId))).settings,
  }),
})
