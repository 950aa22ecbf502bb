import * as z from 'zod'
import { account, showAccount } from '../../domain/account/user.ts'
import { unauthorized } from '../../domain/errors.ts'
import { timestamp } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const getSession = operation({
  id: 'getSession',
  summary: 'Who is signed in in this browser',
  http: { method: 'GET', path: '/auth/session' },
  auth: 'session',
  output: z.object({ account, signedInAt: timestamp }),
  uses: { users: 'read' },
  run: async ({ actor, deps }) => {
    const user = await deps.users.find(actor.userId)
    if (!user) throw unauthorized()
    return { account: showAccount(user), signedInAt: actor.signedInAt }
  },
})
