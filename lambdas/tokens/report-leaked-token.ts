import * as z from 'zod'
import { revokeLeaked } from '../../app/tokens/leak.ts'
import { operation } from '../kit/operation.ts'

export const reportLeakedToken = operation({
  id: 'reportLeakedToken',
  summary: 'Report a token that was found in public',
  description:
    'Send the text of the token, in JSON (`{ "token": "oss_…" }`) or in any other form. The answer is the same whatever ' +
    'is sent; a genuine token is revoked and its owner told.',
  http: { method: 'POST', path: '/tokens/leaked', status: 202, rawBody: true },
  auth: 'none',
  limit: 'login',
  input: z.object({}),
  output: z.object({ received: z.literal(true) }),
  uses: { tokens: 'write', users: 'read', mail: 'write', events: 'write', audit: 'write', outbox: 'write' },
  run: async ({ deps, now, request }) => {
    await revokeLeaked(deps, request.rawBody, now)
    return { received: true as const }
  },
})
