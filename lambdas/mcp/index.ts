import { area } from '../kit/area.ts'
import type { AnyOperation } from '../kit/operation.ts'
import { mcpClose } from './mcp-close.ts'
import { mcpRpc } from './mcp-rpc.ts'

/** @param tools the operations of other areas that are tools, in the order of the list */
export const mcpArea = (tools: readonly AnyOperation[]) =>
  area({
    name: 'mcp',
    about: 'The account as tools for MCP clients. The dashboard’s Connect page has the line for each client.',
    operations: [mcpRpc(tools), mcpClose],
    tools,
    stream: true,
    timeoutSeconds: 900,
    reservedConcurrency: 100,
  })
