import * as z from 'zod'
import { driveUses } from '../../domain/instance/drive.ts'
import { sweepInstances } from '../../domain/instance/sweep.ts'
import { reaction } from '../kit/operation.ts'

export const sweep = reaction({
  id: 'sweep',
  on: { everyMinutes: 1 },
  input: z.unknown(),
  uses: driveUses,
  run: ({ deps, now }) => sweepInstances(deps, now),
})
