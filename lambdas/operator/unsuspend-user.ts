import { checkNotOwn } from '../../app/operator/money.ts'
import { unsuspendWallet } from '../../app/wallet/freeze.ts'
import { suspension } from '../../domain/operator/money.ts'
import { aboutUser } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const unsuspendUser = operation({
  id: 'unsuspendUser',
  summary: 'Allow a suspended user to spend again',
  http: { method: 'POST', path: '/operator/users/{user}/unsuspend' },
  auth: 'operator',
  commits: true,
  input: aboutUser,
  output: suspension,
  uses: { events: 'write', suspensions: 'write', wallets: 'write' },
  run: async ({ input: { user }, actor, deps, now, outboxFor }) => {
    checkNotOwn(actor, user)
    return { suspended: false, changed: await unsuspendWallet(deps, user, now, outboxFor(user)) }
  },
})
