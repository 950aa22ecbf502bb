import * as z from 'zod'
import { startSweeps } from '../../app/instance/sweep-instances.ts'
import { reportHaltedRollout } from '../../app/instance/upgrade.ts'
import { job } from '../kit/job.ts'

export const sweep = job({
  id: 'sweep',
  on: { everyMinutes: 1 },
  input: z.unknown(),
  uses: { instances: 'read', rollouts: 'read', sweeps: 'write' },
  run: async ({ deps, now }) => {
    await reportHaltedRollout(deps)
    await startSweeps(deps, now)
  },
})
