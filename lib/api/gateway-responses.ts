import { DomainError, invalid, noRoute, rateLimited, unauthorized } from '../../domain/errors.ts'
import { anyBodyTooLarge } from '../../lambdas/kit/body-limit.ts'
import { statusOf, toErrorBody } from '../../lambdas/kit/errors.ts'

const badRequest = invalid('request', 'it cannot be read. Check its parameters and its body.')
const refused = new DomainError('forbidden', 'This request was refused.')
const failed = new DomainError('internal', 'Something failed on our side. Try once more.')
/** API Gateway decodes the codings it knows before a function sees the body, and refuses all others. */
const unreadable = new DomainError(
  'invalid-json',
  'The Content-Encoding of this body is not taken, or the body does not have it. Send gzip, deflate, or no coding at all.',
)

/**
 * API Gateway's own errors. For an unknown path it answers "missing authentication token". With an Authorization header
 * that is not AWS's, it answers "invalid signature" or "incomplete signature" (DEFAULT_4XX). All three are 404 here.
 */
const errors: Record<string, DomainError> = {
  DEFAULT_4XX: noRoute(),
  MISSING_AUTHENTICATION_TOKEN: noRoute(),
  INVALID_SIGNATURE: noRoute(),
  EXPIRED_TOKEN: noRoute(),
  RESOURCE_NOT_FOUND: noRoute(),
  UNSUPPORTED_MEDIA_TYPE: unreadable,
  BAD_REQUEST_BODY: badRequest,
  BAD_REQUEST_PARAMETERS: badRequest,
  REQUEST_TOO_LARGE: anyBodyTooLarge(),
  UNAUTHORIZED: unauthorized(),
  ACCESS_DENIED: refused,
  INVALID_API_KEY: refused,
  WAF_FILTERED: refused,
  THROTTLED: rateLimited(1),
  QUOTA_EXCEEDED: rateLimited(60),
  DEFAULT_5XX: failed,
  API_CONFIGURATION_ERROR: failed,
  AUTHORIZER_CONFIGURATION_ERROR: failed,
  AUTHORIZER_FAILURE: failed,
  INTEGRATION_FAILURE: failed,
  INTEGRATION_TIMEOUT: failed,
}

const statusFor = (error: DomainError): number => (error === unreadable ? 415 : statusOf[error.code])

/**
 * API Gateway's own errors in the service's shape, with status and headers. A template does not know the path, so the
 * addresses of vendors' SDKs get this shape too. The SDKs print its code, its message, or the whole body.
 */
export const gatewayResponses = Object.fromEntries(
  Object.entries(errors).map(([type, error]) => [
    type,
    {
      statusCode: String(statusFor(error)),
      responseParameters: {
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
        ...(error.retryAfterSeconds !== undefined && {
          'gatewayresponse.header.Retry-After': `'${error.retryAfterSeconds}'`,
        }),
      },
      responseTemplates: { 'application/json': JSON.stringify(toErrorBody(error)) },
    },
  ]),
)
