import type { Audience } from '../actor.ts'
import type { TurnTrigger } from '../chat/message.ts'
import { machineTokenMaxMs, machineTokenTtlMs, turnTtlMs } from '../lifetimes.ts'

/** A token's use: the endpoints it opens, or a proof of a turn, which opens none. */
export type TokenAudience = Audience | 'turn'

/** A machine token's claims; times are milliseconds since 1970. */
export interface MachineClaims {
  audience: TokenAudience
  userId: string
  instanceId: string
  generation: number
  bornMs: number
  expiresMs: number
  /** The trigger of this token's turn; only a turn's own token has it. */
  trigger?: TurnTrigger
  /** The prompt that turn answers. */
  promptId?: string
}

/** Claims for a machine's first token of an audience. */
export const newClaims = (
  who: Pick<MachineClaims, 'userId' | 'instanceId' | 'generation'> & { audience: Audience },
  nowMs: number,
): MachineClaims => ({ ...who, bornMs: nowMs, expiresMs: nowMs + machineTokenTtlMs })

/**
 * Claims of a token that proves to the model proxy what started a turn, for as long as its prompt is open. It is no
 * credential.
 */
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
