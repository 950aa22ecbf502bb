import Anthropic from '@anthropic-ai/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { PricedModel } from '../../../domain/models/model.ts'
import { leaveAfter, startHub } from './hub.ts'
import { echo, modelsOver } from './ports.ts'
import { answering, startUpstream, streaming } from './upstream.ts'

const claude: PricedModel = {
  ...echo,
  id: 'anthropic/claude',
  provider: 'anthropic',
  upstreamModel: 'claude',
  formats: ['anthropic-messages'],
  prices: { input: 3_000_000, cachedInput: 300_000, cacheWrite: 3_750_000, output: 15_000_000 },
}
const dollar = 1_000_000
let upstream: Awaited<ReturnType<typeof startUpstream>>
let hub: Awaited<ReturnType<typeof startHub>>

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
beforeEach(async () => {
  hub = await startHub(upstream.url, dollar, { models: modelsOver(upstream.url, [claude, echo]) })
})
afterEach(() => hub.close())

const event = (type: string, more: object = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
const started = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [],
  stop_reason: null,
  stop_sequence: null,
}
const input = { input_tokens: 100, cache_read_input_tokens: 1_000, cache_creation_input_tokens: 200, output_tokens: 3 }
const word = (text: string) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
const pieces = [
  event('message_start', { message: { ...started, usage: input } }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  event('ping'),
  word('Hel'),
  word('lo'),
  event('content_block_stop', { index: 0 }),
  event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 10 } }),
  event('message_stop'),
]
// 100 × $3 + 1 000 × $0.30 + 200 × $3.75 + 10 × $15 a million
const inputCost = 300 + 300 + 750
const cost = inputCost + 150

const messages = [{ role: 'user' as const, content: 'Say hello.' }]
const ask = { model: 'anthropic/claude', max_tokens: 500, messages }
const post = (body: object) => fetch(`${hub.url}/v1/messages`, { method: 'POST', body: JSON.stringify(body) })

describe('the official Anthropic client', () => {
  const client = () => new Anthropic({ baseURL: hub.url, apiKey: 'bmt_llm.x.y', maxRetries: 0 })

  test('streams, and pays input, cache and output once each', async () => {
    upstream.use(streaming(pieces))
    const message = await client()
      .messages.stream({ ...ask, metadata: { user_id: 'ada@example.com' } })
      .finalMessage()
    await hub.under.finished
    expect(message.content).toMatchObject([{ type: 'text', text: 'Hello' }])
    expect(upstream.seen[0]?.body).toMatchObject({
      model: 'claude',
      max_tokens: 500,
      metadata: { user_id: 'someone' },
      service_tier: 'standard_only',
    })
    expect(hub.books.lines[0]).toMatchObject({
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

  test('reads a whole message', async () => {
    upstream.use(
      answering(200, { ...started, content: [{ type: 'text', text: 'Hi' }], usage: { ...input, output_tokens: 10 } }),
    )
    const message = await client().messages.create(ask)
    await hub.under.finished
    expect(message.content).toMatchObject([{ text: 'Hi' }])
    expect(hub.books.lines[0]?.amountMicros).toBe(-cost)
  })
})

test('the bytes are the provider’s own', async () => {
  upstream.use(streaming(pieces))
  expect(await (await post({ ...ask, stream: true })).text()).toBe(pieces.join(''))
})

test.each(pieces.map((_, index) => index))('a provider that cuts before event %i', async (index) => {
  upstream.use(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    for (const piece of pieces.slice(0, index)) response.write(piece)
    await new Promise((resolve) => setTimeout(resolve, 5))
    response.destroy()
  })
  const text = await (await post({ ...ask, stream: true })).text()
  await hub.under.finished
  expect(text).toContain('event: error')
  expect(hub.books.state.holds).toEqual({})
  const line = hub.books.lines[0]
  if (index <= 3) expect(line).toBeUndefined()
  else if (index < 7)
    expect(line).toMatchObject({
      amountMicros: -(inputCost + Math.min(index - 3, 2) * 15),
      receipt: { settledBecause: 'interrupted' },
    })
  else expect(line).toMatchObject({ amountMicros: -cost, receipt: { settledBecause: 'usage' } })
})

test.each(pieces.map((_, index) => index))(
  'a client that leaves after event %i pays what the provider reports',
  async (index) => {
    upstream.use(streaming(pieces, 3))
    await leaveAfter(hub, '/v1/messages', { ...ask, stream: true }, Math.min(index, pieces.length - 2))
    expect(hub.books).toMatchObject({
      state: { available: dollar - cost, holds: {} },
      lines: [{ amountMicros: -cost }],
    })
  },
)

test('a provider’s error event goes no further', async () => {
  upstream.use(
    streaming([pieces[0] ?? '', event('error', { error: { type: 'overloaded_error', message: 'key sk-ant-1' } })]),
  )
  const text = await (await post({ ...ask, stream: true })).text()
  await hub.under.finished
  expect(text).toContain('The model provider ended the stream early')
  expect(text).not.toContain('sk-ant')
  expect(hub.books).toMatchObject({ lines: [], state: { available: dollar } })
})

const user = (block: object) => ({ messages: [{ role: 'user', content: [block] }] })
test.each([
  ['mcp_servers', { mcp_servers: [] }],
  ['container', { container: 'c' }],
  ['tools.0.type', { tools: [{ type: 'web_search_20250305', name: 'web_search', input_schema: {} }] }],
  ['messages.0.content.0.source.url', user({ type: 'document', source: { type: 'url', url: 'https://x.test' } })],
  ['messages.0.content.0.source.file_id', user({ type: 'document', source: { type: 'file', file_id: 'f' } })],
  ['messages.0.content.0.citations', user({ type: 'document', source: { type: 'text', data: 'x' }, citations: {} })],
  ['messages.0.content.0.source', user({ type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } })],
  ['messages.0.content.0.source', user({ type: 'image', source: { type: 'file', file_id: 'f' } })],
  [
    'messages.0.content.0.cache_control',
    user({ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }),
  ],
  [
    'messages.0.content.0.content.0.type',
    user({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'search_result' }] }),
  ],
  ['messages.0.content.0.type', user({ type: 'constructor' })],
  ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: 500 } }],
  ['max_tokens', { max_tokens: undefined }],
  ['model', { model: 'local/echo' }],
])('refused: %s', async (field, more) => {
  upstream.use(answering(200, {}))
  const response = await post({ ...ask, ...more })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ details: { [field]: [expect.any(String)] } })
  expect(upstream.seen).toEqual([])
})

test('thinking that the wallet cannot pay is refused before the provider would', async () => {
  const thinking = { type: 'enabled', budget_tokens: 100_000 }
  const response = await post({ ...ask, max_tokens: 120_000, thinking })
  expect(response.status).toBe(402)
})
