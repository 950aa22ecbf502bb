import { DomainError } from '../errors.ts'
import { tooManyLive } from '../tokens/pat.ts'

/** Codes of RFC 6749, 7591 and 8707. */
type OauthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'

/** The message is for the client's developer. */
export class OauthError extends DomainError {
  readonly oauthCode: OauthCode

  constructor(oauthCode: OauthCode, message: string) {
    super('validation', message, { details: { [oauthCode]: [message] } })
    this.oauthCode = oauthCode
  }
}

export const fullGrant = () => new OauthError('invalid_grant', tooManyLive().message)

export const invalidGrant = () =>
  new OauthError('invalid_grant', 'This code or refresh token was used, revoked or has expired. Ask the user again.')
