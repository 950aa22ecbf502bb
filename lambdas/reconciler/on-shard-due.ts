import * as z from 'zod'
import { sweepShard } from '../../app/instance/sweep-instances.ts'
import { shards } from '../../domain/ids.ts'
import { job } from '../kit/job.ts'
import { reconcileUses } from './uses.ts'

export const onShardDue = job({
  id: 'onShardDue',
  on: { bus: 'berth', source: 'berth', detailType: 'shard.due' },
  input: z.object({
    shard: z
      .int()
      .min(0)
      .max(shards - 1),
  }),
  uses: { ...reconcileUses, leases: 'write' },
  run: ({ input, deps, now }) => sweepShard(deps, input.shard, now),
})
