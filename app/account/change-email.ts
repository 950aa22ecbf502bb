import { confirmEmailChangeMail, emailChangedMail } from '../../domain/account/mail-texts.ts'
import type { UserRecord } from '../../domain/account/user.ts'
import { conflict, invalid } from '../../domain/errors.ts'
import { type OutboxFor, sendMail } from '../outbox/outbox.ts'
import type { Logins, Sessions, Users } from '../ports/account.ts'
import type { Mail } from '../ports/notifications.ts'

type ChangePorts = { users: Users; logins: Logins; mail: Mail; sessions: Sessions }

/** The newest codes of a move replace older ones. */
const attempt = 'change'

/** Subjects whose codes are valid for one move only, and never for a sign-in. */
const subjects = (userId: string, email: string) => ({
  current: `change#${userId}#${email}#current`,
  new: `change#${userId}#${email}#new`,
})

/**
 * Moves an account once both addresses have confirmed; without a code, mails both a code. Signs out all other devices
 * before the move and again after it, so a crash in between leaves none signed in. False when the account is gone. Only
 * its owner learns that an address has another account.
 * @throws validation for wrong codes; conflict when the address belongs to another account
 */
export async function changeEmail(
  deps: ChangePorts,
  user: UserRecord,
  sessionId: string,
  change: { email: string; currentCode?: string; newCode?: string },
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<boolean> {
  const isSame = change.email === user.email
  if (!isSame && change.currentCode === undefined && change.newCode === undefined) {
    await mailCodes(deps, user, change.email, nowMs)
    return false
  }
  const letter = { to: user.email, ...emailChangedMail(change.email) }
  const outbox = outboxFor(user.id, [sendMail(deps, letter)])
  if (isSame) return true
  const subject = subjects(user.id, change.email)
  const redeem = async (field: 'currentCode' | 'newCode', of: string) => {
    if (!(await deps.logins.redeemCode(of, [attempt], change[field] ?? '', nowMs)))
      throw invalid(field, 'that code is wrong or too old. Ask for new ones.')
  }
  await redeem('currentCode', subject.current)
  await redeem('newCode', subject.new)
  await signOutOthers(deps, user.id, sessionId, nowMs)
  if (!(await deps.users.changeEmail(user.id, user.email, change.email, outbox)))
    throw conflict('That address belongs to another account. Use a different one.')
  await outbox.flush()
  await signOutOthers(deps, user.id, sessionId, nowMs)
  return true
}

async function signOutOthers({ sessions }: ChangePorts, userId: string, own: string, nowMs: number): Promise<void> {
  for (const { id } of await sessions.list(userId, nowMs)) if (id !== own) await sessions.close(userId, id)
}

/** Two limits: five codes an hour per account, and one per address, which no single account can use up. */
async function mailCodes(deps: ChangePorts, user: UserRecord, email: string, nowMs: number): Promise<void> {
  const subject = subjects(user.id, email)
  const refused = conflict('Too many codes were sent. Try again in an hour.')
  const issue = async (of: string) => {
    const { mail } = await deps.logins.issue(of, { share: 'own', id: '' }, nowMs, attempt)
    if (!mail?.code) throw refused
    return mail.code
  }
  await issue(`change#${user.id}`)
  const asker = { share: 'strangers', id: user.id } as const
  if (!(await deps.logins.issue(`change#${email}`, asker, nowMs)).mail) throw refused
  const current = await issue(subject.current)
  const fresh = await issue(subject.new)
  await deps.mail.send({ to: user.email, ...confirmEmailChangeMail(current, email, 'old') })
  await deps.mail.send({ to: email, ...confirmEmailChangeMail(fresh, email, 'new') })
}
