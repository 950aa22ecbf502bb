import type { Tokens } from '../../app/ports/tokens.ts'
import { findBudget } from '../../app/tokens/budget.ts'
import type { PatActor } from '../../domain/actor.ts'
import { isRevoked } from '../../domain/tokens/pat.ts'

/** A token spends until it is revoked, within its caps, and its calls count as `api`. */
export const tokenSpender = async ({ tokens }: { tokens: Tokens }, { userId, tokenId }: PatActor, now: number) => ({
  userId,
  spender: { budget: await findBudget({ tokens }, tokenId, now) },
  isAlive: async () => !isRevoked(await tokens.find(tokenId)),
  trigger: 'api' as const,
})
