import { passkeyAddedMail } from '../../domain/account/mail-texts.ts'
import { type CeremonyResponse, maxPasskeys, type PasskeyRecord } from '../../domain/account/passkey.ts'
import type { UserRecord } from '../../domain/account/user.ts'
import { conflict, invalid, unauthorized } from '../../domain/errors.ts'
import { iso } from '../../domain/time.ts'
import { type OutboxFor, sendMail } from '../outbox/outbox.ts'
import type { PasskeyCeremony, Passkeys, Sessions, Users } from '../ports/account.ts'
import type { Settings } from '../ports/basics.ts'
import type { Events } from '../ports/chat.ts'
import type { Mail } from '../ports/notifications.ts'

type PasskeyPorts = { passkeys: Passkeys; passkeyCeremony: PasskeyCeremony; users: Users }

/** The user and the passkey that a response proves; null unless the response is fresh and genuine. */
export async function provePasskey(
  deps: PasskeyPorts,
  response: CeremonyResponse,
  nowMs: number,
): Promise<{ user: UserRecord; passkeyId: string } | null> {
  const challenge = deps.passkeyCeremony.challengeOf(response)
  const issued = challenge === null ? null : await deps.passkeys.takeChallenge(challenge, nowMs)
  if (challenge === null || !issued || issued.userId !== null) return null
  const known = await deps.passkeys.find(response.id)
  const proof = known && (await deps.passkeyCeremony.verifyAuthentication(response, challenge, known))
  if (!known || !proof || !(await deps.passkeys.recordUse(known, proof.counter, iso(nowMs)))) return null
  const user = await deps.users.find(known.userId)
  return user && { user, passkeyId: known.id }
}

/** @throws validation, conflict */
export async function addPasskey(
  deps: PasskeyPorts & { mail: Mail; events: Events; settings: Settings },
  userId: string,
  request: { name: string; response: CeremonyResponse },
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<PasskeyRecord> {
  const challenge = deps.passkeyCeremony.challengeOf(request.response)
  const issued = challenge === null ? null : await deps.passkeys.takeChallenge(challenge, nowMs)
  const made =
    challenge !== null && issued?.userId === userId
      ? await deps.passkeyCeremony.verifyRegistration(request.response, challenge)
      : null
  if (!made) throw invalid('response', 'the passkey could not be verified. Start again.')
  if ((await deps.passkeys.list(userId)).length >= maxPasskeys)
    throw conflict(`An account has at most ${maxPasskeys} passkeys. Remove one first.`)
  const record = { ...made, name: request.name, createdAt: iso(nowMs), lastUsedAt: null, userId }
  const user = await deps.users.find(userId)
  if (!user) throw unauthorized()
  const letter = { to: user.email, ...passkeyAddedMail(record.name, deps.settings.publicOrigin) }
  const outbox = outboxFor(deps.passkeys.idOf(record), [sendMail(deps, letter)])
  const kept = await deps.passkeys.add(record, outbox)
  if (!kept) throw conflict('This passkey is registered already.')
  await outbox.flush()
  await deps.events.record(userId, 'account.passkey_added', { id: kept.id, name: kept.name })
  return kept
}

/**
 * Ends the passkey's sessions except the caller's; null when there is no such passkey. Sessions end before the removal,
 * so a repetition after a crash completes it, and again after it, for sign-ins in between.
 */
export async function removePasskey(
  deps: { passkeys: Passkeys; sessions: Sessions },
  { userId, sessionId }: { userId: string; sessionId: string },
  id: string,
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<PasskeyRecord | null> {
  const signOut = async () => {
    const all = await deps.sessions.list(userId, nowMs)
    const opened = all.filter((session) => session.passkeyId === id && session.id !== sessionId)
    for (const session of opened) await deps.sessions.close(userId, session.id)
  }
  await signOut()
  const removed = await deps.passkeys.remove(userId, id, outboxFor(id))
  if (removed) await signOut()
  return removed
}
