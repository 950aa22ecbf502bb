import Anthropic from '@anthropic-ai/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { anthropic, anthropicMessage, anthropicUsage } from './format-cases.ts'
import { echo, modelsOver } from './ports.ts'
import { startProxyServer } from './proxy-server.ts'
import { answering, sse, startUpstream, streaming } from './upstream.ts'

const dollar = 1_000_000
let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
beforeEach(async () => {
  proxy = await startProxyServer(upstream.url, dollar, { models: modelsOver(upstream.url, [anthropic.model, echo]) })
})
afterEach(() => proxy.close())

const { ask, cost, pieces } = anthropic
const post = (body: object) => fetch(`${proxy.url}/v1/messages`, { method: 'POST', body: JSON.stringify(body) })

describe('the official Anthropic client', () => {
  const client = () => new Anthropic({ baseURL: proxy.url, apiKey: 'bmt_llm.x.y', maxRetries: 0 })

  test('streams, and pays for input, cache and output once each', async () => {
    upstream.use(streaming(pieces))
    const message = await client()
      .messages.stream({ ...ask, metadata: { user_id: 'ada@example.com' } })
      .finalMessage()
    await proxy.under.finished
    expect(message.content).toMatchObject([{ type: 'text', text: 'Hello' }])
    expect(upstream.seen[0]?.body).toMatchObject({
      model: 'claude',
      max_tokens: 500,
      metadata: { user_id: 'someone' },
      service_tier: 'standard_only',
    })
    expect(proxy.books.lines[0]).toMatchObject({
      amountMicros: -cost,
      receipt: {
        inputTokens: 100,
        cachedInputTokens: 1_000,
        cacheWriteTokens: 200,
        outputTokens: 10,
        settledBecause: 'usage',
      },
    })
  })

  test('reads a complete message', async () => {
    upstream.use(
      answering(200, {
        ...anthropicMessage,
        content: [{ type: 'text', text: 'Hi' }],
        usage: { ...anthropicUsage, output_tokens: 10 },
      }),
    )
    const message = await client().messages.create(ask)
    await proxy.under.finished
    expect(message.content).toMatchObject([{ text: 'Hi' }])
    expect(proxy.books.lines[0]?.amountMicros).toBe(-cost)
  })
})

test('a provider’s error event is not forwarded', async () => {
  upstream.use(
    streaming([pieces[0] ?? '', sse({ type: 'error', error: { type: 'overloaded_error', message: 'key sk-ant-1' } })]),
  )
  const text = await (await post({ ...ask, stream: true })).text()
  await proxy.under.finished
  expect(text).toContain('The model provider failed')
  expect(text).not.toContain('sk-ant')
  expect(proxy.books).toMatchObject({
    lines: [{ amountMicros: 0, failure: { reason: 'error-in-answer' } }],
    state: { available: dollar },
  })
})

test('reasoning that the wallet cannot pay for is refused before the call reaches the provider', async () => {
  const thinking = { type: 'enabled', budget_tokens: 100_000 }
  const response = await post({ ...ask, max_tokens: 120_000, thinking })
  expect(response.status).toBe(402)
})
