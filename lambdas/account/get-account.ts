import * as z from 'zod'
import { account, showAccount } from '../../domain/account/user.ts'
import { unauthorized } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const getAccount = operation({
  id: 'getAccount',
  summary: 'Your account',
  http: { method: 'GET', path: '/account' },
  auth: 'session',
  viewed: 'account',
  output: z.object({ account }),
  uses: { users: 'read' },
  run: async ({ actor, deps }) => {
    const user = await deps.users.find(actor.userId)
    if (!user) throw unauthorized()
    return { account: showAccount(user) }
  },
})
