import * as z from 'zod'
import { endConnections } from '../../app/socket/push.ts'
import { job } from '../kit/job.ts'

export const onSessionEnded = job({
  id: 'onSessionEnded',
  on: { table: 'sessions', key: 'id', prefixes: ['ses_'], changes: ['REMOVE'] },
  input: z.object({ before: z.object({ id: z.string(), userId: z.string() }) }),
  uses: { connections: 'write', sockets: 'write' },
  run: ({ input, deps }) => endConnections(deps, input.before.userId, { sessionId: input.before.id }),
})
