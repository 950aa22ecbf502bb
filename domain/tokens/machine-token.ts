import type { Audience } from '../actor.ts'
import type { Trigger } from '../chat/message.ts'
import { dayMs, hourMs } from '../time.ts'

/** Life of a machine token, and how long renewals may go on from `born`. */
export const machineTokenTtlMs = hourMs
export const machineTokenMaxMs = 7 * dayMs

/** What a machine token says; times are milliseconds since 1970. */
export interface MachineClaims {
  audience: Audience
  userId: string
  instanceId: string
  generation: number
  bornMs: number
  expiresMs: number
  /** What started the turn this token was made for; only a turn's own token says so. */
  trigger?: Trigger
  /** The prompt that turn answers. */
  promptId?: string
}

/** Claims for a machine's first token of an audience. */
export const newClaims = (
  who: Pick<MachineClaims, 'audience' | 'userId' | 'instanceId' | 'generation'>,
  nowMs: number,
): MachineClaims => ({ ...who, bornMs: nowMs, expiresMs: nowMs + machineTokenTtlMs })

/** Life of a turn's token, ms. */
export const turnTtlMs = hourMs / 2

/** Claims of a token that proves to the model proxy what started a turn. It opens nothing its machine's own would not. */
export const turnClaims = (
  who: Pick<MachineClaims, 'userId' | 'instanceId' | 'generation'>,
  { trigger, id: promptId }: { trigger: Trigger; id: string },
  nowMs: number,
): MachineClaims => ({
  audience: 'llm',
  userId: who.userId,
  instanceId: who.instanceId,
  generation: who.generation,
  bornMs: nowMs,
  expiresMs: nowMs + turnTtlMs,
  trigger,
  promptId,
})

/** Fresh claims when the token is in the second half of its life and not yet seven days from `born`; else null. */
export function renewedClaims(claims: MachineClaims, nowMs: number): MachineClaims | null {
  const inSecondHalf = nowMs >= claims.expiresMs - machineTokenTtlMs / 2
  const last = claims.bornMs + machineTokenMaxMs
  if (!inSecondHalf || nowMs >= last) return null
  return { ...claims, expiresMs: Math.min(nowMs + machineTokenTtlMs, last) }
}
