import * as z from 'zod'
import { eraseDue } from '../../domain/account/erase.ts'
import { reaction } from '../kit/operation.ts'

export const eraseAccounts = reaction({
  id: 'eraseAccounts',
  on: { everyMinutes: 15 },
  input: z.unknown(),
  uses: ['users', 'sessions', 'tokens', 'instances', 'schedules', 'timers', 'bus', 'events', 'erasure', 'audit'],
  run: ({ deps, now }) => eraseDue(deps, now),
})
