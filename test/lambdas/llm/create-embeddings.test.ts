import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import OpenAI from 'openai'
import { maxResponseBytes } from '../../../domain/models/call-limits.ts'
import { modelId } from '../../../domain/models/catalogue.ts'
import { pricedModels } from '../../../domain/models/prices.ts'
import { type Echo, startEcho } from '../../../local/model/echo.ts'
import { echo, modelsOver } from './ports.ts'
import { leaveAfter, startProxyServer } from './proxy-server.ts'
import { answering, type Script, startUpstream } from './upstream.ts'

const idOf = (provider: 'openai' | 'local', upstreamModel: string) => modelId({ provider, upstreamModel })
const [small = echo] = pricedModels.filter(({ id }) => id === idOf('openai', 'text-embedding-3-small'))
const [local = echo] = pricedModels.filter(({ id }) => id === idOf('local', 'echo-embedding'))

let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
afterEach(() => proxy.close())

const start = async (available = 1_000_000, script: Script = answering(200, vectors(1, 1_000_000))) => {
  upstream.use(script)
  proxy = await startProxyServer(upstream.url, available, { models: modelsOver(upstream.url, [echo, small, local]) })
}
const vectors = (count: number, read: number | null) => ({
  object: 'list',
  data: Array.from({ length: count }, (_, index) => ({ object: 'embedding', index, embedding: [0.5, -0.25] })),
  model: 'text-embedding-3-small',
  ...(read !== null && { usage: { prompt_tokens: read, total_tokens: read } }),
})
const client = () => new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: 'k', maxRetries: 0 })
const ask = (more: object = {}) =>
  client().embeddings.create({ model: small.id, input: 'The tide is at nine.', encoding_format: 'float', ...more })
const thrown = (asked: Promise<unknown>) =>
  asked.then(
    () => Promise.reject(new Error('it was answered')),
    (error: InstanceType<typeof OpenAI.APIError>) => error,
  )

describe('createEmbeddings with OpenAI’s own client', () => {
  test('returns the provider’s response, and charges exactly the input', async () => {
    await start()
    const { data, usage } = await ask({ input: ['one', 'two'], dimensions: 2 })
    await proxy.under.finished
    expect(data[0]?.embedding).toEqual([0.5, -0.25])
    expect(usage.prompt_tokens).toBe(1_000_000)
    expect(upstream.seen[0]?.body).toEqual({
      model: 'text-embedding-3-small',
      input: ['one', 'two'],
      dimensions: 2,
      encoding_format: 'float',
      user: 'someone',
    })
    // 0.02 dollars per million tokens plus 5 %; the wallet pays any cost above the hold as far as its balance covers
    // it.
    expect(proxy.books.lines).toMatchObject([
      { amountMicros: -21_000, receipt: { inputTokens: 1_000_000, outputTokens: 0, settledBecause: 'usage' } },
    ])
    expect(proxy.books.state).toMatchObject({ available: 979_000, total: 979_000, holds: {} })
  })

  test.each([
    ['a text', 'Hello'],
    ['texts', ['Hello', 'https://example.com/file-abc123']],
    ['tokens', [1, 2, 3]],
    ['lists of tokens', [[1, 2], [3]]],
  ])('accepts %s, and does not search it for content', async (_, input) => {
    await start(1_000_000, answering(200, vectors(1, 3)))
    await ask({ input })
    expect(upstream.seen[0]?.body.input).toEqual(input)
  })

  test('holds at least the price of one token per input token', async () => {
    await start(1_000_000, answering(200, vectors(1, 1)))
    let held = 0
    upstream.use((response, seen, times) => {
      held = proxy.books.state.total - proxy.books.state.available
      return answering(200, vectors(1, 1))(response, seen, times)
    })
    await ask({ input: Array.from({ length: 400 }, () => Array.from({ length: 1_000 }, () => 7)) })
    expect(held).toBeGreaterThanOrEqual((400 * 1_000 * 0.02 * 105) / 100)
  })

  test('uses the first embedding model when the call names none', async () => {
    await start(1_000_000, answering(200, vectors(1, 3)))
    await ask({ model: 'default' })
    expect(upstream.seen[0]?.body.model).toBe('text-embedding-3-small')
  })

  test('sends half of an emoji in the input as the replacement character', async () => {
    await start(1_000_000, answering(200, vectors(2, 3)))
    await ask({ input: ['cut \ud83d', 'whole 🙂'] })
    expect(upstream.seen[0]?.body.input).toEqual(['cut \ufffd', 'whole 🙂'])
  })

  test('charges the counted input when the provider reports nothing, and nothing when it fails', async () => {
    await start(1_000_000, answering(200, vectors(1, null)))
    await ask({ input: 'x'.repeat(400_000) })
    await proxy.under.finished
    expect(proxy.books.lines).toMatchObject([{ receipt: { settledBecause: 'counted' } }])
    expect(proxy.books.lines[0]?.amountMicros).toBeCloseTo(-2_101, -1)
    upstream.use(answering(404, {}))
    expect(await thrown(ask())).toMatchObject({ status: 502, code: 'provider-error' })
    expect(proxy.books.lines[1]).toMatchObject({ amountMicros: 0, failure: { reason: 'unknown-address' } })
    expect(proxy.books.state.holds).toEqual({})
  })

  test('charges nothing for a response that is too large to forward', async () => {
    await start(1_000_000, async (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const part = Buffer.alloc(1_048_576, ' ')
      for (let sent = 0; sent <= maxResponseBytes && !response.destroyed; sent += part.length)
        if (!response.write(part)) await new Promise((resolve) => setImmediate(resolve))
    })
    await thrown(ask({ input: 'x'.repeat(400_000) }))
    expect(proxy.books.lines).toMatchObject([{ amountMicros: 0, failure: { reason: 'too-large' } }])
  })

  test('accepts the same call any number of times', async () => {
    await start(1_000_000, answering(200, vectors(1, 3)))
    for (let times = 0; times < 30; times++) await ask()
    expect(proxy.informed.events.filter(({ type }) => type === 'instance.runaway')).toEqual([])
  })

  test('is settled when its caller has left', async () => {
    await start()
    await leaveAfter(proxy, '/v1/embeddings', { model: small.id, input: 'Hi' }, 0)
    expect(proxy.books.state.holds).toEqual({})
  })
})

describe('createEmbeddings refuses, before the call reaches the provider,', () => {
  test.each<[string, object, string | RegExp]>([
    ['an empty input', { input: '' }, 'input'],
    ['no input', { input: undefined }, 'input'],
    ['a foreign id', { vectors: ['file-abc123'] }, 'vectors.0'],
    ['a URL', { source: 'https://x.test/a' }, 'source'],
    ['a chat model', { model: echo.id }, 'model'],
    ['an unknown model', { model: 'nothing' }, 'model'],
    ['a response too large for its hold', { input: Array.from({ length: 2_000 }, () => 'x') }, 'input'],
  ])('%s', async (_, more, field) => {
    await start()
    expect(await thrown(ask(more))).toMatchObject({ status: 400, code: 'validation', param: field })
    expect(upstream.seen).toEqual([])
    expect(proxy.books.lines).toEqual([])
  })

  test('a call from an empty wallet, with that reason', async () => {
    await start(0)
    const error = await thrown(ask())
    expect(error).toMatchObject({ status: 402, code: 'wallet-empty', type: 'insufficient_quota' })
    expect(error.message).toContain('Top it up')
    expect(upstream.seen).toEqual([])
  })

  test('a chat with an embedding model', async () => {
    await start()
    const chat = client().chat.completions.create({ model: small.id, messages: [{ role: 'user', content: 'Hi' }] })
    const error = await thrown(chat)
    expect(error).toMatchObject({ status: 400, param: 'model' })
    expect(error.message).toContain('makes embeddings and nothing else')
  })
})

test('a provider’s refusal of an input keeps its status', async () => {
  const refusal = {
    error: { message: "This model's maximum context length is 8192 tokens", type: 'x', param: 'input' },
  }
  await start(1_000_000, answering(400, refusal))
  expect(await thrown(ask())).toMatchObject({ status: 400, code: 'context_length_exceeded', param: 'input' })
  expect(proxy.books.state).toMatchObject({ available: 1_000_000, holds: {} })
})

describe('the model echo-embedding', () => {
  let model: Echo
  beforeAll(async () => {
    model = await startEcho()
  })
  afterAll(() => model.close())

  test('places texts with common words near each other, as numbers or as bytes', async () => {
    await start()
    const openai = new OpenAI({ baseURL: model.url, apiKey: 'k' })
    const input = ['the tide is at nine', 'at nine comes the tide', 'green cheese']
    // Without a format the client requests bytes and decodes them.
    const [bytes, numbers] = await Promise.all([
      openai.embeddings.create({ model: 'echo-embedding', input }),
      openai.embeddings.create({ model: 'echo-embedding', input, encoding_format: 'float' }),
    ])
    expect(bytes.data.map(({ embedding }) => [...embedding])).toEqual(numbers.data.map(({ embedding }) => embedding))
    const near = (a: number, b: number) =>
      (numbers.data[a]?.embedding ?? []).reduce((sum, x, i) => sum + x * (numbers.data[b]?.embedding[i] ?? 0), 0)
    expect(near(0, 1)).toBeGreaterThan(near(0, 2))
    expect(near(0, 0)).toBeCloseTo(1)
  })
})
