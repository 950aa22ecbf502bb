import * as z from 'zod'
import { session, showSession } from '../../domain/account/user.ts'
import { operation } from '../kit/operation.ts'

export const listSessions = operation({
  id: 'listSessions',
  summary: 'List the devices that are signed in',
  http: { method: 'GET', path: '/auth/sessions' },
  auth: 'session',
  viewed: 'account',
  output: z.object({ sessions: z.array(session) }),
  uses: { sessions: 'read' },
  run: async ({ actor, deps, now }) => ({
    sessions: (await deps.sessions.list(actor.userId, now)).map((record) => showSession(record, actor.sessionId)),
  }),
})
