import * as z from 'zod'
import { deliver } from '../../app/channels/deliver.ts'
import { job } from '../kit/job.ts'
import { sending } from './uses.ts'

export const onMessageReady = job({
  id: 'onMessageReady',
  on: { table: 'channels', key: 'item', prefixes: ['out#'], changes: ['INSERT', 'MODIFY'], having: 'dueShard' },
  input: z.object({ after: z.object({ userId: z.string(), key: z.string(), dueAt: z.int().optional() }) }),
  uses: sending,
  run: async ({ input: { after }, deps, now }) => {
    // A claimed or failed delivery is due later: the sweep picks it up.
    if (after.dueAt !== undefined && after.dueAt <= now) await deliver(deps, after.userId, after.key, now)
  },
})
