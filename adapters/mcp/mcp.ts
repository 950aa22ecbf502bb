import { readFile } from 'node:fs/promises'
import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server'
import type { ToolSchemas } from '../../app/mcp/json-schema.ts'
import type { Mcp, ServerFeatures, TakenAnswers } from '../../app/mcp/ports.ts'
import { maxMessageBytes } from '../../domain/mcp/message-size.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'
import { serverFor } from './server.ts'

const keepAliveMs = 15_000

/** The protocol's own server for both revisions, stateless: a fresh one for each request. */
export const mcp = (env: Env): Mcp => {
  const schemas = once((): Promise<ToolSchemas> => readFile(env.file('tools.json'), 'utf8').then(JSON.parse))
  return {
    async handle(given, features, takes) {
      // The library serves only a client that names both types as it writes them.
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

/** The caller's own events as the bus of one `subscriptions/listen` stream; nobody else's are ever in it. */
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
    // A stream ends with its answer whether its time is up or the store has failed; the client comes back.
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

/** The answer in a form that its client takes: a client of one type gets the same message in that type. */
async function answerAs({ json, events }: TakenAnswers, answer: Response): Promise<Response> {
  if (!events && isEvents(answer)) return asJson(answer)
  const isMessage = answer.ok && answer.headers.get('content-type')?.startsWith('application/json')
  if (!json && isMessage)
    return new Response(`event: message\ndata: ${await answer.text()}\n\n`, { headers: eventsType })
  return answer
}

const eventsType = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }

/** The one message of a stream that ends with it. */
async function asJson(answer: Response): Promise<Response> {
  const data = (await answer.text()).split('\n').filter((line) => line.startsWith('data: {'))
  return new Response(data.at(-1)?.slice('data: '.length), {
    status: answer.status,
    headers: { 'content-type': 'application/json' },
  })
}

const isBatch = (body: string): boolean => /^\s*\[/.test(body)

/** Neither revision has batches. */
const refuseBatch = (): Response =>
  Response.json(
    { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid Request: send one message, not a batch.' }, id: null },
    { status: 400 },
  )
