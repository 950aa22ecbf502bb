import * as z from 'zod'
import { type Rollout, rollout } from '../instance/rollout.ts'
import { userId } from './trail.ts'

export const shownRollout = z
  .object({
    version: z.string().meta({ example: '1.0.0' }),
    state: rollout.shape.state,
    healthy: z.int().meta({ description: 'The number of healthy machines with the image.' }),
    trying: z.array(userId).meta({ description: 'Users whose machines are trying the image.' }),
    failed: z
      .array(userId)
      .meta({ description: 'Users on whose machines the image failed; they keep the previous image.' }),
  })
  .meta({ id: 'Rollout' })

export const showRollout = ({ version, state, healthy, trying, failed }: Rollout): z.infer<typeof shownRollout> => ({
  version,
  state,
  healthy,
  trying: Object.keys(trying),
  failed: Object.keys(failed),
})
