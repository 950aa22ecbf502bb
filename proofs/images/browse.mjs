// Opens a page of its own with the image's Playwright MCP, as an agent's MCP client would, and prints the page's
// content.
import { createServer } from 'node:http'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const page =
  "<title>Harbour</title><button onclick=\"this.outerText = ['Berth', 10 + 7, 'is free'].join(' ')\">Look</button>"
const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page))
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const client = new Client({ name: 'prove', version: '1' })
await client.connect(new StdioClientTransport({ command: 'playwright-mcp', env: process.env, cwd: '/tmp' }))

async function call(name, args) {
  const { content } = await client.callTool({ name, arguments: args })
  return content.map(({ text = '' }) => text).join('\n')
}

await call('browser_navigate', { url: `http://127.0.0.1:${server.address().port}/` })
const before = await call('browser_snapshot', {})
await call('browser_click', { element: 'Look', target: /button.*\[ref=(\w+)\]/.exec(before)?.[1] ?? before })
const after = await call('browser_snapshot', {})
console.log(`The page says: ${/Berth \d+ is free/.exec(after)?.[0] ?? after}`)
await client.close()
server.close()
