import { readFile } from 'node:fs/promises'
import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server'
import type { ToolSchemas } from '../../app/mcp/json-schema.ts'
import type { Mcp, ServerFeatures } from '../../app/mcp/ports.ts'
import type { Env } from '../env.ts'
import { once } from '../memoize.ts'
import { serverFor } from './server.ts'

/** Largest request, bytes: tool arguments are small. */
const maxRequestBodySize = 1024 * 1024
const keepAliveMs = 15_000

/** The protocol's own server for both revisions, stateless: a fresh one for each request. */
export const mcp = (env: Env): Mcp => {
  const schemas = once((): Promise<ToolSchemas> => readFile(env.file('tools.json'), 'utf8').then(JSON.parse))
  return {
    async handle(request, features) {
      const { imageVersion } = env.settings()
      const events = new AccountEvents(features)
      const handler = createMcpHandler(() => serverFor(features, imageVersion, schemas), {
        bus: events,
        maxRequestBodySize,
        keepAliveMs,
      })
      events.onEnd = () => handler.close()
      return isBatch(await request.clone().text()) ? refuseBatch() : handler.fetch(request)
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

const isBatch = (body: string): boolean => /^\s*\[/.test(body)

/** Neither revision has batches. */
const refuseBatch = (): Response =>
  Response.json(
    { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid Request: send one message, not a batch.' }, id: null },
    { status: 400 },
  )
