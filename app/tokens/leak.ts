import { tokenLeakedMail } from '../../domain/account/mail-texts.ts'
import { iso } from '../../domain/time.ts'
import { findTokens, type PatRecord } from '../../domain/tokens/pat.ts'
import { auditedOutbox, doneByCaller, sendMail } from '../outbox/outbox.ts'
import type { Audit, Users } from '../ports/account.ts'
import type { Basics } from '../ports/basics.ts'
import type { Events } from '../ports/chat.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Intents } from '../ports/outbox.ts'
import type { Part } from '../ports/part.ts'
import type { Tokens } from '../ports/tokens.ts'

type LeakPorts = { tokens: Tokens; users: Users; mail: Mail; events: Events; audit: Audit; outbox: Intents } & Basics

export async function revokeLeaked(deps: LeakPorts, report: string, nowMs: number): Promise<void> {
  for (const plaintext of findTokens(report)) {
    const token = await deps.tokens.findByPlaintext(plaintext)
    if (!token || token.revokedAt) continue
    const { userId, id, name, tokenPrefix } = token
    const owner = await deps.users.find(userId)
    const mail = tokenLeakedMail(name, tokenPrefix, deps.settings.publicOrigin)
    const line = { userId, operation: 'reportLeakedToken', record: id, actor: { kind: 'anonymous', id: null } } as const
    const followUps = [
      doneByCaller({ kind: 'revoke', tokenId: id }),
      ...(owner ? [sendMail(deps, { to: owner.email, ...mail })] : []),
    ]
    const outbox = auditedOutbox(deps, userId, [line], followUps)
    const ended = await endToken(deps, id, nowMs, outbox)
    if (!ended.some((each) => each.id === id)) continue
    await outbox.flush()
    await deps.events.record(userId, 'token.leaked', { id, name })
  }
}

/** Ends a token with all that ends with it; safe to repeat after a crash. Returns the tokens that this call ended. */
export async function endToken(
  deps: { events: Events; tokens: Pick<Tokens, 'revoke'> },
  id: string,
  nowMs: number,
  ...also: Part[]
): Promise<PatRecord[]> {
  const ended = await deps.tokens.revoke(id, iso(nowMs), ...also)
  for (const { userId, id, name } of ended) await deps.events.record(userId, 'token.revoked', { id, name })
  return ended
}
