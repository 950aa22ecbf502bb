import * as z from 'zod'
import type { Rollouts } from '../../domain/instance/ports.ts'
import { newRollout, type Rollout } from '../../domain/instance/rollout.ts'
import type { Env } from '../env.ts'
import { change, get } from './calls.ts'
import { parse } from './item.ts'

const stored = z.object({
  version: z.string(),
  revision: z.int(),
  state: z.enum(['rolling', 'halted']),
  healthy: z.int(),
  trying: z.record(z.string(), z.number()),
}) satisfies z.ZodType<Rollout>

/** One item for each image. */
export const rollouts = (env: Env): Rollouts => ({
  async find(version) {
    const item = await get(env.table('rollouts'), { version })
    return item ? parse(stored, item) : newRollout(version)
  },

  async save({ version, state, healthy, trying }, { revision }) {
    const written = await change({
      table: env.table('rollouts'),
      key: { version },
      update: 'SET #revision = :next, #state = :state, #healthy = :healthy, #trying = :trying',
      condition: revision === 0 ? 'attribute_not_exists(#revision)' : '#revision = :seen',
      values: {
        ':next': revision + 1,
        ':state': state,
        ':healthy': healthy,
        ':trying': trying,
        ...(revision !== 0 && { ':seen': revision }),
      },
    })
    return written.done
  },
})
