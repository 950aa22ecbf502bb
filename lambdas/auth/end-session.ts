import * as z from 'zod'
import { notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const endSession = operation({
  id: 'endSession',
  summary: 'Sign out a device',
  description: 'The device is signed out at once. This can be the current session.',
  http: { method: 'DELETE', path: '/auth/sessions/{id}' },
  auth: 'session',
  input: z.strictObject({ id: z.string().max(100) }),
  output: z.object({ id: z.string(), signedOut: z.literal(true) }),
  errors: ['not-found'],
  uses: { sessions: 'write' },
  commits: true,
  run: async ({ input, actor, deps, outboxFor, setCookie }) => {
    if (!(await deps.sessions.close(actor.userId, input.id, outboxFor(input.id)))) throw notFound('session')
    if (input.id === actor.sessionId) setCookie('session', null)
    return { id: input.id, signedOut: true as const }
  },
})
