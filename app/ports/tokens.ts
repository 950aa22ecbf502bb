import type { MachineClaims, TokenAudience } from '../../domain/tokens/machine-token.ts'
import type { NewPat, PatRecord } from '../../domain/tokens/pat.ts'
import type { Part } from './part.ts'

/** The id is derived from the plaintext. */
export interface TokenSecret {
  id: string
  plaintext: string
}

export interface TokenChange {
  name?: string | undefined
  /** Most it may spend in all, in a UTC day, in a month, µUSD; null removes a cap. */
  capMicros?: number | null | undefined
  dailyCapMicros?: number | null | undefined
  monthlyCapMicros?: number | null | undefined
}

/** Personal Access Tokens, found by an id derived from the plaintext's SHA-256. */
export interface Tokens {
  /**
   * The token while it is valid; a text without a token's checksum costs no call. Stores its use once in `useNotedMs`,
   * and its program's name when that changes.
   * @param client the program's name; null for none, undefined if not yet known
   */
  authenticate(plaintext: string, nowMs: number, client?: string | null): Promise<PatRecord | null>
  noteClient(id: string, client: string): Promise<void>
  newSecret(): TokenSecret
  /**
   * The same write adds the token to its minting token, whose revocation thus finds it.
   * @throws unauthorized when the minting token was revoked meanwhile; conflict at too many, also under concurrency
   */
  mint(record: NewPat, secret?: TokenSecret, ...also: Part[]): Promise<{ record: PatRecord; plaintext: string }>
  /** An early check of the number of live tokens; the write that creates a token checks again. @throws conflict */
  checkFree(userId: string, nowMs: number): Promise<void>
  /** A check as part of another write. If the token is not valid, the write throws `unauthorized`. */
  isAlive(id: string, nowMs: number): Part
  list(userId: string): Promise<PatRecord[]>
  find(id: string): Promise<PatRecord | null>
  /** The existing tokens among these ids, unordered. */
  findAll(ids: readonly string[]): Promise<PatRecord[]>
  /** A text without a token's checksum costs no call. */
  findByPlaintext(plaintext: string): Promise<PatRecord | null>
  /** Renames a token, or sets the caps (null: none) of all tokens that share its count. Null when the token is gone. */
  change(token: PatRecord, to: TokenChange, ...also: Part[]): Promise<PatRecord | null>
  /** Creates the successor of `old`, which ends at `endsAt`. @throws conflict when it has a successor */
  reroll(
    old: PatRecord,
    next: NewPat,
    endsAt: string,
    ...also: Part[]
  ): Promise<{ record: PatRecord; plaintext: string }>
  /**
   * Also revokes its predecessors and all tokens minted by any of them, even concurrently. Returns the tokens that this
   * call has ended; safe to repeat. The write that ends the token itself includes `also`.
   */
  revoke(id: string, at: string, ...also: Part[]): Promise<PatRecord[]>
}

/** Signs texts that clients send back; a signed text is valid only for its own list and user. */
export interface Cursors {
  sign(list: string, text: string): Promise<string>
  /** The text; null if `sign` did not make it for this list. */
  verify(list: string, signed: string): Promise<string | null>
}

/** Recognises CloudFront by its key. */
export interface Edge {
  isKey(key: string): Promise<boolean>
}

/** Signs and checks machine tokens; keys are derived per audience and cached. */
export interface MachineTokens {
  sign(claims: MachineClaims): Promise<string>
  /** The claims of a genuine, unexpired token of this audience; otherwise null. */
  verify(token: string, audience: TokenAudience, nowMs: number): Promise<MachineClaims | null>
}
