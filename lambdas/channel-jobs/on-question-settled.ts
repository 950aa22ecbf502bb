import * as z from 'zod'
import { showAnswer } from '../../app/channels/end-reply.ts'
import { job } from '../kit/job.ts'

export const onQuestionSettled = job({
  id: 'onQuestionSettled',
  on: { table: 'conversations', key: 'item', prefixes: ['qst_'], changes: ['MODIFY'], having: 'state' },
  input: z.object({ after: z.object({ userId: z.string(), item: z.string() }) }),
  uses: { outgoingMessages: 'write', questions: 'read' },
  run: ({ input: { after }, deps, now }) => showAnswer(deps, after.userId, after.item, now),
})
