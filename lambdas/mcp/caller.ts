import type { UserActor } from '../../domain/actor.ts'
import { forbidden } from '../../domain/errors.ts'
import type { Basics, Ports } from '../../domain/ports.ts'
import { covers, type Scope } from '../../domain/scopes.ts'
import { parseInput } from '../kit/input.ts'
import type { AnyOperation, RequestFacts } from '../kit/operation.ts'

/** Who calls over MCP, with what the operations behind tools and resources run on. */
export interface Caller {
  actor: UserActor
  deps: Pick<Ports, 'events' | 'catalogue'> & Basics
  now: number
  request: RequestFacts
  failed(error: unknown): void
}

export const may = (actor: UserActor, scope: Scope | undefined): boolean =>
  actor.kind === 'session' || scope === undefined || covers(actor.scopes, scope)

/** Runs an operation for the caller as its REST route would. @throws what that route would answer */
export const run = async (caller: Caller, one: AnyOperation, input: unknown): Promise<unknown> =>
  one.run({ ...caller, input: parseInput(one, input), setSession: () => {}, counted: () => {} })

/**
 * A browser sends an Origin, and only our own pages may speak for the user in one. Programs send none, or one of a
 * scheme that no web page has. @throws forbidden
 */
export function checkOrigin({ request, deps }: { request: RequestFacts; deps: Pick<Basics, 'settings'> }): void {
  const { origin } = request.headers
  if (origin === undefined || origin === deps.settings.publicOrigin) return
  if (origin === 'null' || /^https?:/i.test(origin)) throw forbidden('Requests from other web pages are refused.')
}
