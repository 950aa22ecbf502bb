import * as z from 'zod'
import { reconcile } from '../../app/instance/reconcile.ts'
import { job } from '../kit/job.ts'
import { reconcileUses } from './uses.ts'

export const onInstanceWanted = job({
  id: 'onInstanceWanted',
  on: { bus: 'berth', source: 'berth', detailType: 'instance.wanted' },
  input: z.object({ userId: z.string() }),
  uses: reconcileUses,
  run: ({ input, deps, now }) => reconcile(deps, input.userId, now),
})
