import type { DomainError } from '../../domain/errors.ts'
import { OauthError } from '../../domain/oauth/errors.ts'

/** An error in OAuth's shape (RFC 6749, section 5.2) and the API's at once. */
export function errorAsOauth(error: DomainError, status: number) {
  const { message, retryAfterSeconds } = error
  const code = codeOf(error)
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  const body = { error: code, error_description: message, message, ...wait }
  return { status: code === 'invalid_client' ? 401 : status, body }
}

function codeOf(error: DomainError): string {
  if (error instanceof OauthError) return error.oauthCode
  return error.code === 'validation' ? 'invalid_request' : error.code
}
