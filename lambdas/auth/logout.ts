import * as z from 'zod'
import { operation } from '../kit/operation.ts'

export const logout = operation({
  id: 'logout',
  summary: 'Sign out of this browser',
  http: { method: 'POST', path: '/auth/logout' },
  auth: 'session',
  output: z.object({ signedOut: z.literal(true) }),
  uses: { sessions: 'write' },
  commits: true,
  run: async ({ actor, deps, outboxFor, setCookie }) => {
    await deps.sessions.close(actor.userId, actor.sessionId, outboxFor(actor.sessionId))
    setCookie('session', null)
    return { signedOut: true as const }
  },
})
