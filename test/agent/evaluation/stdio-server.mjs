// A minimal MCP server on stdio, without a library: `echo` and `pid` answer, `die` ends the process, `hang` never
// answers.
import { createInterface } from 'node:readline'

const tool = (name, readOnlyHint = false) => ({
  name,
  description: `Test tool ${name}`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  annotations: { readOnlyHint },
})
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'test', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool('echo', true), tool('pid', true), tool('die'), tool('hang')] }),
  'tools/call': ({ name, arguments: { text, environment } = {} }) => {
    if (name === 'die') process.exit(1)
    if (name === 'hang') return null
    if (name === 'pid') return { content: [{ type: 'text', text: String(process.pid) }] }
    if (environment) return { content: [{ type: 'text', text: JSON.stringify(Object.keys(process.env).sort()) }] }
    return { content: [{ type: 'text', text: `${text} from ${process.env.PLACE ?? 'nowhere'}` }] }
  },
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const result = answers[method]?.(params)
  if (result === null) continue
  const error = { code: -32601, message: `no ${method}` }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }))
}
