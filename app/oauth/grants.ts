import { isDocumentAddress } from '../../domain/oauth/client.ts'
import { fullGrant, invalidGrant, OauthError } from '../../domain/oauth/errors.ts'
import type { PatRecord } from '../../domain/tokens/pat.ts'
import { auditedOutbox, doneByCaller } from '../outbox/outbox.ts'
import type { Audit } from '../ports/account.ts'
import type { Basics } from '../ports/basics.ts'
import type { Events } from '../ports/chat.ts'
import type { Clients, GrantOutcome, Grants, IssuedTokens } from '../ports/oauth.ts'
import type { Intents } from '../ports/outbox.ts'
import type { Tokens } from '../ports/tokens.ts'
import { endToken } from '../tokens/leak.ts'

type GrantPorts = { tokens: Tokens; events: Events; audit: Audit; outbox: Intents } & Basics

/**
 * After a deleted registration the program registers again; after an ended grant it asks its user. A metadata document
 * is checked where the user decides.
 */
export async function checkClient({ clients }: { clients: Clients }, id: string, nowMs: number): Promise<void> {
  if (!isDocumentAddress(id) && !(await clients.find(id, nowMs)))
    throw new OauthError('invalid_client', 'This client_id is not registered any more. Register again.')
}

/** A replayed token ends its grant: nobody can tell which holder is the app. @throws OauthError */
export async function take(deps: GrantPorts, outcome: GrantOutcome, nowMs: number): Promise<IssuedTokens> {
  if (outcome.kind === 'replayed') await endGrant(deps, outcome.grant, 'issueTokens', nowMs)
  if (outcome.kind === 'full') throw fullGrant()
  if (outcome.kind !== 'issued') throw invalidGrant()
  const { issued, first } = outcome
  const { userId, id, name } = issued.grant
  if (first) await deps.events.record(userId, 'token.created', { id, name })
  return issued
}

async function endGrant(
  deps: GrantPorts,
  { userId, id, revokedAt }: PatRecord,
  operation: string,
  nowMs: number,
): Promise<void> {
  if (revokedAt) return
  const line = { userId, operation, record: id, actor: { kind: 'anonymous', id: null } } as const
  const outbox = auditedOutbox(deps, userId, [line], [doneByCaller({ kind: 'revoke', tokenId: id })])
  const ended = await endToken(deps, id, nowMs, outbox)
  if (ended.some((token) => token.id === id)) await outbox.flush()
}

/** Ends the grant of a refresh token or of an app's access token; no effect for any other token. */
export async function revokeByToken(
  deps: GrantPorts & { grants: Grants },
  token: string,
  nowMs: number,
): Promise<void> {
  const record = token.startsWith('osr_')
    ? await deps.grants.findByRefreshToken(token)
    : await deps.tokens.findByPlaintext(token)
  const grant = record?.app && record.mintedBy ? await deps.tokens.find(record.mintedBy) : record
  if (grant?.app) await endGrant(deps, grant, 'revokeGrant', nowMs)
}
