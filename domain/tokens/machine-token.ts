import type { Audience } from '../actor.ts'
import type { TurnTrigger } from '../chat/message.ts'
import { machineTokenMaxMs, machineTokenTtlMs, turnTtlMs } from '../lifetimes.ts'

/** The endpoints that a token opens; `turn`: a proof of a turn, which opens none. */
export type TokenAudience = Audience | 'turn'

/** Times are milliseconds since 1970. */
export interface MachineClaims {
  audience: TokenAudience
  userId: string
  instanceId: string
  generation: number
  bornMs: number
  expiresMs: number
  /** Only in a turn's token. */
  trigger?: TurnTrigger
  promptId?: string
}

export const newClaims = (
  who: Pick<MachineClaims, 'userId' | 'instanceId' | 'generation'> & { audience: Audience },
  nowMs: number,
): MachineClaims => ({ ...who, bornMs: nowMs, expiresMs: nowMs + machineTokenTtlMs })

/** Claims of a proof to the model proxy of a turn's trigger, valid while its prompt is open. It is no credential. */
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

/** Fresh claims in the second half of a token's life and within seven days from `bornMs`; else null. */
export function renewedClaims(claims: MachineClaims, nowMs: number): MachineClaims | null {
  const inSecondHalf = nowMs >= claims.expiresMs - machineTokenTtlMs / 2
  const last = claims.bornMs + machineTokenMaxMs
  if (claims.audience === 'turn' || !inSecondHalf || nowMs >= last) return null
  return { ...claims, expiresMs: Math.min(nowMs + machineTokenTtlMs, last) }
}
