import { unauthorized } from '../../domain/errors.ts'
import { type Budget, budgetOf, isAppAccess, type PatRecord, statusOf } from '../../domain/tokens/pat.ts'
import type { Ports } from '../ports.ts'

/**
 * What a token's model calls are counted as. A connected app's tokens count together, as what was allowed to it.
 * @throws unauthorized when it has ended meanwhile
 */
export async function findBudget({ tokens }: Pick<Ports, 'tokens'>, tokenId: string, nowMs: number): Promise<Budget> {
  const alive = (token: PatRecord | null): PatRecord => {
    if (token && statusOf(token, nowMs) === 'active') return token
    throw unauthorized()
  }
  const token = alive(await tokens.find(tokenId))
  return budgetOf(isAppAccess(token) ? alive(await tokens.find(token.mintedBy ?? '')) : token)
}
