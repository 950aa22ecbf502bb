import {
  credentialMadeMail,
  type MadeByTokens,
  type MadeCredential,
  madeByTokensMail,
} from '../../domain/account/mail-texts.ts'
import type { UserActor } from '../../domain/actor.ts'
import { dateOf, dayMs } from '../../domain/time.ts'
import { isAppAccess } from '../../domain/tokens/pat.ts'
import { type FollowUp, sendMail } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import type { Settings } from '../ports/basics.ts'
import type { Hooks } from '../ports/hooks.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Tokens } from '../ports/tokens.ts'
import type { Webhooks } from '../ports/webhooks.ts'

type TellPorts = { users: Users; mail: Mail; settings: Settings }

/**
 * At once for a session or consent screen, once a day for tokens. A hook or webhook endpoint that a token made or
 * changed has the mark `byToken`.
 */
export async function tellOwner(
  deps: TellPorts,
  actor: UserActor,
  what: MadeCredential,
  name: string,
  nowMs: number,
): Promise<FollowUp[]> {
  if (actor.kind === 'pat') return [dayOfTokens(nowMs)]
  const user = await deps.users.find(actor.userId)
  return user ? [sendMail(deps, { to: user.email, ...credentialMadeMail(what, name, deps.settings.publicOrigin) })] : []
}

/** One id per day, so that a day's tokens cause one mail, sent when the day is over. */
function dayOfTokens(nowMs: number): FollowUp {
  const day = dateOf(nowMs)
  return { intent: { kind: 'tokens-made', day }, later: { id: `tokens-made-${day}`, atMs: Date.parse(day) + dayMs } }
}

export async function mailTokensMade(
  deps: TellPorts & { tokens: Tokens; hooks: Hooks; webhooks: Webhooks },
  userId: string,
  day: string,
): Promise<void> {
  const [user, tokens, hooks, endpoints] = await Promise.all([
    deps.users.find(userId),
    deps.tokens.list(userId),
    deps.hooks.list(userId),
    deps.webhooks.endpoints(userId),
  ])
  const made: MadeByTokens[] = [
    ...tokens
      .filter((token) => token.mintedBy && !isAppAccess(token) && token.createdAt.startsWith(day))
      .map(({ name }) => ({ made: 'token' as const, name })),
    ...[...hooks, ...endpoints].flatMap(({ name, byToken }) =>
      byToken?.at.startsWith(day) ? [{ made: byToken.made, name }] : [],
    ),
  ]
  if (!user || user.eraseAt || made.length === 0) return
  await deps.mail.send({ to: user.email, ...madeByTokensMail(made, day, deps.settings.publicOrigin) })
}
