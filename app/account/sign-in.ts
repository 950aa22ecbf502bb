import { erasureCanceledMail } from '../../domain/account/mail-texts.ts'
import type { UserRecord } from '../../domain/account/user.ts'
import { isLive } from '../../domain/billing/subscription.ts'
import { invalid, rateLimited, unauthorized } from '../../domain/errors.ts'
import { isAsleep } from '../../domain/instance/instance.ts'
import { readWindow } from '../../domain/tokens/rate-limits.ts'
import { changeInstance } from '../instance/change.ts'
import { commit, type FollowUp, sendMail } from '../outbox/commit.ts'
import type { Basics, Ports } from '../ports.ts'

/** The secret a sign-in was mailed: the code, or the link's token. @throws validation unless exactly one is given */
export function signInSecret({ code, token }: { code?: string; token?: string }): string {
  const secret = code ?? token
  if (!secret || (code && token)) throw invalid('code', 'send the mailed code, or the token of the mailed link.')
  return secret
}

/** Counts a sign-in of this address, whoever asks from wherever. @throws rate-limited */
export async function countAddress(
  deps: Pick<Ports, 'rates'>,
  operation: string,
  email: string,
  nowMs: number,
): Promise<void> {
  const admission = await deps.rates.admit(`${operation}#${email}`, 'email', nowMs)
  if (!admission.admitted && admission.because === 'limited')
    throw rateLimited(readWindow('email', admission.counts, nowMs).resetSeconds)
}

export type SignInPorts = Pick<
  Ports,
  'users' | 'wallets' | 'sessions' | 'instances' | 'bus' | 'events' | 'mail' | 'outbox'
> &
  Basics

/**
 * Opens a session for somebody who proved who they are. An account that was to be erased is kept by this.
 * @throws unauthorized when the account's erasure is under way
 */
export async function openSession(
  deps: SignInPorts,
  user: UserRecord,
  device: string,
  nowMs: number,
): Promise<{ cookie: string }> {
  if (user.eraseAt) await cancelErasure(deps, user)
  const [opened] = await Promise.all([deps.sessions.open(user.id, nowMs, device), deps.wallets.open(user.id)])
  return opened
}

/** Why the wallet of a closed account is suspended. */
export const closedReason = 'the account is closed'

type ReopenPorts = Pick<Ports, 'users' | 'wallets' | 'instances' | 'bus' | 'events'> & Pick<Basics, 'clock'>

/** Gives an account that stays its wallet and its instance back; repeating it changes nothing more. */
export async function reopenAccount(deps: ReopenPorts, userId: string): Promise<void> {
  const user = await deps.users.find(userId)
  if (!user || user.eraseAt) return
  await deps.wallets.unfreeze(userId, deps.clock.now(), closedReason)
  const instance = isLive(user.subscription) ? await deps.instances.find(userId) : null
  if (instance?.reason === 'billing' && isAsleep(instance))
    await changeInstance(deps, userId, 'wake', 'subscribed', deps.clock.now())
}

async function cancelErasure(deps: SignInPorts, { id, email }: UserRecord): Promise<void> {
  const followUps = [
    sendMail(deps, { to: email, ...erasureCanceledMail(deps.settings.publicOrigin) }),
    { intent: { kind: 'reopen' }, run: () => reopenAccount(deps, id) } satisfies FollowUp,
  ]
  const { result: canceled } = await commit(deps, id, { followUps }, () => deps.users.cancelErasure(id))
  const now = canceled ? null : await deps.users.find(id)
  if (now?.eraseAt) throw unauthorized('This account is being erased. Ask for a new code to start afresh.')
}
