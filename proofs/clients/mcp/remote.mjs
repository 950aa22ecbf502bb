// A client whose server is mcp-remote, started as Claude Desktop starts it: lists the tools and calls one.

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const [, , command, ...args] = process.argv
const client = new Client({ name: 'prove', version: '1' })
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: 'inherit' }))
const { tools } = await client.listTools()
const { content } = await client.callTool({ name: 'wallet.balance', arguments: {} })
console.log(tools.map((tool) => tool.name).join(' '), content[0].text)
await client.close()
