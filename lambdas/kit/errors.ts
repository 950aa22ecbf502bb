import * as z from 'zod'
import { type Code, DomainError } from '../../domain/errors.ts'
import type { AnyOperation } from './operation.ts'
import { requiredParameters } from './parameters.ts'

/** Each code's HTTP status; a new code does not compile without one. */
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

export const errorBody = z
  .object({
    error: z.string().meta({ description: 'Stable machine-readable code.', example: 'validation' }),
    message: z.string().meta({ description: 'The problem and what to do about it, for people.' }),
    details: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .meta({
        description:
          'For `validation`: messages by field. For a `forbidden` that a new sign-in would solve: `signIn` with the ' +
          'required kind, `recent` or `passkey`.',
        example: { name: ['Give the token a name.'] },
      }),
    retryAfterSeconds: z.number().optional(),
  })
  .meta({ id: 'Error' })
type ErrorBody = z.infer<typeof errorBody>

/** An error where programs sign in (`/oauth/…`): OAuth's shape and codes in addition to the service's own. */
export const oauthErrorBody = errorBody
  .omit({ details: true })
  .extend({
    error_description: z.string().meta({
      description: 'The message again, under its name in OAuth.',
      example: 'Send a form: Content-Type: application/x-www-form-urlencoded.',
    }),
  })
  .meta({ id: 'OauthError' })

/** An error at an address for vendors' SDKs, in OpenAI's or Anthropic's format. */
export const vendorErrorBody = z
  .object({
    type: z.literal('error').optional().meta({ description: 'Only in Anthropic’s format.' }),
    error: z.object({
      type: z.string().meta({ description: 'The vendor’s word for the status.' }),
      message: z.string().meta({ description: 'The problem and what to do about it, for people.' }),
      code: z.string().meta({ description: 'Stable machine-readable code.' }),
      param: z.string().nullable().optional().meta({ description: 'The wrong field; only in OpenAI’s format.' }),
    }),
  })
  .meta({ id: 'VendorError' })

export const toErrorBody = (error: DomainError): ErrorBody => ({
  error: error.code,
  message: error.message,
  ...(error.details && { details: error.details }),
  ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
})

/** An unexpected error becomes `internal`, and its own message is not shown. */
export const asDomainError = (thrown: unknown): DomainError =>
  thrown instanceof DomainError ? thrown : new DomainError('internal', 'Something failed on our side. Try once more.')

export function errorsOf(operation: AnyOperation): Code[] {
  const codes = new Set<Code>(['validation', 'internal', ...operation.errors])
  if (operation.auth !== 'none' && operation.auth !== 'signed') codes.add('unauthorized')
  if (['user', 'pat', 'session', 'operator'].includes(operation.auth) || operation.sameOrigin) codes.add('forbidden')
  if (operation.limit) codes.add('rate-limited')
  if (operation.http.method !== 'GET') codes.add('too-large')
  if (operation.http.method !== 'GET' && !operation.http.rawBody) codes.add('invalid-json')
  if (requiredParameters(operation).length > 0) codes.add('missing-id')
  return [...codes].sort()
}
