import type { BilledCall } from '../../app/models/billed-call.ts'
import { startResponse } from '../../app/models/stream-response.ts'
import type { DomainError } from '../../domain/errors.ts'
import { formatAt, isContractPath } from '../../domain/models/api-formats.ts'
import { passedBeside } from '../../domain/models/request.ts'
import type { RequestFacts, StreamedResponse } from '../kit/operation.ts'

export const callErrors = [
  'invalid-json',
  'wallet-empty',
  'spending-limit',
  'wallet-suspended',
  'provider-error',
  'too-large',
  'forbidden',
] as const

export const callUses = {
  models: 'write',
  denials: 'read',
  wallets: 'write',
  instances: 'write',
  events: 'write',
} as const

/** In the vendor's own format at the addresses of its SDKs. */
export const errorAsFormat = (error: DomainError, status: number, { target }: Pick<RequestFacts, 'target'>) =>
  isContractPath(target) ? null : formatAt(target).showError(error, status)

/** @throws invalid-json, validation */
export function readCall({ target, rawBody, headers, query }: RequestFacts) {
  const format = formatAt(target)
  const call = format.parseRequest(rawBody, headers)
  return { format, call, beside: passedBeside(format.passedHeaders, headers, query) }
}

/** The provider's own headers are not passed on. */
export async function respond(billed: BilledCall): Promise<StreamedResponse> {
  const { headers, write } = await startResponse(billed)
  const ours = {
    'Cache-Control': 'no-cache, no-transform',
    'X-Berth-Call': billed.facts.callId,
    'X-Berth-Model': billed.model.id,
  }
  return { status: 200, headers: { ...headers, ...ours }, body: write }
}
