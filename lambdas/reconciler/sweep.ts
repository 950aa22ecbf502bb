import * as z from 'zod'
import { reconcileUses, sweepInstances } from '../../app/instance/reconcile.ts'
import { job } from '../kit/job.ts'

export const sweep = job({
  id: 'sweep',
  on: { everyMinutes: 1 },
  input: z.unknown(),
  uses: reconcileUses,
  run: ({ deps, now }) => sweepInstances(deps, now),
})
