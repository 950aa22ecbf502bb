import * as z from 'zod'
import { conflict } from '../../domain/errors.ts'
import { maxNotices, newNotice, newNoticeInput, noticeRecord } from '../../domain/operator/notice.ts'
import { reason } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const broadcastNotice = operation({
  id: 'broadcastNotice',
  summary: 'Tell all users something, or some',
  description:
    'In the dashboard, until its time is over or its reader has dismissed it. Users who are named are notified as well, and mailed unless they switched that off.',
  http: { method: 'POST', path: '/operator/notices', status: 201 },
  auth: 'operator',
  creates: true,
  commits: true,
  input: newNoticeInput.extend({ reason }),
  output: z.object({ notice: noticeRecord }),
  errors: ['conflict'],
  uses: { notices: 'write', events: 'write' },
  run: async ({ input: { reason: _, ...asked }, actor, deps, now, outboxFor }) => {
    if ((await deps.notices.standing(now)).length >= maxNotices)
      throw conflict(`${maxNotices} notices stand at once at most. Withdraw one first.`)
    const notice = newNotice(deps.ids.next('ntc'), asked, actor.userId, now)
    await deps.notices.add(notice, outboxFor(notice.id))
    const { id, text, to } = notice
    await Promise.all((to ?? []).map((user) => deps.events.record(user, 'notice.published', { id, text })))
    return { notice }
  },
})
