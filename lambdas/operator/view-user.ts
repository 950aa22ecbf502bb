import * as z from 'zod'
import { beginView } from '../../app/operator/view.ts'
import { aboutUser } from '../../domain/operator/trail.ts'
import { showView, view } from '../../domain/operator/view.ts'
import { operation } from '../kit/operation.ts'

export const viewUser = operation({
  id: 'viewUser',
  summary: 'Begin to see a user’s dashboard as they see it',
  description:
    'For fifteen minutes at most, in this session alone, one user at a time. Nothing can be changed, and nothing that was written is shown.',
  http: { method: 'POST', path: '/operator/users/{user}/view', status: 201 },
  auth: 'operator',
  commits: true,
  input: aboutUser,
  output: z.object({ view }),
  errors: ['not-found', 'conflict'],
  uses: { users: 'read', views: 'write' },
  run: async ({ input, actor, deps, now, outboxFor }) => ({
    view: showView(await beginView(deps, actor, { ...input, messages: false }, now, outboxFor)),
  }),
})
