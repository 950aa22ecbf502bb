import { area } from '../kit/area.ts'
import { mcpEventStream } from '../mcp/mcp-event-stream.ts'

/** Each open stream holds an execution. The reserve keeps `POST /mcp` free of clients that only listen. */
export const mcpStreamArea = area({
  name: 'mcp-stream',
  tag: 'mcp',
  operations: [mcpEventStream],
  folders: { mcp: [mcpEventStream] },
  stream: true,
  timeoutSeconds: 900,
  reservedConcurrency: 100,
})
