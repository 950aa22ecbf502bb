import * as z from 'zod'
import { notice, noticesFor } from '../../domain/operator/notice.ts'
import { operation } from '../kit/operation.ts'

export const listNotices = operation({
  id: 'listNotices',
  summary: 'List the notices to all users and to you',
  http: { method: 'GET', path: '/notices' },
  auth: 'session',
  viewed: 'account',
  output: z.object({ notices: z.array(notice).meta({ description: 'Newest first.' }) }),
  uses: { notices: 'read' },
  run: async ({ actor, deps, now }) => ({ notices: noticesFor(await deps.notices.standing(now), actor.userId) }),
})
