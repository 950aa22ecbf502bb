import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { basics } from '../../../adapters/basics.ts'
import { audit } from '../../../adapters/dynamo/audit.ts'
import { checkouts } from '../../../adapters/dynamo/checkouts.ts'
import { events } from '../../../adapters/dynamo/events.ts'
import { instances } from '../../../adapters/dynamo/instances.ts'
import { leases } from '../../../adapters/dynamo/leases.ts'
import { restorePoints } from '../../../adapters/dynamo/points.ts'
import { sessions } from '../../../adapters/dynamo/sessions.ts'
import { tasks } from '../../../adapters/dynamo/tasks.ts'
import { tokens } from '../../../adapters/dynamo/tokens.ts'
import { users } from '../../../adapters/dynamo/users.ts'
import { wallets } from '../../../adapters/dynamo/wallets.ts'
import { catalogue } from '../../../adapters/files/catalogue.ts'
import { mcp } from '../../../adapters/mcp/mcp.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { toolSchemas } from '../../../domain/mcp/json-schema.ts'
import type { Ports } from '../../../domain/ports.ts'
import type { Scope } from '../../../domain/scopes.ts'
import { dayMs, iso } from '../../../domain/time.ts'
import type { Mcp } from '../../../domain/tool.ts'
import { catalogueArea } from '../../../lambdas/catalogue/index.ts'
import { instanceArea } from '../../../lambdas/instance/index.ts'
import { type Area, area, pathParameters } from '../../../lambdas/kit/operation.ts'
import { type Reply, serve } from '../../../lambdas/kit/serve.ts'
import { mcpArea } from '../../../lambdas/mcp/index.ts'
import { listedTools } from '../../../lambdas/mcp/tools.ts'
import { walletArea } from '../../../lambdas/wallet/index.ts'
import { readCatalogue } from '../../../lib/catalogue.ts'
import { startEngine } from '../../adapters/engine.ts'
import { fixtureTools } from './fixtures.ts'

export type House = Awaited<ReturnType<typeof openHouse>>
export type Tenant = Awaited<ReturnType<House['tenant']>>

/** The operations behind MCP and its tools, over real stores and HTTP; only Stripe and the bus stay outside. */
export async function openHouse(dressed: (mcp: Mcp) => Mcp = (mcp) => mcp) {
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT'
  const { env, stop } = await startEngine()
  const shipped = mkdtempSync(join(tmpdir(), 'berth-catalogue-'))
  const built = readCatalogue(fileURLToPath(new URL('../../../catalogue', import.meta.url)))
  writeFileSync(join(shipped, 'catalogue.json'), JSON.stringify(built))
  writeFileSync(join(shipped, 'tools.json'), JSON.stringify(toolSchemas([...listedTools, ...fixtureTools])))
  const file = (name: string) => join(shipped, name)
  const stores = {
    audit: audit(env),
    checkouts: checkouts(env),
    events: events(env),
    instances: instances(env),
    restorePoints: restorePoints(env),
    sessions: sessions(env),
    tasks: tasks(env),
    tokens: tokens(env),
    users: users(env),
    wallets: wallets(env),
  }
  const { clock, ...others } = basics(env)
  let closed = false
  const deps = {
    ...others,
    clock: {
      ...clock,
      sleep: async (ms: number) => {
        await clock.sleep(ms)
        if (closed) throw new Error('the house is closed: what still follows events ends here')
      },
    },
    ...stores,
    mcp: dressed(mcp({ ...env, file })),
    catalogue: catalogue({ ...env, file }),
    bus: { publish: async () => {} },
    cursors: plainCursors,
    leases: leases(env),
    pages: {
      customer: async () => 'cus_1',
      topUpPage: async () => ({
        sessionId: 'cs_1',
        url: 'https://pay.example/cs_1',
        expiresAt: iso(Date.now() + dayMs),
      }),
    },
    models: { find: async () => ({ id: 'local/echo' }), list: async () => [] },
  } as unknown as Ports // safe because no tool's operation uses another port

  const handlers = [mcpArea, walletArea, instanceArea, catalogueArea].map((one) => ({
    routes: one.operations.map(({ http }) => ({ ...http, pattern: patternOf(http.path) })),
    handle: serve(area({ ...one, stream: false }) satisfies Area, deps),
  }))

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error?.stack ?? error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  const url = `http://127.0.0.1:${port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    for (const { routes, handle } of handlers) {
      const route = routes.find((one) => one.method === request.method && one.pattern.test(pathname))
      if (!route) continue
      const values = route.pattern.exec(pathname)?.slice(1) ?? []
      const event = {
        httpMethod: route.method,
        resource: route.path,
        path: pathname,
        headers: request.headers,
        pathParameters: Object.fromEntries(pathParameters(route.path).map((name, i) => [name, values[i]])),
        queryStringParameters: Object.fromEntries(searchParams),
        body: await readText(request),
        isBase64Encoded: false,
        requestContext: { requestId: 'req_1', identity: { sourceIp: '192.0.2.1' } },
      }
      // safe because middy reads nothing of the Lambda context here, and serve() leaves a Reply
      const reply = (await handle(event, {} as Parameters<typeof handle>[1])) as Reply
      response.writeHead(reply.statusCode, reply.headers)
      if (typeof reply.body === 'string') return void response.end(reply.body)
      return pipeline(Readable.fromWeb(reply.body as never), response).catch(() => {}) // safe because Node has one ReadableStream
    }
    response.writeHead(404).end()
  }

  /** A user with a wallet and an instance of their own, and what calls them need. */
  async function tenant(state: 'running' | 'paused' = 'running') {
    const nowMs = Date.now()
    const email = `${randomBytes(6).toString('hex')}@example.com`
    const { id: userId } = (await stores.users.findOrCreate(email, deps.ids.next('usr'), nowMs)).user
    await stores.wallets.open(userId)
    const made = newInstance({ instanceId: deps.ids.next('ins'), userId }, 'basic', '1', nowMs)
    const instance = { ...made, state, desiredState: state, deadlineMs: null }
    await stores.instances.create(instance)
    const mint = async (scopes: Scope[]) => {
      const base = { userId, name: 'test', scopes, createdAt: iso(nowMs), lastUsedAt: null, revokedAt: null }
      return (await stores.tokens.mint({ ...base, expiresAt: iso(nowMs + dayMs) })).plaintext
    }
    const { cookie } = await stores.sessions.open(userId, nowMs, 'test')
    return { userId, instance, mint, bearer: await mint(['mcp:*']), cookie: `__Secure-service.session=${cookie}` }
  }

  return {
    url,
    env,
    deps,
    stores,
    tenant,
    async close() {
      closed = true
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(shipped, { recursive: true })
      await stop()
    },
  }
}

/** Cursors without a key: what is sealed and how is the adapter's own test. */
const plainCursors: Ports['cursors'] = {
  seal: async (place, text) => btoa(`${place}\n${text}`),
  open: async (place, sealed) => (/^[\w=]+$/.test(sealed) ? (atob(sealed).split(`${place}\n`)[1] ?? null) : null),
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`)

/** One JSON-RPC request of the older revision; answers the status and the one message in the body. */
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
