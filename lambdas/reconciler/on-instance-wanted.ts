import * as z from 'zod'
import { drive } from '../../domain/instance/drive.ts'
import { reaction } from '../kit/operation.ts'

export const onInstanceWanted = reaction({
  id: 'onInstanceWanted',
  on: { bus: 'berth', source: 'berth', detailType: 'instance.wanted' },
  input: z.object({ userId: z.string() }),
  uses: ['instances', 'machines', 'machineTokens', 'events'],
  run: ({ input, deps, now }) => drive(deps, input.userId, now),
})
