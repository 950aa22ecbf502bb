import Anthropic from '@anthropic-ai/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import OpenAI from 'openai'
import { refusalTypes } from '../../../domain/models/provider-refusal.ts'
import { openapiDocument } from '../../../lambdas/kit/openapi.ts'
import { callModel } from '../../../lambdas/llm/call-model.ts'
import { proxyModelCall } from '../../../lambdas/llm/proxy-model-call.ts'
import { anthropic, responses } from './format-cases.ts'
import { echo, modelsOver } from './ports.ts'
import { startProxyServer } from './proxy-server.ts'
import { answering, startUpstream } from './upstream.ts'

let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
const start = async (available: number) => {
  const models = modelsOver(upstream.url, [responses.model, anthropic.model, echo])
  proxy = await startProxyServer(upstream.url, available, { models })
}
beforeEach(() => start(1_000_000))
afterEach(() => proxy.close())

const openai = () => new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: 'k', maxRetries: 0 })
const claude = () => new Anthropic({ baseURL: proxy.url, apiKey: 'k', maxRetries: 0 })
const thrown = async (asked: Promise<unknown>): Promise<{ status: number; message: string; error: unknown }> =>
  asked.then(
    () => Promise.reject(new Error('it was answered')),
    (error) => error,
  )

describe('an empty wallet', () => {
  beforeEach(async () => {
    await proxy.close()
    await start(0)
  })

  test.each([
    [
      'chat',
      () => openai().chat.completions.create({ model: 'local/echo', messages: [{ role: 'user', content: 'Hi' }] }),
    ],
    ['responses', () => openai().responses.create(responses.ask)],
    ['a stream of responses', () => openai().responses.create({ ...responses.ask, stream: true })],
  ])('is reported by OpenAI’s own client: %s', async (_, ask) => {
    const error = await thrown(ask())
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({ status: 402, code: 'wallet-empty', type: 'insufficient_quota' })
    expect(error.message).toMatch(/^402 The wallet is empty\. Top it up on the wallet page/)
  })

  test.each([false, true])('is reported by Anthropic’s own client, stream: %s', async (stream) => {
    const error = await thrown(claude().messages.create({ ...anthropic.ask, stream }))
    expect(error).toBeInstanceOf(Anthropic.APIError)
    expect(error).toMatchObject({ status: 402, error: { type: 'error', error: { type: 'billing_error' } } })
    expect(error.message).toContain('The wallet is empty. Top it up')
    expect(error.message).toContain('wallet-empty')
  })
})

test('a denied field is named with its reason', async () => {
  const refused = { ...responses.ask, background: true }
  const error = await thrown(openai().responses.create(refused))
  expect(error).toMatchObject({ status: 400, code: 'validation', param: 'background' })
  expect(error.message).toBe('400 background: A call runs while its caller waits.')
})

const key = 'sk-live-1234 org-secret'
describe.each([
  [
    'OpenAI’s',
    'input[0].x',
    () => openai().responses.create(responses.ask),
    (code: string, message: string, param: string | null = null) => ({
      error: { message: `${message} ${key}`, type: 'invalid_request_error', code, param },
    }),
  ],
  [
    'Anthropic’s',
    'messages.0.x',
    () => claude().messages.create(anthropic.ask),
    (type: string, message: string, param: string | null = null) => ({
      type: 'error',
      error: { type, message: `${param ? `${param}: ` : ''}${message} ${key}` },
    }),
  ],
] as const)('a refusal from %s own API', (_, field, ask, body) => {
  test.each([
    [400, 'context_length_exceeded', "This model's maximum context length is 10 tokens", /prompt is too long/],
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', /prompt is too long/],
    [400, 'invalid_request_error', 'image exceeds 5 MB maximum: 5316852 bytes', /larger than the provider takes/],
    [413, 'request_too_large', 'Request exceeds the maximum size', /larger than the provider takes/],
    [429, 'rate_limit_error', 'Rate limit reached', /busy/],
    [400, 'invalid_request_error', 'something else', /Check it against/],
  ])('with %i %s keeps its status, in our words', async (status, code, message, words) => {
    upstream.use(answering(status, body(code, message)))
    const error = await thrown(ask())
    expect(error.status).toBe(status)
    expect(error.message).toMatch(words)
    expect(JSON.stringify([error.message, error.error])).not.toMatch(/sk-live|org-secret|210000/)
    expect(proxy.books).toMatchObject({
      lines: [{ amountMicros: 0, receipt: { settledBecause: 'upstream-error' } }],
      state: { available: 1_000_000, holds: {} },
    })
  })

  test('names the field when the request has it, and quotes nothing else', async () => {
    upstream.use(answering(400, body('unknown_parameter', 'Extra inputs are not permitted', 'model.x')))
    expect((await thrown(ask())).message).not.toContain('model.x')
    upstream.use(answering(400, body('unknown_parameter', 'Extra inputs are not permitted', field)))
    expect((await thrown(ask())).message).toContain(`${field}: Extra inputs are not permitted`)
  })

  test.each([
    [400, 'billing', 'Your credit balance is too low'],
    [401, 'authentication_error', 'bad key'],
    [403, 'permission_error', 'no'],
    [404, 'not_found_error', 'no such model'],
    [500, 'api_error', 'oops'],
  ])('with %i %s is our own failure, a 502', async (status, code, message) => {
    upstream.use(answering(status, body(code, message)))
    const error = await thrown(ask())
    expect(error).toMatchObject({ status: 502 })
    expect(error.message).not.toMatch(/sk-live|credit/)
  })
})

test.each([400, 413, 429])('a provider’s %i is a provider failure at the contract’s own address', async (status) => {
  upstream.use(answering(status, { error: { message: key } }))
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] })
  const response = await fetch(proxy.url, { method: 'POST', body })
  expect(response.status).toBe(502)
  expect(await response.json()).toMatchObject({ error: 'provider-error', details: { upstream: [`HTTP ${status}`] } })
})

test('a request that is too large has one code, whichever side rejects it', async () => {
  upstream.use(answering(413, { type: 'error', error: { type: 'request_too_large', message: key } }))
  const error = await thrown(claude().messages.create(anthropic.ask))
  expect(error).toMatchObject({ status: 413, error: { error: { type: 'request_too_large', code: 'too-large' } } })
})

test('the API document lists each code of a provider’s refusal at the vendors’ addresses', () => {
  const document = JSON.stringify(
    openapiDocument([{ name: 'llm', about: '', operations: [callModel, proxyModelCall] }], '1'),
  )
  for (const type of Object.keys(refusalTypes)) expect(document).toContain(`"code":"${type}"`)
})

test('the contract’s own address keeps the contract’s error shape', async () => {
  upstream.use(answering(400, { error: { message: key, code: 'context_length_exceeded' } }))
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] })
  const response = await fetch(proxy.url, { method: 'POST', body })
  expect(response.status).toBe(502)
  expect(await response.json()).toEqual({
    error: 'provider-error',
    message: expect.stringContaining('prompt is too long'),
    details: { upstream: ['HTTP 400'] },
  })
})

test.each(['/v1/messages', '/messages', '/v1/v1/messages'])('an SDK works with any base URL: %s', async (path) => {
  upstream.use(answering(200, { type: 'message', content: [], usage: { input_tokens: 1, output_tokens: 1 } }))
  const response = await fetch(`${proxy.url}${path}`, { method: 'POST', body: JSON.stringify(anthropic.ask) })
  expect(response.status).toBe(200)
})
