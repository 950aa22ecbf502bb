import * as z from 'zod'
import { tellMachine } from '../../app/socket/push.ts'
import { job } from '../kit/job.ts'

export const onQuestionAnswered = job({
  id: 'onQuestionAnswered',
  on: { table: 'conversations', key: 'item', prefixes: ['qst_'], changes: ['MODIFY'], having: 'state' },
  input: z.object({ after: z.object({ userId: z.string(), item: z.string() }) }),
  uses: { connections: 'write', sockets: 'write' },
  run: ({ input: { after }, deps }) => tellMachine(deps, after.userId, { type: 'answered', questionId: after.item }),
})
