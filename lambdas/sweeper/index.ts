import { area } from '../kit/area.ts'
import { onShardDue } from '../reconciler/on-shard-due.ts'
import { sweep } from './sweep.ts'

/** The reserve covers a sweep of each of the 16 shards at once, and the job that starts them. */
export const sweeperArea = area({
  name: 'sweeper',
  jobs: [sweep, onShardDue],
  timeoutSeconds: 120,
  reservedConcurrency: 20,
})
