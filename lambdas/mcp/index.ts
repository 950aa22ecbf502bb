import { area } from '../kit/operation.ts'
import { access } from './access.ts'
import { mcpClose } from './mcp-close.ts'
import { mcpEventStream } from './mcp-event-stream.ts'
import { mcpRpc } from './mcp-rpc.ts'

export const mcpArea = area({
  name: 'mcp',
  access,
  operations: [mcpRpc, mcpEventStream, mcpClose],
  stream: true,
  timeoutSeconds: 900,
})
