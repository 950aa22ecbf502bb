import * as z from 'zod'
import { type Code, DomainError } from '../../domain/errors.ts'
import type { AnyOperation } from './operation.ts'
import { requiredParameters } from './parameters.ts'

/** Each code's HTTP status; a new code does not compile until it has one. */
export const statusOf = {
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  validation: 400,
  'invalid-json': 400,
  'rate-limited': 429,
  'wallet-empty': 402,
  'spending-limit': 402,
  'wallet-suspended': 402,
  'repeated-calls': 429,
  'provider-error': 502,
  'too-large': 413,
  'missing-id': 400,
  conflict: 409,
  internal: 500,
} as const satisfies Record<Code, number>

/** The body of every error the service answers. */
export const errorBody = z
  .object({
    error: z.string().meta({ description: 'Stable machine-readable code.', example: 'validation' }),
    message: z.string().meta({ description: 'What went wrong and what to do, for people.' }),
    error_description: z.string().optional().meta({
      description:
        'The message once more, by the name it has in OAuth. Only where programs sign in (`/oauth/…`), whose codes are OAuth’s.',
      example: 'Send a form: Content-Type: application/x-www-form-urlencoded.',
    }),
    details: z.record(z.string(), z.array(z.string())).optional(),
    retryAfterSeconds: z.number().optional(),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof errorBody>

export function toErrorBody(error: DomainError): ErrorBody {
  return {
    error: error.code,
    message: error.message,
    ...(error.details && { details: error.details }),
    ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
  }
}

/** Anything thrown as a domain error; an unexpected one becomes `internal`, with no word of its own shown. */
export const asDomainError = (thrown: unknown): DomainError =>
  thrown instanceof DomainError ? thrown : new DomainError('internal', 'Something failed on our side. Try once more.')

/** The codes an operation can answer: those of its auth, limit and input, and its own. */
export function errorsOf(operation: AnyOperation): Code[] {
  const codes = new Set<Code>(['validation', 'internal', ...operation.errors])
  if (operation.auth !== 'none' && operation.auth !== 'signed') codes.add('unauthorized')
  if (operation.auth === 'user' || operation.auth === 'session' || operation.sameOrigin) codes.add('forbidden')
  if (operation.limit) codes.add('rate-limited')
  if (operation.http.method !== 'GET' && !operation.http.rawBody) codes.add('invalid-json')
  if (requiredParameters(operation).length > 0) codes.add('missing-id')
  return [...codes].sort()
}
