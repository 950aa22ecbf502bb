import * as z from 'zod'
import { sweepGraces } from '../../domain/billing/grace.ts'
import { reaction } from '../kit/operation.ts'

export const sweepEndedSubscriptions = reaction({
  id: 'sweepEndedSubscriptions',
  on: { everyMinutes: 15 },
  input: z.unknown(),
  uses: ['graces', 'users', 'instances', 'bus', 'events', 'mail'],
  run: ({ deps, now }) => sweepGraces(deps, now),
})
