import { DomainError } from '../../domain/errors.ts'
import { maxCallBytes } from '../../domain/models/call-limits.ts'
import type { AnyOperation } from './operation.ts'

/** Most bytes of a request's body. API Gateway itself refuses more than 10 MB. */
export const maxBodyBytes = 4 * 1024 * 1024

const inMegabytes = (bytes: number): string => `${bytes / 2 ** 20} MB`

export const bodyTooLarge = (operation: Pick<AnyOperation, 'auth' | 'limit'>): DomainError =>
  new DomainError('too-large', `A request has at most ${inMegabytes(maxBodyBytes)}. ${adviceFor(operation)}`)

/** For a request whose operation is unknown. */
export const anyBodyTooLarge = (): DomainError =>
  new DomainError(
    'too-large',
    `A request has at most ${inMegabytes(maxBodyBytes)}. Send less; in a model call, fewer or smaller images.`,
  )

function adviceFor({ auth, limit }: Pick<AnyOperation, 'auth' | 'limit'>): string {
  if (limit !== 'llm') return 'Send less.'
  return auth === 'llm'
    ? 'Hand larger bodies over: POST /llm/proxy/bodies.'
    : `Send fewer or smaller images, or have your agent make the call: it sends up to ${inMegabytes(maxCallBytes)}.`
}
