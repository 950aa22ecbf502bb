import * as z from 'zod'
import { sweepInstances } from '../../app/instance/reconcile.ts'
import { reportHaltedRollout } from '../../app/instance/upgrade.ts'
import { job } from '../kit/job.ts'
import { reconcileUses } from '../reconciler/uses.ts'

export const sweep = job({
  id: 'sweep',
  on: { everyMinutes: 1 },
  input: z.unknown(),
  uses: reconcileUses,
  run: async ({ deps, now }) => {
    await reportHaltedRollout(deps)
    await sweepInstances(deps, now)
  },
})
