import type { Authorization } from '../../domain/oauth/authorization.ts'
import type { Client } from '../../domain/oauth/client.ts'
import type { PatRecord } from '../../domain/tokens/pat.ts'
import type { Part } from './part.ts'

export interface Clients {
  register(client: Client, nowMs: number): Promise<void>
  /** Null when there is none, or it has expired. */
  find(id: string, nowMs: number): Promise<Client | null>
  /** Extends a client's life, because a user has granted it access. */
  keep(id: string, nowMs: number): Promise<void>
}

/** Metadata documents of programs, at addresses that anybody may name. */
export interface ClientDocuments {
  /** The document as JSON; null if it cannot be read within bounds, or if only our own network reaches it. */
  read(address: string): Promise<unknown>
}

export interface IssuedTokens {
  grant: PatRecord
  accessToken: string
  /** ISO 8601. */
  accessEndsAt: string
  refreshToken: string
}

/** `replayed` names a grant of which somebody else may have a copy. */
export type GrantOutcome =
  | { kind: 'issued'; issued: IssuedTokens; first: boolean }
  | { kind: 'invalid' }
  /** The account has as many live tokens as it may. */
  | { kind: 'full' }
  | { kind: 'replayed'; grant: PatRecord }

/** A grant is a token record without a plaintext; it mints its access tokens, so revoking it ends them. */
export interface Grants {
  /** A code for the granted access; valid once, for a minute. */
  issueCode(authorization: Authorization, nowMs: number, ...also: Part[]): Promise<string>
  /** Uses up a code: only one concurrent caller gets tokens, and only with the verifier of the code's challenge. */
  redeem(
    code: string,
    proof: { clientId: string; redirectUri: string; verifier: string },
    nowMs: number,
  ): Promise<GrantOutcome>
  /** Issues an access token, and a new refresh token if the current one has been used for a while. */
  refresh(refreshToken: string, clientId: string, nowMs: number): Promise<GrantOutcome>
  /** The grant of a refresh token's family, however old the token is. */
  findByRefreshToken(refreshToken: string): Promise<PatRecord | null>
}
