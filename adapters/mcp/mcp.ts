import { readFile } from 'node:fs/promises'
import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server'
import type { ToolSchemas } from '../../app/mcp/json-schema.ts'
import type { Mcp, ServerFeatures, TakenAnswers } from '../../app/ports/mcp.ts'
import { maxMessageBytes } from '../../domain/mcp/message-size.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'
import { serverFor } from './server.ts'

const keepAliveMs = 15_000

/** The MCP server for both revisions of the protocol, stateless: each request gets a new one. */
export const mcp = (env: Env): Mcp => {
  const schemas = once((): Promise<ToolSchemas> => readFile(env.file('tools.json'), 'utf8').then(JSON.parse))
  return {
    async handle(given, features, takes) {
      // The library requires both types in `accept`, in its own spelling.
      const request = new Request(given, { headers: { ...Object.fromEntries(given.headers), accept: bothTypes } })
      const { imageVersion } = env.settings()
      const events = new AccountEvents(features)
      const handler = createMcpHandler(() => serverFor(features, imageVersion, schemas), {
        bus: events,
        maxRequestBodySize: maxMessageBytes,
        keepAliveMs,
      })
      events.onEnd = () => handler.close()
      if (isBatch(await request.clone().text())) return refuseBatch()
      return answerAs(takes, await handler.fetch(request))
    },
  }
}

/** The event bus of one `subscriptions/listen` stream, with events of the caller only. */
class AccountEvents implements ServerEventBus {
  onEnd: () => Promise<void> = async () => {}
  readonly #features: ServerFeatures

  constructor(features: ServerFeatures) {
    this.#features = features
  }

  publish(): void {}

  subscribe(listener: Parameters<ServerEventBus['subscribe']>[0]): () => void {
    const changes = this.#features.changes()
    let ended = false
    const forward = async () => {
      for await (const change of changes) {
        if (ended) return
        if (change) listener({ kind: 'resource_updated', uri: change.uri })
      }
    }
    // The stream ends with its answer, also after a failure of the store; the client reconnects.
    void forward()
      .catch(this.#features.reportError)
      .finally(() => this.onEnd())
    return () => {
      ended = true
      void changes.return?.()
    }
  }
}

const bothTypes = 'application/json, text/event-stream'

const isEvents = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true

/** A client that accepts only one of the types gets the same message in that type. */
async function answerAs({ json, events }: TakenAnswers, answer: Response): Promise<Response> {
  if (!events && isEvents(answer)) return asJson(answer)
  const isMessage = answer.ok && answer.headers.get('content-type')?.startsWith('application/json')
  if (!json && isMessage)
    return new Response(`event: message\ndata: ${await answer.text()}\n\n`, { headers: eventsType })
  return answer
}

const eventsType = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }

async function asJson(answer: Response): Promise<Response> {
  const data = (await answer.text()).split('\n').filter((line) => line.startsWith('data: {'))
  return new Response(data.at(-1)?.slice('data: '.length), {
    status: answer.status,
    headers: { 'content-type': 'application/json' },
  })
}

const isBatch = (body: string): boolean => /^\s*\[/.test(body)

/** Neither revision of the protocol has batches. */
const refuseBatch = (): Response =>
  Response.json(
    { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid Request: send one message, not a batch.' }, id: null },
    { status: 400 },
  )
