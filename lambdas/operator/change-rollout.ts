import * as z from 'zod'
import { conflict } from '../../domain/errors.ts'
import { haltRollout, resumeRollout } from '../../domain/instance/rollout.ts'
import { shownRollout, showRollout } from '../../domain/operator/rollout.ts'
import { reason } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const changeRollout = operation({
  id: 'changeRollout',
  summary: 'Pause or resume the rollout of the current image',
  description:
    'While the rollout is paused, no further machine gets the image; machines that are trying it continue. After a ' +
    'resume, all machines can get it, including those where it failed.',
  http: { method: 'POST', path: '/operator/rollout' },
  auth: 'operator',
  commits: true,
  input: z.strictObject({ action: z.enum(['pause', 'resume']).meta({ example: 'pause' }), reason }),
  output: z.object({ rollout: shownRollout }),
  errors: ['conflict'],
  uses: { rollouts: 'write' },
  run: async ({ input, deps, outboxFor }) => {
    const rollout = await deps.rollouts.find(deps.settings.imageVersion)
    const next = input.action === 'pause' ? haltRollout(rollout) : resumeRollout(rollout)
    if (!(await deps.rollouts.save(next, rollout, outboxFor(rollout.version))))
      throw conflict('The rollout changed in the meantime. Read it again.')
    return { rollout: showRollout(next) }
  },
})
