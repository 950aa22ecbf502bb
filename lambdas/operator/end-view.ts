import * as z from 'zod'
import { endView as end } from '../../app/operator/view.ts'
import { aboutUser } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const endView = operation({
  id: 'endView',
  summary: 'End the view of a user',
  description:
    'Works from any session of the operator. A view that nobody ends is over after fifteen minutes, without an ' +
    'audit entry.',
  http: { method: 'POST', path: '/operator/users/{user}/view/end' },
  auth: 'operator',
  anySignInAge: true,
  commits: true,
  input: aboutUser,
  output: z.object({ ended: z.literal(true) }),
  errors: ['not-found'],
  uses: { views: 'write' },
  run: async ({ input, actor, deps, now, outboxFor }) => {
    await end(deps, actor, input.user, now, outboxFor)
    return { ended: true as const }
  },
})
