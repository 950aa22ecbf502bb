import { erasureCanceledMail } from '../../domain/account/mail-texts.ts'
import type { UserRecord } from '../../domain/account/user.ts'
import { isLive } from '../../domain/billing/subscription.ts'
import { invalid, rateLimited, unauthorized } from '../../domain/errors.ts'
import { readWindow } from '../../domain/tokens/rate-limits.ts'
import { changeInstance } from '../instance/change.ts'
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

export type SignInPorts = Pick<Ports, 'users' | 'wallets' | 'sessions' | 'instances' | 'bus' | 'events' | 'mail'> &
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
  if (user.eraseAt) await cancelErasure(deps, user, nowMs)
  const [opened] = await Promise.all([deps.sessions.open(user.id, nowMs, device), deps.wallets.open(user.id)])
  return opened
}

async function cancelErasure(deps: SignInPorts, user: UserRecord, nowMs: number): Promise<void> {
  const canceled = await deps.users.cancelErasure(user.id)
  const now = canceled ? null : await deps.users.find(user.id)
  if (now?.eraseAt) throw unauthorized('This account is being erased. Ask for a new code to start afresh.')
  if (!canceled) return
  await deps.mail.send({ to: user.email, ...erasureCanceledMail(deps.settings.publicOrigin) })
  const instance = isLive(user.subscription) ? await deps.instances.find(user.id) : null
  if (instance && instance.state !== 'deleted') await changeInstance(deps, user.id, 'wake', 'subscribed', nowMs)
}
