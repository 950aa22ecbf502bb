import type { DomainError } from '../errors.ts'
import { ProviderRefusal } from './refusal.ts'

/** An error as the SDKs of a format's vendor read it, with the status it has there. */
export interface VendorError {
  status: number
  headers: Record<string, string>
  body: object
}

/** Everything a vendor's format has a place for. */
interface Told {
  status: number
  /** Our code, or the type of a provider's refusal. */
  code: string
  message: string
  field: string | null
  headers: Record<string, string>
}

function tell(error: DomainError, status: number): Told {
  const [wrong] = Object.entries(error.details ?? {})
  if (error instanceof ProviderRefusal) {
    const headers: Told['headers'] = error.waitSeconds === null ? {} : { 'Retry-After': String(error.waitSeconds) }
    return { status: error.status, code: error.type, message: error.message, field: error.field, headers }
  }
  const named = error.code === 'validation' && wrong
  const message = named ? `${wrong[0]}: ${wrong[1].join(' ')}` : error.message
  return { status, code: error.code, message, field: named ? wrong[0] : null, headers: {} }
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
  const { status, code, message, field, headers } = tell(error, ours)
  const type = openaiTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
  return { status, headers, body: { error: { message, type, code, param: field } } }
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
  const { status, code, message, headers } = tell(error, ours)
  const type = anthropicTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return { status, headers, body: { type: 'error', error: { type, message, code } } }
}
