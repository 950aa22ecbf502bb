import { DomainError } from '../errors.ts'
import { tooManyLive } from '../tokens/pat.ts'

/** The codes of RFC 6749, 7591 and 8707 that are answered here. */
type OauthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'

/** An error in OAuth's own terms; its message is for the client's developer. */
export class OauthError extends DomainError {
  readonly oauthCode: OauthCode

  constructor(oauthCode: OauthCode, message: string) {
    super('validation', message, { details: { [oauthCode]: [message] } })
    this.oauthCode = oauthCode
  }
}

/** Refuses a code of an account that has no place for one more program. */
export const fullGrant = () => new OauthError('invalid_grant', tooManyLive().message)

export const invalidGrant = () =>
  new OauthError('invalid_grant', 'This code or refresh token was used, revoked or has expired. Ask the user again.')
