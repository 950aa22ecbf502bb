import * as z from 'zod'
import { endConnections } from '../../app/socket/push.ts'
import { job } from '../kit/job.ts'

/** A revoked or removed token; a rerolled token may connect again during its grace period. */
export const onTokenEnded = job({
  id: 'onTokenEnded',
  on: {
    table: 'tokens',
    key: 'id',
    prefixes: ['tok_'],
    changes: ['MODIFY', 'REMOVE'],
    gaining: ['revokedAt', 'replacedBy'],
  },
  input: z.object({ before: z.object({ id: z.string(), userId: z.string() }) }),
  uses: { connections: 'write', sockets: 'write' },
  run: ({ input, deps }) => endConnections(deps, input.before.userId, { tokenId: input.before.id }),
})
