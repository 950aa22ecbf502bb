import * as z from 'zod'
import { beginView } from '../../app/operator/view.ts'
import { aboutUser } from '../../domain/operator/trail.ts'
import { showView, view } from '../../domain/operator/view.ts'
import { operation } from '../kit/operation.ts'

export const viewUserMessages = operation({
  id: 'viewUserMessages',
  summary: 'Begin to see a user’s dashboard with their messages',
  description:
    'As `viewUser`, and what was written is shown as well: conversations, personas, schedules, hooks and logs; no file. The trails name it by this id.',
  http: { method: 'POST', path: '/operator/users/{user}/view-with-messages', status: 201 },
  auth: 'operator',
  commits: true,
  input: aboutUser,
  output: z.object({ view }),
  errors: ['not-found', 'conflict'],
  uses: { users: 'read', views: 'write' },
  run: async ({ input, actor, deps, now, outboxFor }) => ({
    view: showView(await beginView(deps, actor, { ...input, messages: true }, now, outboxFor)),
  }),
})
