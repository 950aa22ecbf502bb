import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import { DomainError, rateLimited, unauthorized } from '../domain/errors.ts'
import { statusOf, toErrorBody } from '../lambdas/kit/errors.ts'

const badRequest = new DomainError('validation', 'The request cannot be read. Check its parameters and its body.')
const tooLarge = new DomainError('validation', 'The body is too large. Send at most 4 MB.')
const refused = new DomainError('forbidden', 'This request was refused.')
const failed = new DomainError('internal', 'Something failed on our side. Try once more.')
const noRoute = new DomainError('not-found', 'Nothing is served at this path and method. See /openapi.json.')

/**
 * API Gateway's own errors. A path nobody serves is "missing authentication token" to it, and with an Authorization
 * header that is not AWS's an invalid or incomplete signature (the latter falls to the default): all are 404 here.
 */
const answers: [ResponseType, DomainError][] = [
  [ResponseType.DEFAULT_4XX, noRoute],
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, noRoute],
  [ResponseType.INVALID_SIGNATURE, noRoute],
  [ResponseType.EXPIRED_TOKEN, noRoute],
  [ResponseType.RESOURCE_NOT_FOUND, noRoute],
  [ResponseType.BAD_REQUEST_BODY, badRequest],
  [ResponseType.BAD_REQUEST_PARAMETERS, badRequest],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, badRequest],
  [ResponseType.REQUEST_TOO_LARGE, tooLarge],
  [ResponseType.UNAUTHORIZED, unauthorized()],
  [ResponseType.ACCESS_DENIED, refused],
  [ResponseType.INVALID_API_KEY, refused],
  [ResponseType.WAF_FILTERED, refused],
  [ResponseType.THROTTLED, rateLimited(1)],
  [ResponseType.QUOTA_EXCEEDED, rateLimited(60)],
  [ResponseType.DEFAULT_5XX, failed],
  [ResponseType.API_CONFIGURATION_ERROR, failed],
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, failed],
  [ResponseType.AUTHORIZER_FAILURE, failed],
  [ResponseType.INTEGRATION_FAILURE, failed],
  [ResponseType.INTEGRATION_TIMEOUT, failed],
]

/** Gives every error that API Gateway makes by itself the service's own shape, status and headers. */
export function answerOwnErrors(api: RestApi): void {
  for (const [type, error] of answers) {
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(statusOf[error.code]),
      templates: { 'application/json': JSON.stringify(toErrorBody(error)) },
      responseHeaders: {
        'X-Request-Id': 'context.requestId',
        'Cache-Control': "'no-store'",
        ...(error.retryAfterSeconds !== undefined && { 'Retry-After': `'${error.retryAfterSeconds}'` }),
      },
    })
  }
}
