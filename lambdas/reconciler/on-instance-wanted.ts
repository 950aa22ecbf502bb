import * as z from 'zod'
import { drive, driveUses } from '../../domain/instance/drive.ts'
import { reaction } from '../kit/operation.ts'

export const onInstanceWanted = reaction({
  id: 'onInstanceWanted',
  on: { bus: 'berth', source: 'berth', detailType: 'instance.wanted' },
  input: z.object({ userId: z.string() }),
  uses: driveUses,
  run: ({ input, deps, now }) => drive(deps, input.userId, now),
})
