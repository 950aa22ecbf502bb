import type { UserRecord } from '../../../domain/account/user.ts'
import { isErased, isSuspended, listedPlanOf } from '../../../domain/operator/listed-user.ts'
import type { Env } from '../../env.ts'
import { readUser, userAt } from '../account/users.ts'
import { changed, changeInput, get, transact } from '../calls.ts'
import { readWallet, walletAt } from '../wallet/item.ts'
import { suspendedList, suspensionPut } from './suspensions.ts'

/** For an operator's command. No function of the service imports this. */
interface DirectoryBackfill {
  /** Adds a user of an earlier release to the operators' list, or corrects the entry. False if nothing was missing. */
  add(userId: string, nowMs: number): Promise<boolean>
}

export const directoryBackfill = (env: Env): DirectoryBackfill => ({
  async add(userId, nowMs) {
    const item = await get(env.table('users'), { id: userId })
    if (!item) return false
    const user = readUser(item)
    const isMissing = !isErased(user) && item.listed?.S !== listedPlanOf(user)
    const added = isMissing && (await addUser(env.table('users'), user))
    return (await addSuspension(env, userId, nowMs)) || added
  },
})

/** Only if the plan is still the one that was read; a later write of the plan lists the user itself. */
function addUser(table: string, user: UserRecord): Promise<boolean> {
  const trial = user.trial === null ? 'attribute_not_exists(#trial)' : 'attribute_exists(#trial)'
  return changed({
    ...userAt(table, user.id),
    update: 'SET #listed = :listed',
    condition: `#subscriptionAsOf = :asOf AND #email = :email AND attribute_not_exists(#erasedAt) AND ${trial}`,
    values: { ':listed': listedPlanOf(user), ':asOf': user.subscriptionAsOf, ':email': user.email },
  })
}

async function addSuspension(env: Env, userId: string, nowMs: number): Promise<boolean> {
  const wallet = await readWallet(env.table('wallets'), userId)
  if (!wallet || !isSuspended(wallet)) return false
  const listed = await get(env.table('console'), { list: suspendedList, id: userId })
  if (listed) return false
  // Changes nothing; the transaction fails if the suspension has ended.
  const still = changeInput({
    ...walletAt(env.table('wallets'), userId),
    update: 'SET #frozen = :reason',
    condition: '#frozen = :reason',
    values: { ':reason': wallet.frozen },
  })
  return (await transact([{ Update: still }, { Put: suspensionPut(env.table('console'), userId, nowMs) }])).done
}
