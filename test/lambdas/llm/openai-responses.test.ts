import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import OpenAI from 'openai'
import type { PricedModel } from '../../../domain/models/model.ts'
import { leaveAfter, startHub } from './hub.ts'
import { echo, modelsOver } from './ports.ts'
import { answering, startUpstream, streaming } from './upstream.ts'

const gpt: PricedModel = {
  ...echo,
  id: 'openai/gpt',
  provider: 'openai',
  upstreamModel: 'gpt',
  formats: ['openai-chat', 'openai-responses'],
  prices: { input: 1_000_000, cachedInput: 100_000, cacheWrite: 1_000_000, output: 10_000_000 },
}
const dollar = 1_000_000
let upstream: Awaited<ReturnType<typeof startUpstream>>
let hub: Awaited<ReturnType<typeof startHub>>

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
beforeEach(async () => {
  hub = await startHub(upstream.url, dollar, { models: modelsOver(upstream.url, [gpt, echo]) })
})
afterEach(() => hub.close())

const usage = {
  input_tokens: 1_000,
  input_tokens_details: { cached_tokens: 400, cache_write_tokens: 0 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 1_030,
}
// 600 × $1 + 400 × $0.10 + 30 × $10 a million
const cost = 600 + 40 + 300

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
}
const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt', error: null, output: [message] }
const done = { ...response, status: 'completed', usage }

let sequence = 0
const event = (type: string, more: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...more })}\n\n`
const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const pieces = [
  event('response.created', { response: { ...response, status: 'in_progress', output: [], usage: null } }),
  event('response.output_item.added', { output_index: 0, item: { ...message, content: [] } }),
  event('response.content_part.added', { ...at, part: { type: 'output_text', text: '', annotations: [] } }),
  event('response.output_text.delta', { ...at, delta: 'Hel' }),
  event('response.output_text.delta', { ...at, delta: 'lo' }),
  event('response.output_text.done', { ...at, text: 'Hello' }),
  event('response.output_item.done', { output_index: 0, item: message }),
  event('response.completed', { response: done }),
]

const ask = { model: 'openai/gpt', input: 'Say hello.' }
const post = (body: object) => fetch(`${hub.url}/v1/responses`, { method: 'POST', body: JSON.stringify(body) })

describe('the official OpenAI client’s responses', () => {
  const client = () => new OpenAI({ baseURL: `${hub.url}/v1`, apiKey: 'bmt_llm.x.y', maxRetries: 0 })

  test('stream, and pay input, cache and output once each', async () => {
    upstream.use(streaming(pieces))
    const stream = client().responses.stream({ ...ask, store: true, metadata: { who: 'ada' }, user: 'ada' })
    const final = await stream.finalResponse()
    await hub.under.finished
    expect(final.output_text).toBe('Hello')
    expect(upstream.seen[0]?.body).toEqual({
      input: 'Say hello.',
      model: 'gpt',
      max_output_tokens: 8_192,
      store: false,
      stream: true,
      service_tier: 'default',
      safety_identifier: 'someone',
      prompt_cache_key: 'someone',
    })
    expect(hub.books.lines).toHaveLength(1)
    expect(hub.books.lines[0]).toMatchObject({
      amountMicros: -cost,
      receipt: {
        inputTokens: 600,
        cachedInputTokens: 400,
        outputTokens: 30,
        reasoningTokens: 20,
        settledBecause: 'usage',
      },
    })
  })

  test('read a whole answer, and go on with its output as the next input', async () => {
    upstream.use(answering(200, done))
    const first = await client().responses.create({ ...ask, reasoning: { effort: 'low', summary: 'auto' } })
    expect(first.output_text).toBe('Hello')
    const reasoning = { type: 'reasoning' as const, id: 'rs_1', summary: [] }
    await client().responses.create({
      model: 'openai/gpt',
      include: ['reasoning.encrypted_content'],
      input: [
        { role: 'user', content: 'Say hello.' },
        reasoning,
        { ...reasoning, id: 'rs_2', encrypted_content: 'gAAA' },
        ...first.output.filter((one) => one.type === 'message'),
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'now', arguments: '{}', status: 'completed' },
        { type: 'function_call_output', call_id: 'c1', output: 'noon' },
        { role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
      ],
      tools: [{ type: 'function', name: 'now', parameters: {}, strict: null }],
    })
    await hub.under.finished
    expect(hub.books.lines.map(({ amountMicros }) => amountMicros)).toEqual([-cost, -cost])
    const { id: _, status: __, ...said } = message
    expect(upstream.seen[1]?.body.input).toEqual([
      { role: 'user', content: 'Say hello.' },
      { ...reasoning, id: 'rs_2', encrypted_content: 'gAAA' },
      said,
      { type: 'function_call', call_id: 'c1', name: 'now', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'noon' },
      { role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
    ])
  })

  test('hear of a provider that fails, but not its words', async () => {
    const failed = { ...response, status: 'failed', error: { code: 'server_error', message: 'key sk-live-1' } }
    upstream.use(streaming([pieces[0] ?? '', event('response.failed', { response: failed })]))
    const stream = await client().responses.create({ ...ask, stream: true })
    const read = async () => {
      for await (const one of stream) expect(JSON.stringify(one)).not.toContain('sk-live')
    }
    await expect(read()).rejects.toThrow('The model provider ended the stream early')
    await hub.under.finished
    expect(hub.books).toMatchObject({ lines: [], state: { available: dollar, holds: {} } })
  })
})

test('the bytes are the provider’s own', async () => {
  upstream.use(streaming(pieces))
  expect(await (await post({ ...ask, stream: true })).text()).toBe(pieces.join(''))
})

test.each(pieces.map((_, index) => index))('a provider that cuts before event %i', async (index) => {
  upstream.use(async (answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' })
    answer.flushHeaders()
    for (const piece of pieces.slice(0, index)) answer.write(piece)
    await new Promise((resolve) => setTimeout(resolve, 5))
    answer.destroy()
  })
  const text = await (await post({ ...ask, stream: true })).text()
  await hub.under.finished
  expect(text.startsWith(pieces.slice(0, index).join(''))).toBe(true)
  expect(text).toContain('event: error')
  expect(hub.books.state.holds).toEqual({})
  const receipt = hub.books.lines[0]?.receipt
  if (index <= 3) expect(receipt).toBeUndefined()
  else {
    expect(receipt).toMatchObject({ settledBecause: 'interrupted', outputTokens: Math.min(index - 3, 2) })
    expect(receipt?.settledMicros).toBeLessThanOrEqual(receipt?.heldMicros ?? 0)
  }
})

test.each(pieces.map((_, index) => index))(
  'a client that leaves after event %i pays what the provider reports',
  async (index) => {
    upstream.use(streaming(pieces, 3))
    await leaveAfter(hub, '/v1/responses', { ...ask, stream: true }, Math.min(index, pieces.length - 2))
    expect(hub.books).toMatchObject({
      state: { available: dollar - cost, holds: {} },
      lines: [{ amountMicros: -cost }],
    })
  },
)

test('an explicit zero is kept', async () => {
  const zero = { ...done, usage: { ...usage, input_tokens: 0, output_tokens: 0 } }
  upstream.use(streaming([...pieces.slice(0, -1), event('response.completed', { response: zero })]))
  await (await post({ ...ask, stream: true })).text()
  await hub.under.finished
  expect(hub.books).toMatchObject({ lines: [], state: { available: dollar, holds: {} } })
})

test('an answer that stopped at its limit is paid as reported', async () => {
  upstream.use(
    streaming([...pieces.slice(0, -1), event('response.incomplete', { response: { ...done, status: 'incomplete' } })]),
  )
  await (await post({ ...ask, input: 'x'.repeat(1_000), stream: true, max_output_tokens: 30 })).text()
  await hub.under.finished
  expect(upstream.seen[0]?.body.max_output_tokens).toBe(30)
  expect(hub.books.lines[0]).toMatchObject({ amountMicros: -cost, receipt: { settledBecause: 'usage' } })
})

test('a limit below the format’s least is raised to it', async () => {
  upstream.use(answering(200, done))
  await (await post({ ...ask, max_output_tokens: 1 })).text()
  expect(upstream.seen[0]?.body.max_output_tokens).toBe(16)
})

const item = (one: object) => ({ input: [one] })
const part = (one: object) => item({ role: 'user', content: [one] })
test.each([
  ['background', { background: true }],
  ['previous_response_id', { previous_response_id: 'resp_1' }],
  ['conversation', { conversation: 'conv_1' }],
  ['prompt', { prompt: { id: 'pmpt_1' } }],
  ['include.0', { include: ['web_search_call.action.sources'] }],
  ['tools.0', { tools: [{ type: 'web_search' }] }],
  ['tools.0', { tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://x.test' }] }],
  ['context_management', { context_management: [{ type: 'compaction' }] }],
  ['service_tier', { service_tier: 'priority' }],
  ['input.0.type', item({ type: 'item_reference', id: 'msg_1' })],
  ['input.0.type', item({ type: 'web_search_call', id: 'ws_1', status: 'completed' })],
  ['input.0.content.0.file_id', part({ type: 'input_image', file_id: 'f' })],
  ['input.0.content.0.image_url', part({ type: 'input_image', image_url: 'https://x.test/a.png' })],
  ['input.0.content.0.file_url', part({ type: 'input_file', file_url: 'https://x.test/a.pdf' })],
  ['input.0.content.0.file_data', part({ type: 'input_file', file_data: 'https://x.test/a.pdf' })],
  ['input.0.content.0.type', part({ type: 'input_audio' })],
  ['input.0.content.0.type', part({ type: 'constructor' })],
  ['model', { model: 'local/echo' }],
])('refused: %s', async (field, more) => {
  upstream.use(answering(200, {}))
  const refused = await post({ ...ask, ...more })
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({ details: { [field]: [expect.any(String)] } })
  expect(upstream.seen).toEqual([])
})

test('a file is held for at the model’s whole context', async () => {
  hub.books.state = { ...hub.books.state, available: 3 * dollar, total: 3 * dollar }
  upstream.use(answering(200, done))
  const pdf = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }
  expect((await post({ ...ask, ...part(pdf), max_output_tokens: 100 })).status).toBe(200)
  await hub.under.finished
  expect(hub.books.lines[0]?.receipt?.heldMicros).toBe(128_000 + 1_000)
})
