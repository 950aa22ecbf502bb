import type { Rollouts } from '../../../app/ports/instance.ts'
import { newRollout, rollout } from '../../../domain/instance/rollout.ts'
import type { Env } from '../../env.ts'
import { changed, get, ifStill } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { parse } from '../item.ts'

export const rollouts = (env: Env): Rollouts => ({
  async find(version) {
    const item = await get(env.table('rollouts'), { version })
    return item ? parse(rollout, item) : newRollout(version)
  },

  save({ version, state, healthy, failed, trying }, { revision }, ...also) {
    return changed(
      {
        ...itemAt<keyof typeof rollout.shape>(env.table('rollouts'), { version }),
        ...ifStill('revision', revision, { state, healthy, failed, trying }),
      },
      ...also,
    )
  },
})
