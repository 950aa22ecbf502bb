import * as z from 'zod'
import { readOverview } from '../../app/operator/overview.ts'
import { userOverview } from '../../domain/operator/overview.ts'
import { userId } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const getUser = operation({
  id: 'getUser',
  summary: 'Get a user’s account, subscription, wallet, instance and latest audit entries',
  description:
    'The answer contains no message, file or secret of the user. The request is recorded in the operators’ audit ' +
    'trail.',
  http: { method: 'GET', path: '/operator/users/{user}' },
  auth: 'operator',
  input: z.strictObject({ user: userId }),
  output: userOverview,
  errors: ['not-found'],
  uses: { users: 'read', wallets: 'read', instances: 'read', audit: 'read' },
  audit: ({ input }) => input.user,
  run: ({ input, deps, now }) => readOverview(deps, input.user, now),
})
