import * as z from 'zod'
import { growReply } from '../../app/channels/deliver.ts'
import { job } from '../kit/job.ts'
import { sending } from './uses.ts'

export const onReplyGrew = job({
  id: 'onReplyGrew',
  on: { table: 'channels', key: 'item', prefixes: ['out#'], changes: ['INSERT', 'MODIFY'], having: 'draft' },
  input: z.object({ after: z.object({ userId: z.string(), key: z.string(), draft: z.string().optional() }) }),
  uses: sending,
  run: async ({ input: { after }, deps, now }) => {
    if (after.draft !== undefined) await growReply(deps, after.userId, after.key, now)
  },
})
