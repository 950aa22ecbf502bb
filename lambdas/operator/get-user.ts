import * as z from 'zod'
import { readOverview } from '../../app/operator/overview.ts'
import { userOverview } from '../../domain/operator/overview.ts'
import { userId } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const getUser = operation({
  id: 'getUser',
  summary: 'A user’s account, subscription, wallet, instance and latest audit lines',
  description: 'No message, file or secret of the user’s. Leaves a line in the operators’ trail.',
  http: { method: 'GET', path: '/operator/users/{user}' },
  auth: 'operator',
  input: z.strictObject({ user: userId }),
  output: userOverview,
  errors: ['not-found'],
  uses: { users: 'read', wallets: 'read', instances: 'read', audit: 'read' },
  audit: ({ input }) => input.user,
  run: ({ input, deps, now }) => readOverview(deps, input.user, now),
})
