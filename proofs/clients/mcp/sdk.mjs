// One of the two clients of the TypeScript SDK, chosen by its package name: lists the tools and calls one.

const [, , name] = process.argv
const { BERTH_URL, BERTH_TOKEN } = process.env
const { Client, StreamableHTTPClientTransport } =
  name === '@modelcontextprotocol/client'
    ? await import(name)
    : {
        ...(await import(`${name}/client/index.js`)),
        ...(await import(`${name}/client/streamableHttp.js`)),
      }
const client = new Client({ name: 'prove', version: '1' })
const headers = BERTH_TOKEN ? { Authorization: `Bearer ${BERTH_TOKEN}` } : {}
await client.connect(new StreamableHTTPClientTransport(new URL(BERTH_URL), { requestInit: { headers } }))
const { tools } = await client.listTools()
const { content } = await client.callTool({ name: 'wallet.balance', arguments: {} })
console.log(tools.map((tool) => tool.name).join(' '), content[0].text)
await client.close()
