import * as z from 'zod'
import { pushWork } from '../../app/socket/push.ts'
import { job } from '../kit/job.ts'

export const onWorkAdded = job({
  id: 'onWorkAdded',
  on: { table: 'conversations', key: 'item', prefixes: ['prm_', 'tsk_'], changes: ['INSERT'] },
  input: z.object({ after: z.object({ userId: z.string() }) }),
  uses: { connections: 'write', sockets: 'write' },
  run: ({ input, deps }) => pushWork(deps, input.after.userId),
})
