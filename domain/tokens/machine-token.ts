import type { Audience } from '../actor.ts'
import type { TurnTrigger } from '../chat/message.ts'
import { machineTokenMaxMs, machineTokenTtlMs, turnTtlMs } from '../lifetimes.ts'

/** What a token is for: the doors it opens, or to prove a turn, which opens none. */
export type TokenAudience = Audience | 'turn'

/** What a machine token says; times are milliseconds since 1970. */
export interface MachineClaims {
  audience: TokenAudience
  userId: string
  instanceId: string
  generation: number
  bornMs: number
  expiresMs: number
  /** What started the turn this token was made for; only a turn's own token says so. */
  trigger?: TurnTrigger
  /** The prompt that turn answers. */
  promptId?: string
}

/** Claims for a machine's first token of an audience. */
export const newClaims = (
  who: Pick<MachineClaims, 'userId' | 'instanceId' | 'generation'> & { audience: Audience },
  nowMs: number,
): MachineClaims => ({ ...who, bornMs: nowMs, expiresMs: nowMs + machineTokenTtlMs })

/** Claims of a token that proves to the model proxy what started a turn, for as long as its prompt is open. It is no credential. */
export const turnClaims = (
  who: Pick<MachineClaims, 'userId' | 'instanceId' | 'generation'>,
  { trigger, id: promptId }: { trigger: TurnTrigger; id: string },
  nowMs: number,
): MachineClaims => ({
  audience: 'turn',
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
  if (claims.audience === 'turn' || !inSecondHalf || nowMs >= last) return null
  return { ...claims, expiresMs: Math.min(nowMs + machineTokenTtlMs, last) }
}
