import { createServer, request as httpRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import type { Ports } from '../../adapters/ports.ts'
import { notFound, rateLimited } from '../../domain/errors.ts'
import { isContractPath } from '../../domain/models/api-formats.ts'
import { turnClaims } from '../../domain/tokens/machine-token.ts'
import { toErrorBody } from '../../lambdas/kit/errors.ts'
import { listModels } from '../../lambdas/llm/machine-model.ts'
import { modelsOver } from '../lambdas/llm/ports.ts'
import { startProxyServer } from '../lambdas/llm/proxy-server.ts'
import type { ModelRequest, ProtocolServer } from './protocol-server.ts'
import { errorOf, isVendors, refuseCall } from './refuse-call.ts'

/** Model calls a minute, as the service counts them. */
const perMinute = 60

/**
 * The service's own model proxy in front of the server's script: its formats, rules, errors, holds and prices, for one
 * wallet in memory. The proxy verifies the proof of a turn as the service does.
 */
export async function startRealProxy(server: ProtocolServer, balanceMicros: number) {
  const upstream = createServer(async (request, response) => {
    await server.playModel('/chat/completions', JSON.parse(await readText(request)), response)
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { port } = upstream.address() as AddressInfo // safe because it listens on TCP
  const isOpen = (id: string | null) => server.prompts.some((prompt) => prompt.id === id && prompt.closed.length === 0)
  const own = { userId: '' }
  const proxy = await startProxyServer(`http://127.0.0.1:${port}`, balanceMicros, {
    machineTokens: {
      sign: () => Promise.reject(new Error('nothing is signed here')),
      verify: async (token, _audience, now) => {
        const id = /^bmt_turn\.(\w+)$/.exec(token)?.[1]
        if (!id) return null
        return turnClaims({ userId: own.userId, instanceId: 'ins_1', generation: 1 }, { trigger: 'chat', id }, now)
      },
    },
    // safe because a call asks only whether its prompt is open
    conversations: {
      openPrompt: async (_: string, id: string) => (isOpen(id) ? {} : null),
    } as unknown as Ports['conversations'],
  })
  own.userId = proxy.userId
  const calledMs: number[] = []

  server.proxy = async (call, response) => {
    const path = call.target.split('?', 1)[0] ?? ''
    calledMs.push(Date.now())
    const inWindow = calledMs.filter((ms) => ms > Date.now() - 60_000).length
    if (inWindow > perMinute) return refuseCall(response, path, rateLimited(60))
    if (call.method === 'GET') return list(path, response)
    if (!isContractPath(path) && !isVendors(path) && !path.endsWith('/embeddings'))
      return refuseCall(response, path, notFound('address'))
    const [next] = server.script
    if (next && ('status' in next || 'refusal' in next)) {
      server.script.shift()
      server.modelCalls.push(JSON.parse(call.raw))
      server.onEffect('/llm/proxy')
      return refuseCall(response, path, errorOf(next))
    }
    forward(`${proxy.url}${call.target.replace(/^\/llm\/proxy/, '')}`, call, response)
  }

  return {
    books: proxy.books,
    /** Resolves when every call so far is settled. */
    settled: () => proxy.under.finished,
    async close() {
      upstream.closeAllConnections()
      upstream.close()
      await proxy.close()
    },
  }
}

async function list(path: string, response: ServerResponse): Promise<void> {
  const all = await listModels(modelsOver('http://127.0.0.1:9'), true)
  const id = /\/models\/(.+)$/.exec(path)?.[1]
  const found = id ? all.data.find((model) => model.id === decodeURIComponent(id)) : all
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
  response.end(JSON.stringify(found ?? toErrorBody(notFound('model'))))
}

function forward(url: string, { headers, raw }: ModelRequest, response: ServerResponse): void {
  const passed = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(host|connection|transfer-encoding)$/.test(name)),
  )
  const onward = httpRequest(
    url,
    { method: 'POST', headers: { ...passed, 'content-length': Buffer.byteLength(raw) } },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    },
  )
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  onward.end(raw)
}
