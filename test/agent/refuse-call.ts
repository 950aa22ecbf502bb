import type { ServerResponse } from 'node:http'
import { DomainError, notFound, providerError, rateLimited } from '../../domain/errors.ts'
import type { ApiFormat } from '../../domain/models/api-format.ts'
import { apiFormats, formatAt, vendorPaths } from '../../domain/models/api-formats.ts'
import { ProviderRefusal } from '../../domain/models/provider-refusal.ts'
import type { VendorError } from '../../domain/models/vendor-errors.ts'
import { walletEmpty } from '../../domain/wallet/payment-required.ts'
import { statusOf, toErrorBody } from '../../lambdas/kit/errors.ts'

const formatTargets = new Set<string>(apiFormats.flatMap(({ path }) => vendorPaths(path)))

export const isVendors = (path: string): boolean => formatTargets.has(path)

const failures: Record<number, DomainError> = {
  400: new ProviderRefusal(400, 'context_length_exceeded', null, null),
  402: walletEmpty(),
  500: new DomainError('internal', 'Something failed here. Repeat the call.'),
  502: providerError(),
}

/** The error of a scripted status. */
export function errorOf(
  scripted: { status: number; retryAfter?: number | undefined } | { refusal: DomainError },
): DomainError {
  if ('refusal' in scripted) return scripted.refusal
  const { status, retryAfter = 1 } = scripted
  return status === 429 ? rateLimited(retryAfter) : (failures[status] ?? notFound('address'))
}

/** Answers as the service's proxy does: in the vendor's format at a vendor's address. */
export function refuseCall(response: ServerResponse, path: string, error: DomainError): void {
  const status = statusOf[error.code]
  send(
    response,
    error,
    isVendors(path) ? formatAt(path).showError(error, status) : { status, body: toErrorBody(error) },
  )
}

export const refuseIn = (response: ServerResponse, format: ApiFormat, error: DomainError): void =>
  send(response, error, format.showError(error, statusOf[error.code]))

function send(response: ServerResponse, error: DomainError, shown: VendorError): void {
  const { retryAfterSeconds } = { ...error, ...shown }
  const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  response.writeHead(shown.status, { 'content-type': 'application/json', ...wait })
  response.end(JSON.stringify(shown.body))
}
