import { readFile } from 'node:fs/promises'
import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server'
import type { ToolSchemas } from '../../domain/mcp/json-schema.ts'
import type { Surface } from '../../domain/mcp/surface.ts'
import type { Mcp } from '../../domain/tool.ts'
import type { Env } from '../env.ts'
import { serverFor } from './server.ts'

/** Largest request, bytes: tool arguments are small. */
const maxRequestBodySize = 1024 * 1024
const keepAliveMs = 15_000

/** The protocol's own server for both revisions, stateless: a fresh one for each request. */
export const mcp = (env: Env): Mcp => {
  let held: Promise<ToolSchemas> | undefined
  const schemas = () => {
    held ??= readFile(env.file('tools.json'), 'utf8').then((text) => JSON.parse(text))
    return held
  }
  return {
    async handle(request, surface) {
      const { imageVersion } = env.settings()
      const following = new Following(surface)
      const made = createMcpHandler(() => serverFor(surface, imageVersion, schemas), {
        bus: following,
        maxRequestBodySize,
        keepAliveMs,
      })
      following.onEnd = () => made.close()
      return isBatch(await request.clone().text()) ? refuseBatch() : made.fetch(request)
    },
  }
}

/** The caller's own events as the bus of one `subscriptions/listen` stream; nobody else's are ever in it. */
class Following implements ServerEventBus {
  onEnd: () => Promise<void> = async () => {}
  readonly #surface: Surface

  constructor(surface: Surface) {
    this.#surface = surface
  }

  publish(): void {}

  subscribe(listener: Parameters<ServerEventBus['subscribe']>[0]): () => void {
    const changes = this.#surface.changes()
    let over = false
    const tell = async () => {
      for await (const change of changes) {
        if (over) return
        if (change) listener({ kind: 'resource_updated', uri: change.uri })
      }
    }
    // A stream ends with its answer whether its time is up or the store has failed; the client comes back.
    void tell()
      .catch(this.#surface.failed)
      .finally(() => this.onEnd())
    return () => {
      over = true
      void changes.return(undefined)
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
