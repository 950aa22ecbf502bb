import * as z from 'zod'
import { sweepChannels as sweep } from '../../app/channels/sweep.ts'
import { job } from '../kit/job.ts'
import { processing } from './uses.ts'

export const sweepChannels = job({
  id: 'sweepChannels',
  on: { everyMinutes: 1 },
  input: z.unknown(),
  uses: processing,
  run: ({ deps, now }) => sweep(deps, now),
})
