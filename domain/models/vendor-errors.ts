import type { DomainError } from '../errors.ts'
import { ProviderRefusal } from './provider-refusal.ts'

/** In the form of the vendor's SDKs, with its status there. */
export interface VendorError {
  status: number
  /** Set where the provider itself asks to wait. */
  retryAfterSeconds?: number
  body: object
}

interface ErrorFacts {
  status: number
  /** Our code, or the type of a provider's refusal. */
  code: string
  message: string
  field: string | null
  wait: Pick<VendorError, 'retryAfterSeconds'>
}

function tell(error: DomainError, status: number): ErrorFacts {
  const [wrong] = Object.entries(error.details ?? {})
  if (error instanceof ProviderRefusal) {
    const wait = error.waitSeconds === null ? {} : { retryAfterSeconds: error.waitSeconds }
    return { status: error.status, code: error.type, message: error.message, field: error.field, wait }
  }
  const named = error.code === 'validation' && wrong
  const message = named ? `${wrong[0]}: ${wrong[1].join(' ')}` : error.message
  return { status, code: error.code, message, field: named ? wrong[0] : null, wait: {} }
}

const openaiTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  429: 'rate_limit_error',
}

/** `{ error: { message, type, code, param } }`. */
export function openaiError(error: DomainError, ours: number): VendorError {
  const { status, code, message, field, wait } = tell(error, ours)
  const type = openaiTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
  return { status, ...wait, body: { error: { message, type, code, param: field } } }
}

export const anthropicTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
}

/** `{ type: 'error', error: { type, message, code } }`. */
export function anthropicError(error: DomainError, ours: number): VendorError {
  const { status, code, message, wait } = tell(error, ours)
  const type = anthropicTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return { status, ...wait, body: { type: 'error', error: { type, message, code } } }
}
