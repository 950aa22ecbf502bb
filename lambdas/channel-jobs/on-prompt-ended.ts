import * as z from 'zod'
import { endReply } from '../../app/channels/end-reply.ts'
import { outcome } from '../../domain/chat/message.ts'
import { job } from '../kit/job.ts'

export const onPromptEnded = job({
  id: 'onPromptEnded',
  on: { table: 'conversations', key: 'item', prefixes: ['end#prm_'], changes: ['INSERT'] },
  input: z.object({ after: z.object({ userId: z.string(), item: z.string(), outcome }) }),
  uses: { outgoingMessages: 'write' },
  run: ({ input: { after }, deps, now }) =>
    endReply(deps, after.userId, after.item.slice('end#'.length), after.outcome, now),
})
