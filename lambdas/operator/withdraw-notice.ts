import * as z from 'zod'
import { notFound } from '../../domain/errors.ts'
import { notice } from '../../domain/operator/notice.ts'
import { reason } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const withdrawNotice = operation({
  id: 'withdrawNotice',
  summary: 'Withdraw a notice',
  http: { method: 'POST', path: '/operator/notices/{notice}/withdraw' },
  auth: 'operator',
  commits: true,
  input: z.strictObject({ notice: notice.shape.id.max(100), reason }),
  output: z.object({ withdrawn: z.literal(true) }),
  errors: ['not-found'],
  uses: { notices: 'write' },
  run: async ({ input, deps, outboxFor }) => {
    if (!(await deps.notices.remove(input.notice, outboxFor(input.notice)))) throw notFound('notice')
    return { withdrawn: true as const }
  },
})
