import { underscored } from '../../domain/mcp/names.ts'
import type { Tool } from '../../domain/tool.ts'
import { catalogueArea } from '../catalogue/index.ts'
import { instanceArea } from '../instance/index.ts'
import type { AnyOperation } from '../kit/operation.ts'
import { walletArea } from '../wallet/index.ts'
import { type Caller, may, run } from './caller.ts'

/** The operations that are tools, in the order they are listed. */
export const toolOperations: readonly AnyOperation[] = [walletArea, instanceArea, catalogueArea]
  .flatMap((area) => area.operations)
  .filter((one) => one.tool)

/** The operation behind a tool's name, in either spelling. */
export const toolNamed = (name: string): AnyOperation | undefined =>
  toolOperations.find((one) => one.tool && underscored(one.tool.name) === underscored(name))

/** The tools this caller's scopes cover; each runs its operation as the REST route would. */
export const toolsFor = (caller: Caller): Tool[] =>
  toolOperations
    .filter((one) => may(caller.actor, one.scope))
    .flatMap((one) =>
      one.tool
        ? [{ ...one.tool, input: one.input, output: one.output, call: (input: unknown) => run(caller, one, input) }]
        : [],
    )
