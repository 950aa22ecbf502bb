import * as z from 'zod'
import { revokeLeaked } from '../../app/tokens/leak.ts'
import { operation } from '../kit/operation.ts'

export const reportLeakedToken = operation({
  id: 'reportLeakedToken',
  summary: 'Report a token that was found in a public place',
  description:
    'Send the token as JSON (`{ "token": "oss_…" }`) or as any text. The answer is always the same. A genuine token ' +
    'is revoked, and its owner is notified.',
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
