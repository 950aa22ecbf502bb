import * as z from 'zod'
import { conflict } from '../../domain/errors.ts'
import { maxNotices, newNotice, newNoticeInput, noticeRecord } from '../../domain/operator/notice.ts'
import { reason } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const broadcastNotice = operation({
  id: 'broadcastNotice',
  summary: 'Send a notice to all or some users',
  description:
    'The dashboard shows the notice until it expires or the reader dismisses it. Named users are also notified, and ' +
    'get an e-mail unless they turned such e-mails off.',
  http: { method: 'POST', path: '/operator/notices', status: 201 },
  auth: 'operator',
  creates: true,
  commits: true,
  input: newNoticeInput.extend({ reason }),
  output: z.object({ notice: noticeRecord }),
  errors: ['conflict'],
  uses: { notices: 'write', events: 'write' },
  run: async ({ input: { reason: _, ...content }, actor, deps, now, outboxFor }) => {
    if ((await deps.notices.standing(now)).length >= maxNotices)
      throw conflict(`${maxNotices} notices are the maximum. Withdraw one first.`)
    const notice = newNotice(deps.ids.next('ntc'), content, actor.userId, now)
    await deps.notices.add(notice, outboxFor(notice.id))
    const { id, text, to } = notice
    await Promise.all((to ?? []).map((user) => deps.events.record(user, 'notice.published', { id, text })))
    return { notice }
  },
})
