import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { toolSchemas } from '../../../app/mcp/json-schema.ts'
import type { Mcp } from '../../../app/ports/mcp.ts'
import type { InstanceRecord } from '../../../domain/instance/instance.ts'
import type { Scope } from '../../../domain/scopes.ts'
import { dayMs, iso } from '../../../domain/time.ts'
import { tools } from '../../../lambdas/areas.ts'
import { catalogueArea } from '../../../lambdas/catalogue/index.ts'
import { instanceArea } from '../../../lambdas/instance/index.ts'
import { mcpArea } from '../../../lambdas/mcp/index.ts'
import { mcpStreamArea } from '../../../lambdas/mcp-stream/index.ts'
import { walletArea } from '../../../lambdas/wallet/index.ts'
import { openWorld } from '../../world.ts'
import { fixtureTools } from './fixtures.ts'

/** The operations behind MCP and its tools, over HTTP; only Stripe is outside. */
export async function openMcpWorld(extended: (mcp: Mcp) => Mcp = (mcp) => mcp, follows = true) {
  const areas = [mcpArea(tools), mcpStreamArea, walletArea, instanceArea, catalogueArea]
  const expiresAt = iso(Date.now() + dayMs)
  const world = await openWorld({
    areas,
    ports: ['restorePoints', 'tasks'],
    clock: 'running',
    follows,
    files: {
      'tools.json': { ...toolSchemas(tools), ...toolSchemas(fixtureTools.map((tool) => ({ tool, ...tool }))) },
    },
    replace: ({ mcp, payments }) => ({
      mcp: extended(mcp),
      payments: {
        ...payments,
        customer: async () => 'cus_1',
        topUpPage: async () => ({ sessionId: 'cs_1', url: 'https://pay.example/cs_1', expiresAt }),
      },
    }),
  })
  const providers = { local: { kind: 'openai', baseUrl: 'http://127.0.0.1:1', apiKey: 'k' } }
  await world.cloud.cloud.putSecret('providers', JSON.stringify(providers))
  let closed = false
  world.clock.sleep = async (ms) => {
    await sleep(ms)
    if (closed) throw new Error('the world is closed: what still follows events ends here')
  }
  const handle = world.handler(areas.flatMap(({ operations }) => operations))

  const server = createServer((request, response) => {
    respond(request, response).catch((error) => response.writeHead(500).end(String(error?.stack ?? error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // safe because it listens on TCP

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const { method = '', url = '' } = request
    const { status, body, ...sent } = await handle({
      method,
      path: url,
      headers: { Origin: undefined, ...headers },
      body: await readText(request),
    })
    response.writeHead(status, sent.headers)
    if (typeof body === 'string') return void response.end(body)
    // safe because Node has one ReadableStream
    const stream = body instanceof ReadableStream ? Readable.fromWeb(body as never) : body
    return pipeline(stream, response).catch(() => {}) // Its reader left.
  }

  /** A user with a wallet and an instance, and the credentials for calls. */
  async function tenant(state: InstanceRecord['state'] = 'running') {
    const desiredState = state === 'paused' ? 'paused' : 'running'
    const { userId, instance } = await world.tenant({ state, desiredState })
    const mint = async (scopes: Scope[]) => (await world.bearer(scopes, userId)).plaintext
    const { headers } = await world.session(userId)
    return { userId, instance, mint, bearer: await mint(['mcp:*']), cookie: headers.Cookie }
  }

  async function close() {
    closed = true
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await world.close()
  }
  return { ...world, url: `http://127.0.0.1:${port}`, tenant, close }
}

export type McpWorld = Awaited<ReturnType<typeof openMcpWorld>>
export type McpTenant = Awaited<ReturnType<McpWorld['tenant']>>

/** One JSON-RPC request of the older revision; returns the status and the one message in the body. */
export async function rpc(
  url: string,
  headers: Record<string, string>,
  body: object | string,
): Promise<{ status: number; type: string; message: Record<string, never> }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  })
  const text = await answer.text()
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    message: data ? JSON.parse(data) : {},
  }
}
