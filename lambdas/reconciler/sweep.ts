import * as z from 'zod'
import { sweepAll } from '../../domain/instance/sweep.ts'
import { reaction } from '../kit/operation.ts'

export const sweep = reaction({
  id: 'sweep',
  on: { everyMinutes: 1 },
  input: z.unknown(),
  uses: ['instances', 'machines', 'machineTokens', 'events', 'wallets'],
  run: ({ deps, now }) => sweepAll(deps, now),
})
