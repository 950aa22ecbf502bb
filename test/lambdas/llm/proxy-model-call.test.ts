import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import OpenAI from 'openai'
import { leaveAfter, startProxyServer } from './proxy-server.ts'
import { answering, delta, sse, startUpstream, stop, streaming, usage, usageChunk } from './upstream.ts'

let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>
const dollar = 1_000_000

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
beforeEach(async () => {
  proxy = await startProxyServer(upstream.url, dollar)
})
afterEach(() => proxy.close())

const messages = [{ role: 'user' as const, content: 'Say hello.' }]
const client = () => new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: 'bmt_llm.x.y', maxRetries: 0 })
const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(proxy.url, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers })
const whole = {
  id: 'c1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
}

describe('proxyModelCall with the official OpenAI client', () => {
  test('passes on a last event without a blank line that comes after the first output', async () => {
    upstream.use(streaming([sse(delta('Hi')), sse(stop), 'data: [DONE]'], 8))
    const response = await post({ stream: true, messages })
    expect(await response.text()).toBe(`${sse(delta('Hi'), stop)}data: [DONE]`)
  })

  test('streams with nothing but base URL and key, and charges the reported usage', async () => {
    upstream.use(
      streaming([sse(delta('Hel')), sse(delta('lo')), sse(stop), sse(usageChunk(usage(1_000, 500))), sse('[DONE]')]),
    )
    const stream = await client().chat.completions.create({ model: 'local/echo', messages, stream: true })
    let text = ''
    const usages: unknown[] = []
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      if (chunk.usage) usages.push(chunk.usage)
    }
    await proxy.under.finished
    expect(text).toBe('Hello')
    expect(usages).toEqual([])
    expect(upstream.seen[0]?.body).toMatchObject({
      model: 'echo',
      stream_options: { include_usage: true },
      user: 'someone',
      max_tokens: 8_192,
    })
    // 1 000 × $0.50 + 500 × $1.50 per million
    expect(proxy.books.lines).toHaveLength(1)
    expect(proxy.books.lines[0]).toMatchObject({
      amountMicros: -1_250,
      receipt: {
        inputTokens: 1_000,
        outputTokens: 500,
        settledMicros: 1_250,
        settledBecause: 'usage',
        trigger: 'heartbeat',
        model: 'local/echo',
      },
    })
    expect(proxy.books.state).toMatchObject({ available: dollar - 1_250, holds: {} })
    expect(proxy.informed).toMatchObject({
      touched: ['nobody'],
      events: [{ type: 'wallet.charged', amountMicros: -1_250, balanceMicros: dollar - 1_250 }],
    })
  })

  test.each([
    ['chat', 'person'],
    ['tool', 'person'],
    ['schedule', 'nobody'],
    ['heartbeat', 'nobody'],
  ])('by a turn that %s started keeps the machine awake for %s', async (trigger, by) => {
    upstream.use(answering(200, { ...whole, usage: usage(10, 1) }))
    const turn = { 'x-berth-turn': `${proxy.userId}/${trigger}/prm_1` }
    expect((await post({ model: 'local/echo', messages }, turn)).status).toBe(200)
    await proxy.under.finished
    expect(proxy.informed.touched).toEqual([by])
  })

  test('returns its own usage report when the caller asked for one', async () => {
    upstream.use(streaming([sse(delta('Hi'), usageChunk(usage(10, 1)), '[DONE]')]))
    const stream = await client().chat.completions.create({
      model: 'local/echo',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    })
    const usages: unknown[] = []
    for await (const chunk of stream) if (chunk.usage) usages.push(chunk.usage)
    expect(usages).toEqual([usage(10, 1)])
  })

  test('reads a complete response', async () => {
    upstream.use(answering(200, { ...whole, usage: usage(200, 100) }))
    const done = await client().chat.completions.create({ model: 'default', messages })
    await proxy.under.finished
    expect(done.choices[0]?.message.content).toBe('Hello')
    expect(proxy.books.lines[0]?.amountMicros).toBe(-250)
  })
})

describe('proxyModelCall charges', () => {
  test('cached tokens as part of the prompt, not in addition (LiteLLM #14849)', async () => {
    upstream.use(answering(200, { ...whole, usage: usage(1_000, 0, 400) }))
    await (await post({ messages })).text()
    await proxy.under.finished
    expect(proxy.books.lines[0]).toMatchObject({
      amountMicros: -500,
      receipt: { inputTokens: 600, cachedInputTokens: 400 },
    })
  })

  test('an explicit zero without an estimate in its place', async () => {
    upstream.use(streaming([sse(delta('free'), usageChunk(usage(0, 0)), '[DONE]')]))
    await (await post({ messages, stream: true })).text()
    await proxy.under.finished
    expect(proxy.books.lines).toEqual([])
    expect(proxy.books.state).toMatchObject({ available: dollar, holds: {} })
  })

  test('never more than the hold, whatever the provider reports', async () => {
    proxy.books.state = { ...proxy.books.state, available: 300, total: 300 }
    upstream.use(answering(200, { ...whole, usage: usage(1_000_000, 1_000_000) }))
    expect((await post({ messages })).status).toBe(200)
    await proxy.under.finished
    expect(proxy.books.state).toMatchObject({ available: 0, total: 0, holds: {} })
    expect(upstream.seen[0]?.body.max_tokens).toBeLessThan(8_192)
  })

  test('a hold per requested response: n multiplies the output', async () => {
    upstream.use(answering(200, { ...whole, usage: usage(1, 1) }))
    await (await post({ messages, n: 4, max_tokens: 100 })).text()
    await proxy.under.finished
    expect(proxy.books.lines[0]?.receipt?.heldMicros).toBeGreaterThanOrEqual(600)
  })

  test('input and counted output within the hold when the client left and the provider never reports', async () => {
    const words = ['one ', 'two ', 'three ', 'four ', 'five ', 'six'].map((word) => sse(delta(word)))
    upstream.use(streaming([...words, sse('[DONE]')], 8))
    await leaveAfter(proxy, '', { stream: true, messages }, 1)
    const receipt = proxy.books.lines[0]?.receipt
    expect(receipt).toMatchObject({
      settledBecause: 'counted',
      outputTokens: 7,
      inputTokens: Math.ceil(JSON.stringify({ stream: true, messages }).length / 4),
    })
    expect(receipt?.settledMicros).toBeLessThanOrEqual(receipt?.heldMicros ?? 0)
  })

  test('although the store failed twice and every notification fails', async () => {
    proxy.books.failures = 2
    proxy.informed.broken = true
    upstream.use(answering(200, { ...whole, usage: usage(1_000, 0) }))
    await (await post({ messages })).text()
    await proxy.under.finished
    expect(proxy.books.lines).toHaveLength(1)
    expect(proxy.books.calls).toEqual(['hold', 'settle', 'settle', 'settle'])
  })
})

describe('proxyModelCall refuses, before the call reaches the provider,', () => {
  beforeEach(() => upstream.use(answering(200, whole)))
  afterEach(() => {
    expect(upstream.seen).toEqual([])
    expect(proxy.books.calls.filter((call) => call === 'settle')).toEqual([])
  })

  test('a body that is not JSON', async () => {
    expect(await (await post('{"messages"')).json()).toMatchObject({ error: 'invalid-json' })
  })

  test('an empty wallet', async () => {
    proxy.books.state = { ...proxy.books.state, available: 0, total: 0 }
    const response = await post({ messages })
    expect(response.status).toBe(402)
    expect(await response.json()).toMatchObject({ error: 'wallet-empty' })
  })

  test('a machine of an older generation', async () => {
    proxy.books.state.generation = 2
    expect((await post({ messages })).status).toBe(401)
  })

  test('an unknown trigger', async () => {
    const response = await post({ messages }, { 'x-berth-trigger': 'free' })
    expect(await response.json()).toMatchObject({ details: { 'x-berth-trigger': [expect.any(String)] } })
  })
})

describe('proxyModelCall with a failing provider that puts its key in its error', () => {
  const secret = { error: { message: 'Overloaded: sk-live-123', type: 'x' } }

  test.each([
    [400, 1],
    [401, 1],
    [302, 1],
    [429, 4],
    [500, 4],
  ])('turns HTTP %i into a redacted 502 after %i calls, and charges nothing', async (status, calls) => {
    upstream.use(answering(status, secret))
    const response = await post({ messages, stream: true })
    const text = await response.text()
    expect(response.status).toBe(502)
    expect(JSON.parse(text)).toMatchObject({ error: 'provider-error', details: { upstream: [`HTTP ${status}`] } })
    expect(text).not.toContain('sk-live')
    expect(upstream.seen).toHaveLength(calls)
    expect(proxy.books).toMatchObject({
      lines: [{ amountMicros: 0, receipt: { settledBecause: 'upstream-error' } }],
      state: { available: dollar, holds: {} },
    })
  })

  test('succeeds on a retry after one failure', async () => {
    upstream.use((response, seen, times) =>
      times === 1
        ? answering(503, secret)(response, seen, times)
        : answering(200, { ...whole, usage: usage(2, 2) })(response, seen, times),
    )
    expect((await post({ messages })).status).toBe(200)
    await proxy.under.finished
    expect(proxy.books.lines).toHaveLength(1)
  })

  test('returns the money after an error inside the stream, and does not forward its text', async () => {
    upstream.use(streaming([sse(secret)]))
    const text = await (await post({ messages, stream: true })).text()
    await proxy.under.finished
    expect(text).toContain('provider-error')
    expect(text).not.toContain('sk-live')
    expect(proxy.books).toMatchObject({
      lines: [{ amountMicros: 0, receipt: { settledBecause: 'upstream-error' } }],
      state: { available: dollar, holds: {} },
    })
  })
})
