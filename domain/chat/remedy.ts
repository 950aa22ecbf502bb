import type { Code } from '../errors.ts'
import type { Message } from './message.ts'

/** The actions that a user can take after a refused reply. */
export type Remedy = 'top-up' | 'raise-limit'

export const remedyPages = {
  'top-up': '/wallet',
  'raise-limit': '/wallet?show=limits',
} as const satisfies Record<Remedy, string>

const remedies: Partial<Record<Code, Remedy>> = {
  'wallet-empty': 'top-up',
  'spending-limit': 'raise-limit',
}

/** Null where only waiting or support helps, such as for a suspended wallet. */
export const remedyFor = (refusal: Code | undefined): Remedy | null => (refusal && remedies[refusal]) ?? null

/** True for a reply that tells of a failure: its message may be sent again. */
export const mayRetry = ({
  inReplyTo,
  outcome,
  refusal,
}: Pick<Message, 'inReplyTo' | 'outcome' | 'refusal'>): boolean =>
  inReplyTo !== undefined && (outcome === 'failed' || refusal !== undefined)
