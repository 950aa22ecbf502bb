import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { silenceMs } from '../../../adapters/dynamo/client.ts'
import { toolSchemas } from '../../../app/mcp/json-schema.ts'
import { tools } from '../../../lambdas/areas.ts'
import { llmArea } from '../../../lambdas/llm/index.ts'
import { mcpArea } from '../../../lambdas/mcp/index.ts'
import { tokensArea } from '../../../lambdas/tokens/index.ts'
import { walletArea } from '../../../lambdas/wallet/index.ts'
import { intercept } from '../../adapters/engine.ts'
import { some } from '../../counts.ts'
import { openWorld, type TestRequest, type World } from '../../world.ts'
import { echo, modelsOver } from '../llm/ports.ts'
import { answering, startUpstream, usage } from '../llm/upstream.ts'

let world: World
let upstream: Awaited<ReturnType<typeof startUpstream>>
beforeAll(async () => {
  upstream = await startUpstream()
  upstream.use(answering(200, { choices: [{ message: { content: 'Hi' } }], usage: usage(1_000, 10) }))
  const models = modelsOver(upstream.url, [echo])
  world = await openWorld({
    areas: [tokensArea, walletArea, mcpArea(tools), llmArea],
    clock: 'running',
    files: { 'tools.json': toolSchemas(tools) },
    // A change's follow-ups must not meet the silent store instead of the request.
    follows: false,
    replace: () => ({ models }),
  })
})
afterAll(async () => {
  await world.close()
  await upstream.close()
})

/**
 * The requests of the call under test: the world's own streams and jobs also use the store, and need their responses.
 */
const underTest = new AsyncLocalStorage<true>()

/** From the call's n-th request on, the store never responds; `does` says whether it still performs the request. */
function hangFrom(nth: number, does: boolean): () => boolean {
  let left = nth
  let met = false
  const off = intercept(async (send) => {
    if (!underTest.getStore() || left-- > 0) return send()
    met = true
    if (does) await send()
    // The client's time limit, and the error that it then throws.
    await sleep(silenceMs)
    throw Object.assign(new Error('no answer'), { name: 'TimeoutError' })
  })
  return () => {
    off()
    return met
  }
}

const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wallet.balance', arguments: {} } }
const requests = {
  read: { method: 'GET', path: '/wallet' },
  mint: { method: 'POST', path: '/tokens', body: { name: 'Mine' } },
  'tool of MCP': {
    method: 'POST',
    path: '/mcp',
    body: rpc,
    headers: { Accept: 'application/json, text/event-stream' },
  },
  'model call': {
    method: 'POST',
    path: '/v1/chat/completions',
    body: { model: 'local/echo', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100 },
  },
}

async function ask(name: keyof typeof requests) {
  const { userId } = await world.tenant()
  await world.ports.wallets.creditOnce(userId, 'start', 1_000_000, 'adjustment', 'Start', '2026-11-20T12:00:00.000Z')
  const { headers } = await world.bearer(['mcp:*', 'api:llm', 'api:tokens.write'], userId)
  const asked: TestRequest = requests[name]
  return { userId, request: () => world.request({ ...asked, headers: { ...headers, ...asked.headers } }) }
}

describe('a store that accepts every request and never responds', () => {
  // Each takes up to five seconds.
  test.each(
    some(
      [
        ['mint', 1, false],
        ['model call', 1, true],
        ['read', 0, false],
        ['read', 1, false],
        ['mint', 0, true],
        ['mint', 2, true],
        ['tool of MCP', 0, false],
        ['tool of MCP', 1, false],
        ['model call', 0, false],
        ['model call', 2, false],
        ['model call', 3, true],
      ] as const,
      2,
    ),
  )(
    'delays a call at most five seconds: a %s, from request %i on, done: %s',
    async (name, nth, does) => {
      const { userId, request } = await ask(name)
      const wasMet = hangFrom(nth, does)
      const fromMs = performance.now()
      const answer = await underTest.run(true, request)
      const tookMs = performance.now() - fromMs
      expect(wasMet()).toBe(true)
      expect(tookMs).toBeLessThan(5_000)
      expect([200, 500]).toContain(answer.status)
      await sleep(400)
      const { available, holds } = await world.ports.wallets.read(userId)
      expect(available + Object.values(holds).reduce((sum, { micros }) => sum + micros, 0)).toBeLessThanOrEqual(
        1_000_000,
      )
      expect(available).toBeGreaterThanOrEqual(0)
      expect((await request()).status).toBeLessThan(300)
    },
    20_000,
  )
})
