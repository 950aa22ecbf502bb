import * as z from 'zod'
import { processChat } from '../../app/channels/process.ts'
import { chat } from '../../domain/channels/inbound.ts'
import { job } from '../kit/job.ts'
import { processing } from './uses.ts'

export const onChatHappened = job({
  id: 'onChatHappened',
  on: { table: 'channels', key: 'item', prefixes: ['in#'], changes: ['INSERT'] },
  input: z.object({ after: z.object({ inbound: z.object({ id: z.string(), chat }) }) }),
  uses: processing,
  run: ({ input, deps, now }) => processChat(deps, input.after.inbound.chat, input.after.inbound.id, now),
})
