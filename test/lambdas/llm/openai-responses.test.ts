import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import OpenAI from 'openai'
import { finished, part, responses, responsesEvent, responsesMessage, unfinished } from './format-cases.ts'
import { echo, modelsOver } from './ports.ts'
import { startProxyServer } from './proxy-server.ts'
import { answering, startUpstream, streaming } from './upstream.ts'

const dollar = 1_000_000
let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
beforeEach(async () => {
  proxy = await startProxyServer(upstream.url, dollar, { models: modelsOver(upstream.url, [responses.model, echo]) })
})
afterEach(() => proxy.close())

const { ask, cost, pieces } = responses
const post = (body: object) => fetch(`${proxy.url}/v1/responses`, { method: 'POST', body: JSON.stringify(body) })

describe('the official OpenAI client’s responses API', () => {
  const client = () => new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: 'bmt_llm.x.y', maxRetries: 0 })

  test('streams a response and charges input, cache and output once each', async () => {
    upstream.use(streaming(pieces))
    const stream = client().responses.stream({ ...ask, store: true, metadata: { who: 'ada' }, user: 'ada' })
    const final = await stream.finalResponse()
    await proxy.under.finished
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
    expect(proxy.books.lines).toHaveLength(1)
    expect(proxy.books.lines[0]).toMatchObject({
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

  test('reads a whole response and sends its output as the next input', async () => {
    upstream.use(answering(200, finished))
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
        ...first.output.filter((output) => output.type === 'message'),
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'now', arguments: '{}', status: 'completed' },
        { type: 'function_call_output', call_id: 'c1', output: 'noon' },
        { role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
      ],
      tools: [{ type: 'function', name: 'now', parameters: {}, strict: null }],
    })
    await proxy.under.finished
    expect(proxy.books.lines.map(({ amountMicros }) => amountMicros)).toEqual([-cost, -cost])
    const { id: _, status: __, ...said } = responsesMessage
    expect(upstream.seen[1]?.body.input).toEqual([
      { role: 'user', content: 'Say hello.' },
      { ...reasoning, id: 'rs_2', encrypted_content: 'gAAA' },
      said,
      { type: 'function_call', call_id: 'c1', name: 'now', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'noon' },
      { role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
    ])
  })

  test('reports a provider’s failure without the provider’s own message', async () => {
    const failed = { ...unfinished, status: 'failed', error: { code: 'server_error', message: 'key sk-live-1' } }
    upstream.use(streaming([pieces[0] ?? '', responsesEvent('response.failed', { response: failed })]))
    const thrown = await client()
      .responses.create({ ...ask, stream: true })
      .catch(String)
    expect(thrown).toContain('The model provider failed')
    expect(thrown).not.toContain('sk-live')
    await proxy.under.finished
    expect(proxy.books).toMatchObject({ lines: [{ amountMicros: 0 }], state: { available: dollar, holds: {} } })
  })
})

// https://github.com/openai/openai-python retries a 502 twice by default
test('a failed response that its provider bills costs the caller nothing, however often an SDK retries', async () => {
  const failed = { ...finished, status: 'failed', output: [], error: { code: 'server_error', message: 'x' } }
  upstream.use(answering(200, failed))
  const sdk = new OpenAI({ apiKey: 'any', baseURL: `${proxy.url}/v1` })
  await expect(sdk.responses.create(ask)).rejects.toThrow('502')
  await proxy.under.finished
  expect(upstream.seen).toHaveLength(3)
  const free = { amountMicros: 0, receipt: { settledBecause: 'upstream-error', inputTokens: 0, outputTokens: 0 } }
  const failure = { reason: 'error-in-answer', unpaidMicros: cost }
  expect(proxy.books).toMatchObject({
    lines: Array(3).fill({ ...free, failure }),
    state: { available: dollar, holds: {}, lost: {} },
  })
})

test('a stream that fails after output is charged for the delivered output', async () => {
  const failed = { ...finished, status: 'failed', error: { code: 'server_error', message: 'x' } }
  upstream.use(streaming([...pieces.slice(0, 5), responsesEvent('response.failed', { response: failed })]))
  await (await post({ ...ask, stream: true })).text()
  await proxy.under.finished
  expect(proxy.books.lines).toMatchObject([{ amountMicros: -cost, receipt: { settledBecause: 'usage' } }])
})

test('an explicit zero is kept', async () => {
  const zero = { ...finished, usage: { ...finished.usage, input_tokens: 0, output_tokens: 0 } }
  upstream.use(streaming([...pieces.slice(0, -1), responsesEvent('response.completed', { response: zero })]))
  await (await post({ ...ask, stream: true })).text()
  await proxy.under.finished
  expect(proxy.books).toMatchObject({ lines: [], state: { available: dollar, holds: {} } })
})

test('a response that stopped at its limit is charged as the provider reports it', async () => {
  upstream.use(
    streaming([
      ...pieces.slice(0, -1),
      responsesEvent('response.incomplete', { response: { ...finished, status: 'incomplete' } }),
    ]),
  )
  await (await post({ ...ask, input: 'x'.repeat(1_000), stream: true, max_output_tokens: 30 })).text()
  await proxy.under.finished
  expect(upstream.seen[0]?.body.max_output_tokens).toBe(30)
  expect(proxy.books.lines[0]).toMatchObject({ amountMicros: -cost, receipt: { settledBecause: 'usage' } })
})

test('a limit below the API’s minimum is raised to the minimum', async () => {
  upstream.use(answering(200, finished))
  await (await post({ ...ask, max_output_tokens: 1 })).text()
  expect(upstream.seen[0]?.body.max_output_tokens).toBe(16)
})

test('a call with a file holds the price of the model’s whole context', async () => {
  proxy.books.state = { ...proxy.books.state, available: 3 * dollar, total: 3 * dollar }
  upstream.use(answering(200, finished))
  const pdf = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }
  expect((await post({ ...ask, ...part(pdf), max_output_tokens: 100 })).status).toBe(200)
  await proxy.under.finished
  expect(proxy.books.lines[0]?.receipt?.heldMicros).toBe(128_000 + 1_000)
})
