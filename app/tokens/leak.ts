import { tokenLeakedMail } from '../../domain/account/mail-texts.ts'
import { iso } from '../../domain/time.ts'
import { findTokens, type PatRecord } from '../../domain/tokens/pat.ts'
import { commit, doneByAct, sendMail } from '../outbox/commit.ts'
import type { Audit, Users } from '../ports/account.ts'
import type { Basics } from '../ports/basics.ts'
import type { Events } from '../ports/chat.ts'
import type { Mail } from '../ports/notifications.ts'
import type { Outbox } from '../ports/outbox.ts'
import type { Tokens } from '../ports/tokens.ts'

type LeakPorts = { tokens: Tokens; users: Users; mail: Mail; events: Events; audit: Audit; outbox: Outbox } & Basics

export async function revokeLeaked(deps: LeakPorts, report: string, nowMs: number): Promise<void> {
  for (const plaintext of findTokens(report)) {
    const token = await deps.tokens.findByPlaintext(plaintext)
    if (!token || token.revokedAt) continue
    const { userId, id, name, tokenPrefix } = token
    const owner = await deps.users.find(userId)
    const mail = tokenLeakedMail(name, tokenPrefix, deps.settings.publicOrigin)
    const line = { userId, operation: 'reportLeakedToken', record: id, actor: { kind: 'anonymous', id: null } } as const
    const followUps = [
      doneByAct({ kind: 'revoke', tokenId: id }),
      ...(owner ? [sendMail(deps, { to: owner.email, ...mail })] : []),
    ]
    const end = async () => (await endToken(deps, id, nowMs)).length > 0
    const { written } = await commit(deps, userId, { lines: [line], followUps }, end)
    if (written) await deps.events.record(userId, 'token.leaked', { id, name })
  }
}

/** Ends a token with all that ends with it; safe to repeat after a crash. Returns the tokens that this call ended. */
export async function endToken(
  deps: { events: Events } & { tokens: Pick<Tokens, 'revoke'> },
  id: string,
  nowMs: number,
): Promise<PatRecord[]> {
  const ended = await deps.tokens.revoke(id, iso(nowMs))
  for (const { userId, id, name } of ended) await deps.events.record(userId, 'token.revoked', { id, name })
  return ended
}
