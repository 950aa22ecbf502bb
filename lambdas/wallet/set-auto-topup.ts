import * as z from 'zod'
import { autoTopUp } from '../../domain/wallet/auto-topup.ts'
import { changeAutoTopUp } from '../../domain/wallet/change-settings.ts'
import { operation } from '../kit/operation.ts'

export const setAutoTopup = operation({
  id: 'setAutoTopup',
  summary: 'Set automatic top-up',
  description:
    'When balance and held money together fall to the threshold, the saved card is charged, up to the cap in a calendar ' +
    'month (UTC). Charging more or sooner needs a sign-in of the last ten minutes.',
  http: { method: 'PUT', path: '/wallet/auto-topup' },
  auth: 'session',
  limit: 'write',
  audit: ({ actor }) => ({ record: actor.userId }),
  input: z.strictObject(autoTopUp.shape),
  output: z.object({ autoTopup: autoTopUp }),
  errors: ['conflict'],
  uses: ['wallets'],
  run: async ({ input, actor, deps, now }) => ({
    autoTopup: (await changeAutoTopUp(deps, actor, input, now)).settings,
  }),
})
