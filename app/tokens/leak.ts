import { tokenLeakedMail } from '../../domain/account/mail-texts.ts'
import { iso } from '../../domain/time.ts'
import { findTokens, type PatRecord } from '../../domain/tokens/pat.ts'
import type { Basics, Ports } from '../ports.ts'
import type { Tokens } from './ports.ts'

type LeakPorts = Pick<Ports, 'tokens' | 'users' | 'mail' | 'events' | 'audit'> & Pick<Basics, 'settings'>

/** Revokes the tokens of a report and tells their owners, each once however often it is reported. */
export async function revokeLeaked(deps: LeakPorts, report: string, nowMs: number): Promise<void> {
  for (const plaintext of findTokens(report)) {
    const token = await deps.tokens.findByPlaintext(plaintext)
    if (!token) continue
    const ended = await deps.tokens.revoke(token.id, iso(nowMs))
    if (!ended.some(({ id }) => id === token.id)) continue
    await tellRevoked(
      deps,
      ended.filter(({ id }) => id !== token.id),
    )
    const { userId, id, name, tokenPrefix } = token
    await deps.events.record(userId, 'token.leaked', { id, name })
    await deps.audit.record(userId, {
      operation: 'reportLeakedToken',
      record: id,
      actor: { kind: 'anonymous', id: null },
    })
    const owner = await deps.users.find(userId)
    const mail = tokenLeakedMail(name, tokenPrefix, ended.length - 1, deps.settings.publicOrigin)
    if (owner) await deps.mail.send({ to: owner.email, ...mail })
  }
}

/** Revokes a token with all that ends with it, and tells the user's streams of each. */
export async function revokeToken(
  deps: Pick<Ports, 'events'> & { tokens: Pick<Tokens, 'revoke'> },
  token: PatRecord,
  nowMs: number,
): Promise<string> {
  const ended = await deps.tokens.revoke(token.id, iso(nowMs))
  await tellRevoked(deps, ended)
  return ended.find(({ id }) => id === token.id)?.revokedAt ?? token.revokedAt ?? iso(nowMs)
}

async function tellRevoked(deps: Pick<Ports, 'events'>, ended: PatRecord[]): Promise<void> {
  for (const { userId, id, name } of ended) await deps.events.record(userId, 'token.revoked', { id, name })
}
