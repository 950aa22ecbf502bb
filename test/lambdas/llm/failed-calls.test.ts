import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import OpenAI from 'openai'
import { formatNames } from '../../../domain/models/model.ts'
import { pricedModels } from '../../../domain/models/prices.ts'
import { echo, modelsOver } from './ports.ts'
import { startProxyServer } from './proxy-server.ts'
import { answering, delta, type Script, sse, startUpstream, stop, streaming, usage, usageChunk } from './upstream.ts'

/** A call that fails before any output costs its caller nothing, whatever its provider did meanwhile. */

const dollar = 1_000_000
const [embedding = echo] = pricedModels.filter(({ id }) => id === 'local/echo-embedding')
const messages = [{ role: 'user' as const, content: 'Say hello.' }]

let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
afterEach(() => proxy.close())

const open = async (script: Script, url = upstream.url, model = echo) => {
  upstream.use(script)
  proxy = await startProxyServer(url, dollar, { models: modelsOver(url, [model, embedding]) })
}
const sdk = (maxRetries: number) => new OpenAI({ apiKey: 'any', baseURL: `${proxy.url}/v1`, maxRetries })

async function failsForFree(calls: number, ask: (stream: boolean) => Promise<unknown>, stream: boolean) {
  await expect(ask(stream)).rejects.toMatchObject({ status: 502 })
  await proxy.under.finished
  const free = { amountMicros: 0, receipt: { settledBecause: 'upstream-error', inputTokens: 0, outputTokens: 0 } }
  expect(proxy.books).toMatchObject({ lines: Array(calls).fill(free), state: { available: dollar, holds: {} } })
}

const chatOf =
  (maxRetries = 0) =>
  (stream: boolean) =>
    sdk(maxRetries).chat.completions.create({ model: 'local/echo', messages, stream })

describe.each([false, true])('streamed: %s', (stream) => {
  // https://github.com/elizaOS/eliza/issues/11637
  test('a provider that cannot be reached', async () => {
    await open(answering(200, {}), 'http://127.0.0.1:1')
    await failsForFree(1, chatOf(), stream)
  })

  // https://github.com/Augustas11/macprovider/pull/525 and https://github.com/elizaOS/eliza/pull/8174
  test.each([400, 408, 502, 503])('a status of %i before the response', async (status) => {
    await open(answering(status, { error: { message: 'x', code: 'x' }, usage: usage(1_000, 10) }))
    const response = await fetch(proxy.url, { method: 'POST', body: JSON.stringify({ messages, stream }) })
    expect(response.status).toBe(502)
    await proxy.under.finished
    expect(proxy.books).toMatchObject({ lines: [{ amountMicros: 0 }], state: { available: dollar, holds: {} } })
  })

  // https://github.com/theopenco/llmgateway/pull/3505
  test('an error after a usage report and before any output', async () => {
    const events = [sse(delta('')), sse(usageChunk(usage(1_000, 15))), sse({ error: { code: 429, message: 'x' } })]
    const whole = { choices: [], usage: usage(1_000, 15), error: { code: 429, message: 'x' } }
    await open(stream ? streaming(events) : answering(200, whole))
    await failsForFree(1, chatOf(), stream)
    expect(proxy.books.lines[0]).toMatchObject({ failure: { reason: 'error-in-answer', unpaidMicros: 523 } })
  })

  // https://github.com/Comfy-Org/ComfyUI/pull/16204
  test('each retry of an SDK whose response broke off', async () => {
    await open((response) => {
      response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
      response.write(stream ? ': hello\n\n' : '{"choices":[{"message":{"content":"Hel')
      setTimeout(() => response.destroy(), 5)
    })
    await failsForFree(3, chatOf(2), stream)
  })
})

// https://github.com/assafelovic/gpt-researcher/issues/1526
test.each([
  ['no vectors', { object: 'list', data: [], model: 'm', usage: { prompt_tokens: 9, total_tokens: 9 } }],
  ['an error', { data: null, error: { message: 'x' }, usage: { prompt_tokens: 9, total_tokens: 9 } }],
  // https://github.com/zosmaai/pi-llm-wiki/pull/103
  ['a detail field', { detail: 'at most 250 inputs' }],
])('embeddings with %s', async (_, body) => {
  await open(answering(200, body))
  await failsForFree(1, () => sdk(0).embeddings.create({ model: embedding.id, input: 'Hi' }), false)
})

test.each(formatNames.filter((name) => name !== 'openai-embeddings'))(
  'a translated call with only an error from a provider of %s',
  async (format) => {
    await open(answering(200, { code: 500, message: 'x', usage: usage(1_000, 1) }), upstream.url, {
      ...echo,
      formats: [format],
    })
    for (const [calls, path] of ['/v1/chat/completions', '/v1/messages'].entries()) {
      const body = JSON.stringify({ model: echo.id, messages, max_tokens: 9 })
      const response = await fetch(proxy.url + path, { method: 'POST', body })
      expect(response.status).toBe(502)
      await proxy.under.finished
      expect(proxy.books.lines).toHaveLength(calls + 1)
    }
    expect(proxy.books.state).toMatchObject({ available: dollar, holds: {} })
  },
)

test('an empty response that its provider calls complete is not a failed call', async () => {
  await open(streaming([sse(stop), sse(usageChunk(usage(50, 0))), sse('[DONE]')]))
  const events = await sdk(0).chat.completions.create({ model: 'local/echo', messages, stream: true })
  for await (const _ of events);
  await proxy.under.finished
  expect(proxy.books.lines).toMatchObject([{ amountMicros: -25, receipt: { settledBecause: 'usage' } }])
})
