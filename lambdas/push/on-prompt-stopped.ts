import * as z from 'zod'
import { tellMachine } from '../../app/socket/push.ts'
import { job } from '../kit/job.ts'

export const onPromptStopped = job({
  id: 'onPromptStopped',
  on: { table: 'conversations', key: 'item', prefixes: ['prm_'], changes: ['MODIFY'], having: 'stoppedAt' },
  input: z.object({ after: z.object({ userId: z.string(), item: z.string() }) }),
  uses: { connections: 'write', sockets: 'write' },
  run: ({ input: { after }, deps }) => tellMachine(deps, after.userId, { type: 'stop', promptId: after.item }),
})
