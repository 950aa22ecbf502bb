import type { UserActor } from '../../domain/actor.ts'
import { forbidden } from '../../domain/errors.ts'
import type { Basics } from '../../domain/ports.ts'
import { covers } from '../../domain/scopes.ts'
import type { Tool } from '../../domain/tool.ts'
import { catalogueArea } from '../catalogue/index.ts'
import { instanceArea } from '../instance/index.ts'
import { parseInput } from '../kit/input.ts'
import type { AnyOperation, RequestFacts } from '../kit/operation.ts'
import { walletArea } from '../wallet/index.ts'

/** The operations that are tools, in the order they are listed. */
export const toolOperations: readonly AnyOperation[] = [walletArea, instanceArea, catalogueArea]
  .flatMap((area) => area.operations)
  .filter((one) => one.tool)

const mayCall = (actor: UserActor, one: AnyOperation): boolean =>
  actor.kind === 'session' || one.scope === undefined || covers(actor.scopes, one.scope)

interface Call {
  actor: UserActor
  deps: Basics
  now: number
  request: RequestFacts
}

/** The tools this caller's scopes cover; each runs its operation as the REST route would. */
export const toolsFor = (call: Call): Tool[] =>
  toolOperations
    .filter((one) => mayCall(call.actor, one))
    .map((one) => ({
      ...one.tool,
      input: one.input,
      output: one.output,
      call: async (input: unknown) =>
        one.run({ ...call, input: parseInput(one, input), setSession: () => {}, counted: () => {} }),
    })) as Tool[] // safe because the filter keeps operations with a tool block only

/** @throws forbidden when the request calls a tool beyond the caller's scopes */
export function checkToolScope(actor: UserActor, rawBody: string): void {
  const name = calledTool(rawBody)?.replaceAll('.', '_')
  const one = toolOperations.find((candidate) => candidate.tool?.name.replaceAll('.', '_') === name)
  if (one && !mayCall(actor, one)) throw forbidden(`This token lacks the scope ${one.scope}. Mint a token that has it.`)
}

/** The tool a JSON-RPC request names; what cannot be read is for the protocol's own server to refuse. */
function calledTool(rawBody: string): string | undefined {
  try {
    const { method, params } = JSON.parse(rawBody) as { method?: unknown; params?: { name?: unknown } } // safe because each use is checked
    return method === 'tools/call' && typeof params?.name === 'string' ? params.name : undefined
  } catch {
    return undefined
  }
}
