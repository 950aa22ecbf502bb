import type { Sweeps } from '../../app/ports/instance.ts'
import type { Env } from '../env.ts'
import { putEvent } from './put-event.ts'

/** Events on the bus; each starts the function that sweeps the shard. */
export const sweeps = (env: Env): Sweeps => {
  const put = putEvent(env)
  return { start: (shard) => put('shard.due', { shard }) }
}
