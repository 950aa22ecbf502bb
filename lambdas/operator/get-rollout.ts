import * as z from 'zod'
import { shownRollout, showRollout } from '../../domain/operator/rollout.ts'
import { operation } from '../kit/operation.ts'

export const getRollout = operation({
  id: 'getRollout',
  summary: 'Get the progress of the agent’s current image',
  http: { method: 'GET', path: '/operator/rollout' },
  auth: 'operator',
  output: z.object({ rollout: shownRollout }),
  uses: { rollouts: 'read' },
  run: async ({ deps }) => ({ rollout: showRollout(await deps.rollouts.find(deps.settings.imageVersion)) }),
})
