import * as z from 'zod'
import { noticeRecord } from '../../domain/operator/notice.ts'
import { operation } from '../kit/operation.ts'

export const listOperatorNotices = operation({
  id: 'listOperatorNotices',
  summary: 'List the current notices and their recipients',
  http: { method: 'GET', path: '/operator/notices' },
  auth: 'operator',
  output: z.object({ notices: z.array(noticeRecord) }),
  uses: { notices: 'read' },
  run: async ({ deps, now }) => ({ notices: await deps.notices.standing(now) }),
})
