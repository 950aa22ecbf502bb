import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ports } from '../../../adapters/ports.ts'
import type { CallPorts } from '../../../app/models/billed-call.ts'
import { unaudited } from '../../../app/outbox/outbox.ts'
import type { Actor } from '../../../domain/actor.ts'
import { asDomainError, statusOf, toErrorBody } from '../../../lambdas/kit/errors.ts'
import type { RequestFacts, StreamedResponse } from '../../../lambdas/kit/operation.ts'
import { createEmbeddings } from '../../../lambdas/llm/create-embeddings.ts'
import { proxyModelCall } from '../../../lambdas/llm/proxy-model-call.ts'
import { denying, memoryWallets, modelsOver, noBodies, testBasics, turnTokens } from './ports.ts'

let users = 0

const operationAt = (target: string) => (target.endsWith('/embeddings') ? createEmbeddings : proxyModelCall)

/** A new user for every proxy, so that one proxy's records never affect the next. */
const newActor = () =>
  ({
    kind: 'machine',
    userId: `usr_${++users}`,
    instanceId: 'ins_1',
    generation: 1,
    audience: 'llm',
  }) as const satisfies Actor

type ProxyPorts = CallPorts & Pick<Ports, 'machineTokens' | 'conversations' | 'callBodies' | 'leases'>

/** The notifications that were written. */
interface Informed {
  events: Record<string, unknown>[]
  /** The user of each note that something happened. */
  touched: string[]
  /** Makes both of these fail. */
  broken?: boolean
}

/** The proxy's operation behind a plain Node server, as the proxy runs it. */
export async function startProxyServer(
  upstreamUrl: string,
  available: number,
  more: Partial<ProxyPorts> = {},
  as: { userId?: string } = {},
) {
  const { wallets, books } = memoryWallets(available)
  const actor = { ...newActor(), ...as }
  const informed: Informed = { events: [], touched: [] }
  const inform = (note: () => void) => {
    if (informed.broken) throw new Error('down')
    note()
  }
  const deps: ProxyPorts = {
    ...testBasics(),
    wallets,
    machineTokens: turnTokens,
    // safe because a call asks whether its prompt is open
    conversations: { openPrompt: async () => ({}) } as unknown as Ports['conversations'],
    ...noBodies,
    models: modelsOver(upstreamUrl),
    denials: denying(),
    events: {
      record: async (_user, type, data) => inform(() => informed.events.push({ type, ...data })),
      entry: () => ({ items: [], isWritten: false }),
      after: async () => [],
    },
    instances: {
      touch: async (_user: string, _at: string, by: string) => inform(() => informed.touched.push(by)),
    } as unknown as Ports['instances'], // safe because a call only touches
    ...more,
  }
  const running: Promise<void>[] = []
  /** Waits until every call so far is settled. */
  const under = {
    get finished() {
      return Promise.all(running).then(() => {})
    },
  }
  const server = createServer(async (request, response) => {
    let rawBody = ''
    for await (const part of request) rawBody += part
    // safe because Node joins repeated headers of these names into one string
    const headers = request.headers as Record<string, string>
    const { pathname: target, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const query = Object.fromEntries(searchParams)
    const facts = { id: 'req_1', ip: '192.0.2.1', headers, rawBody, method: 'POST', target, query }
    const context = {
      input: {},
      actor,
      deps,
      now: Date.now(),
      request: facts,
      cookie: () => null,
      setCookie() {},
      admit: async () => {},
      outboxFor: unaudited,
      claims: [],
      countAs: async () => {},
      setRateWindow() {},
      reportError() {},
    }
    const done = operationAt(target)
      .run(context)
      .then((reply) => write(response, reply as StreamedResponse)) // safe because the operation streams
      .catch((thrown) => refuse(response, thrown, facts))
    running.push(done.catch(() => {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/llm/proxy`,
    userId: actor.userId,
    books,
    informed,
    under,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Calls, reads this number of chunks and leaves; resolves when the call is settled. */
export async function leaveAfter(
  proxy: Awaited<ReturnType<typeof startProxyServer>>,
  path: string,
  body: object,
  chunks: number,
): Promise<void> {
  const gone = new AbortController()
  const asked = { method: 'POST', body: JSON.stringify(body), signal: gone.signal }
  const reader = (await fetch(`${proxy.url}${path}`, asked)).body?.getReader()
  for (let read = 0; read < chunks; read++) await reader?.read()
  gone.abort()
  await reader?.read().catch(() => {})
  for (let i = 0; i < 400 && Object.keys(proxy.books.state.holds).length > 0; i++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await proxy.under.finished
}

async function write(response: ServerResponse, { status, headers, body }: StreamedResponse): Promise<void> {
  response.writeHead(status, headers)
  if (typeof body !== 'function') throw new Error('a model call writes its answer')
  await body(response)
}

function refuse(response: ServerResponse, thrown: unknown, request: RequestFacts): void {
  const error = asDomainError(thrown)
  if (error.code === 'internal') console.error(thrown)
  const everywhere = { status: statusOf[error.code], body: toErrorBody(error) }
  const { status, body } = operationAt(request.target).errorAs?.(error, everywhere.status, request) ?? everywhere
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
