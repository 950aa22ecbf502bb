import * as z from 'zod'
import { deleteAccount as remove } from '../../app/account/erase.ts'
import { unauthorized } from '../../domain/errors.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { operation } from '../kit/operation.ts'

export const deleteAccount = operation({
  id: 'deleteAccount',
  summary: 'Delete the account',
  description:
    'Ends all sessions and tokens and stops the agent at once. After 30 days everything is erased, except the ' +
    'ledger, which is kept without a name. A sign-in before that keeps the account. The subscription is not ' +
    'renewed. Requires a sign-in at most 10 minutes old.',
  http: { method: 'DELETE', path: '/account', status: 202 },
  auth: 'session',
  recentSignIn: true,
  output: z.object({ eraseAt: timestamp }),
  errors: ['conflict'],
  uses: {
    users: 'write',
    sessions: 'write',
    tokens: 'write',
    instances: 'write',
    wallets: 'write',
    bus: 'write',
    events: 'write',
    mail: 'write',
  },
  commits: true,
  run: async ({ actor, deps, now, outboxFor, setCookie }) => {
    const user = await deps.users.find(actor.userId)
    if (!user) throw unauthorized()
    const eraseAt = await remove(deps, user, now, outboxFor)
    setCookie('session', null)
    return { eraseAt }
  },
})
