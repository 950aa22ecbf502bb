import { erasureCanceledMail, signInMail } from '../../domain/account/mail-texts.ts'
import { type MailedSecrets, mailLimits } from '../../domain/account/sign-in-limits.ts'
import { newlyAccepted } from '../../domain/account/terms.ts'
import type { TermsVersion } from '../../domain/account/terms-versions.ts'
import type { UserRecord } from '../../domain/account/user.ts'
import { isLive } from '../../domain/billing/subscription.ts'
import { invalid, unauthorized } from '../../domain/errors.ts'
import { iso } from '../../domain/time.ts'
import { closedReason } from '../../domain/wallet/state.ts'
import { provision, suspend } from '../billing/provision.ts'
import type { ChangePorts } from '../instance/change.ts'
import { type FollowUp, outboxOf, sendMail } from '../outbox/outbox.ts'
import type { Logins, Sessions, Users } from '../ports/account.ts'
import type { Basics, Settings } from '../ports/basics.ts'
import type { GracePeriods } from '../ports/billing.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Intents } from '../ports/outbox.ts'
import type { Part } from '../ports/part.ts'
import type { Wallets } from '../ports/wallet.ts'
import { startTrialInstance } from '../trial/start-trial.ts'
import { unfreezeWallet } from '../wallet/freeze.ts'

const attemptsKept = mailLimits.own.hour

const attemptsIn = (cookie: string | null): string[] =>
  (cookie ?? '')
    .split('.')
    .filter((attempt) => /^[\w-]{43}$/.test(attempt))
    .slice(0, attemptsKept)

/** Codes of earlier attempts stay valid. */
export const addAttempt = (cookie: string | null, attempt: string): string =>
  [attempt, ...attemptsIn(cookie)].slice(0, attemptsKept).join('.')

/** If sending fails, code and link are used up at once, so they do not block the next mail. */
export async function mailSecrets(
  deps: { logins: Logins; mail: Mail; settings: Settings },
  to: string,
  secrets: MailedSecrets,
  nowMs: number,
): Promise<void> {
  try {
    await deps.mail.send({ to, ...signInMail(secrets, to, deps.settings.publicOrigin) })
  } catch (error) {
    await deps.logins.redeemLink(to, secrets.token, nowMs)
    throw error
  }
}

/** Uses up a code of this browser's attempts, or a link's token. @throws validation unless exactly one is given */
export async function redeemSecret(
  { logins }: { logins: Logins },
  { email, code, token }: { email: string; code?: string; token?: string },
  cookie: string | null,
  nowMs: number,
): Promise<boolean> {
  if (code && !token) return logins.redeemCode(email, attemptsIn(cookie), code, nowMs)
  if (token && !code) return logins.redeemLink(email, token, nowMs)
  throw invalid('code', 'send the code from the e-mail, or the token of the link.')
}

type SignInPorts = ReopenPorts & { sessions: Sessions; mail: Mail; outbox: Intents }

export async function acceptShown(
  { users }: { users: Users },
  user: UserRecord,
  shown: TermsVersion | undefined,
  nowMs: number,
): Promise<void> {
  const accepted = newlyAccepted(user.terms, shown, iso(nowMs))
  if (accepted) await users.acceptTerms(user.id, accepted)
}

/** Returns the cookie, and cancels a scheduled erasure. @throws unauthorized when the erasure is under way */
export async function openSession(
  deps: SignInPorts,
  user: UserRecord,
  device: string,
  nowMs: number,
  passkeyId: string | null = null,
  ...also: Part[]
): Promise<string> {
  if (user.eraseAt) await cancelErasure(deps, user)
  const [opened] = await Promise.all([
    deps.sessions.open(user.id, nowMs, device, passkeyId, ...also),
    deps.wallets.open(user.id),
  ])
  return opened.cookie
}

export type ReopenPorts = ChangePorts & { users: Users; wallets: Wallets; gracePeriods: GracePeriods } & Basics

/** Restores a kept account's wallet and instance; safe to repeat. */
export async function reopenAccount(deps: ReopenPorts, userId: string): Promise<void> {
  const user = await deps.users.find(userId)
  if (!user || user.eraseAt) return
  const { subscription, subscriptionId } = user
  const nowMs = deps.clock.now()
  await unfreezeWallet(deps, userId, nowMs, closedReason)
  // While the account was closed, subscription events changed only its record.
  if (isLive(subscription)) await provision(deps, userId, subscription.plan ?? 'starter', nowMs)
  else if (subscriptionId) await suspend(deps, userId, subscriptionId, nowMs)
  else await startTrialInstance(deps, userId)
}

async function cancelErasure(deps: SignInPorts, { id, email }: UserRecord): Promise<void> {
  const followUps = [
    sendMail(deps, { to: email, ...erasureCanceledMail(deps.settings.publicOrigin) }),
    { intent: { kind: 'reopen' }, run: () => reopenAccount(deps, id) } satisfies FollowUp,
  ]
  const outbox = outboxOf(deps, id, followUps)
  if (await deps.users.cancelErasure(id, outbox)) return outbox.flush()
  const now = await deps.users.find(id)
  if (now?.eraseAt) throw unauthorized('This account is being erased. Request a new code to start a new account.')
}
