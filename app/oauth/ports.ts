import type { Authorization } from '../../domain/oauth/authorization.ts'
import type { Client } from '../../domain/oauth/client.ts'
import type { PatRecord } from '../../domain/tokens/pat.ts'

/** Programs that registered themselves. */
export interface Clients {
  register(client: Client, nowMs: number): Promise<void>
  /** Null when there is none, or its time is up. */
  find(id: string, nowMs: number): Promise<Client | null>
  /** Keeps it for longer, because somebody allowed it something. */
  keep(id: string, nowMs: number): Promise<void>
}

/** Documents in which programs describe themselves, at addresses that anybody may name. */
export interface ClientDocuments {
  /**
   * The document as JSON; null if it cannot be read within bounds, or if only our own network reaches it.
   */
  read(address: string): Promise<unknown>
}

/** A connected app's tokens. */
export interface IssuedTokens {
  /** Its tokens' row, by which it is listed and revoked. */
  grant: PatRecord
  accessToken: string
  /** ISO 8601. */
  accessEndsAt: string
  refreshToken: string
}

/** The grant of a code or refresh token; `replayed` names the grant of which somebody else may have a part. */
export type GrantOutcome =
  | { kind: 'issued'; issued: IssuedTokens; first: boolean }
  | { kind: 'invalid' }
  /** The account has as many live tokens as it may. */
  | { kind: 'full' }
  | { kind: 'replayed'; grant: PatRecord }

/**
 * Access that users gave to programs. A grant is a row among the user's tokens which no plaintext belongs to; its
 * access tokens are rows that it minted, so that revoking it ends them.
 */
export interface Grants {
  /** A code for what the user allowed; good once, for a minute. */
  issueCode(authorization: Authorization, nowMs: number): Promise<string>
  /** Uses a code up: of all who come with it one is answered, and only with the verifier of its challenge. */
  redeem(
    code: string,
    proof: { clientId: string; redirectUri: string; verifier: string },
    nowMs: number,
  ): Promise<GrantOutcome>
  /** Makes the next access token, and the next refresh token where this one has been in use for a while. */
  refresh(refreshToken: string, clientId: string, nowMs: number): Promise<GrantOutcome>
  /** The grant that a refresh token of its family belongs to, however old that is. */
  findByRefreshToken(refreshToken: string): Promise<PatRecord | null>
}
