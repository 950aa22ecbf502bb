import { checkNotOwn } from '../../app/operator/money.ts'
import { mustExist } from '../../app/operator/overview.ts'
import { suspendWallet } from '../../app/wallet/freeze.ts'
import { suspension } from '../../domain/operator/money.ts'
import { aboutUser } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const suspendUser = operation({
  id: 'suspendUser',
  summary: 'Stop all of a user’s spending',
  http: { method: 'POST', path: '/operator/users/{user}/suspend' },
  auth: 'operator',
  commits: true,
  input: aboutUser,
  output: suspension,
  errors: ['not-found'],
  uses: { events: 'write', suspensions: 'write', users: 'read', wallets: 'write' },
  run: async ({ input: { user, reason }, actor, deps, now, outboxFor }) => {
    checkNotOwn(actor, user)
    await mustExist(deps, user)
    return { suspended: true, changed: await suspendWallet(deps, user, reason, now, outboxFor(user)) }
  },
})
