import { unauthorized } from '../../domain/errors.ts'
import {
  type Budget,
  checkDepth,
  countIdOf,
  countOf,
  isAppAccess,
  makersOf,
  type PatRecord,
  statusOf,
} from '../../domain/tokens/pat.ts'
import type { Tokens } from '../ports/tokens.ts'

type TokenPorts = { tokens: Tokens }

/** All tokens of a connected app share one count. @throws unauthorized when the token has ended meanwhile */
export async function findBudget(deps: TokenPorts, tokenId: string, nowMs: number): Promise<Budget> {
  const alive = (token: PatRecord | null): PatRecord => {
    if (token && statusOf(token, nowMs) === 'active') return token
    throw unauthorized()
  }
  const token = alive(await deps.tokens.find(tokenId))
  return budgetOf(deps, isAppAccess(token) ? alive(await deps.tokens.find(token.mintedBy ?? '')) : token)
}

/** A cap also binds tokens that were minted before the cap was set. */
export async function budgetOf(deps: TokenPorts, token: PatRecord): Promise<Budget> {
  const under = checkDepth(token.spendsUnder ?? (await countsAbove(deps, token)))
  const others = await readById(
    deps,
    [...under, countIdOf(token)].filter((id) => id !== token.id),
  )
  const above = under.flatMap((id) => others.get(id) ?? []).map((other) => countOf(other))
  return { ...countOf(token, others.get(countIdOf(token))), above }
}

/** For a token older than the stored counts: finds them through the token's makers. */
async function countsAbove(deps: TokenPorts, token: PatRecord): Promise<string[]> {
  const counts = new Set<string>()
  const visited = new Set([token.id])
  let next = makersOf(token)
  while (next.length > 0) {
    for (const id of next) visited.add(id)
    const makers = [...(await readById(deps, next)).values()]
    for (const maker of makers) {
      if (!isAppAccess(maker)) counts.add(countIdOf(maker))
      for (const id of maker.spendsUnder ?? []) counts.add(id)
    }
    const unknown = makers.filter(({ spendsUnder }) => spendsUnder === undefined).flatMap(makersOf)
    next = [...new Set(unknown)].filter((id) => !visited.has(id))
  }
  counts.delete(countIdOf(token))
  return [...counts]
}

async function readById({ tokens }: TokenPorts, ids: readonly string[]): Promise<Map<string, PatRecord>> {
  const found = ids.length > 0 ? await tokens.findAll(ids) : []
  return new Map(found.map((token) => [token.id, token]))
}
