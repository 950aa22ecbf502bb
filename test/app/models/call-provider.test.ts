import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { PricedModel } from '../../../domain/models/model.ts'
import { echo, modelsOver } from '../../lambdas/llm/ports.ts'
import { startProxyServer } from '../../lambdas/llm/proxy-server.ts'
import { answering, delta, type Script, sse, startUpstream, streaming, usage } from '../../lambdas/llm/upstream.ts'

const prices = { input: 250_000, cachedInput: 25_000, cacheWrite: 250_000, output: 2_000_000 }
const first: PricedModel = { ...echo, id: 'openai/gpt-5-mini', provider: 'openai', upstreamModel: 'mini', prices }
const second: PricedModel = {
  ...first,
  id: 'openrouter/openai/gpt-5-mini',
  provider: 'openrouter',
  upstreamModel: 'o/mini',
}
const dollar = 1_000_000
let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>
let models: PricedModel[]

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
beforeEach(async () => {
  models = [first, second]
  proxy = await startProxyServer(upstream.url, dollar, { models: modelsOver(upstream.url, models) })
})
afterEach(() => proxy.close())

const whole = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: usage(1_000, 100),
}
const messages = [{ role: 'user', content: 'Say hello.' }]
const post = (more: object = {}) =>
  fetch(proxy.url, { method: 'POST', body: JSON.stringify({ model: first.id, messages, ...more }) })
const asked = () => upstream.seen.map(({ headers }) => headers['x-model'])

/** Fails as the first model and answers as the second. */
const onlyFirstFails =
  (status: number, then: Script = answering(200, whole)): Script =>
  (response, seen, times) =>
    (seen.headers['x-model'] === first.id ? answering(status, {}) : then)(response, seen, times)

describe('the same model at another provider', () => {
  // https://github.com/anthropics/claude-code/issues/82991 and
  // https://github.com/experientiallabs/experiential/pull/745
  test.each([401, 402, 403, 404])('answers at once when its provider rejects our account: %i', async (status) => {
    upstream.use(onlyFirstFails(status))
    expect((await post()).status).toBe(200)
    await proxy.under.finished
    expect(asked()).toEqual([first.id, second.id])
    expect(proxy.books.lines).toMatchObject([{ receipt: { model: second.id, settledBecause: 'usage' } }])
  })

  test.each([[429], [500], [529]])('answers when its provider returns %i, at its own price', async (status) => {
    models[1] = { ...second, prices: { ...prices, input: 200_000 } }
    upstream.use(onlyFirstFails(status))
    const response = await post({ max_tokens: 500 })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-berth-model')).toBe(second.id)
    await response.text()
    await proxy.under.finished
    expect(asked()).toEqual([...Array(4).fill(first.id), second.id])
    expect(upstream.seen.at(-1)?.body).toMatchObject({ model: 'o/mini', max_tokens: 500 })
    expect(proxy.books.lines[0]).toMatchObject({
      amountMicros: -(200 + 200),
      receipt: { model: second.id, provider: 'openrouter', unitPrices: { input: 200_000 } },
    })
  })

  test('is not called for a request that its own provider refused', async () => {
    upstream.use(onlyFirstFails(400))
    expect((await post()).status).toBe(502)
    expect(asked()).toEqual([first.id])
  })

  test('is not called once an answer has begun', async () => {
    upstream.use(streaming([sse(delta('Hel')), sse({ error: { message: 'overloaded' } })]))
    expect(await (await post({ stream: true })).text()).toContain('provider-error')
    expect(asked()).toEqual([first.id])
  })

  test.each([
    ['input', { ...prices, input: prices.input + 1 }],
    ['cached input', { ...prices, cachedInput: prices.cachedInput + 1 }],
    ['cache write', { ...prices, cacheWrite: prices.cacheWrite + 1 }],
    ['output', { ...prices, output: prices.output + 1 }],
  ])('is never a more expensive fallback: %s', async (_, dearer) => {
    models[1] = { ...second, prices: dearer }
    upstream.use(onlyFirstFails(503))
    expect((await post()).status).toBe(502)
    expect(new Set(asked())).toEqual(new Set([first.id]))
    expect(proxy.books).toMatchObject({ lines: [{ amountMicros: 0 }], state: { available: dollar, holds: {} } })
  })

  test('is not more expensive in its long-context tier either', async () => {
    models[1] = { ...second, longContext: { aboveTokens: 10, prices: { ...prices, input: prices.input * 2 } } }
    upstream.use(onlyFirstFails(503))
    expect((await post()).status).toBe(502)
    expect(new Set(asked())).toEqual(new Set([first.id]))
  })

  test('is used even if it has another format', async () => {
    models[1] = { ...second, formats: ['anthropic-messages'] }
    const content = [{ type: 'text', text: 'Hello' }]
    const message = { id: 'm', model: 'o/mini', type: 'message', role: 'assistant', content, stop_reason: 'end_turn' }
    upstream.use(
      onlyFirstFails(503, answering(200, { ...message, usage: { input_tokens: 1_000, output_tokens: 100 } })),
    )
    const response = await post()
    expect(await response.json()).toMatchObject({ choices: whole.choices, usage: { prompt_tokens: 1_000 } })
    await proxy.under.finished
    expect(upstream.seen.at(-1)).toMatchObject({
      path: '/anthropic-messages',
      body: { model: 'o/mini', messages: [{}] },
    })
    expect(proxy.books.lines[0]).toMatchObject({ amountMicros: -(250 + 200), receipt: { model: second.id } })
  })

  test('is not used if it cannot search the web', async () => {
    const searchMicros = 10_000
    models[0] = { ...first, formats: ['openai-responses'], searchMicros }
    models[1] = { ...second, searchMicros }
    upstream.use(onlyFirstFails(503))
    const tools = [{ type: 'web_search' }, { type: 'function', name: 'f', parameters: {} }]
    const body = JSON.stringify({ model: first.id, input: 'Hi', tools })
    expect((await fetch(`${proxy.url}/v1/responses`, { method: 'POST', body })).status).toBe(502)
    expect(new Set(asked())).toEqual(new Set([first.id]))
  })

  test('is not used if its format cannot express the request', async () => {
    models[1] = { ...second, formats: ['anthropic-messages'] }
    upstream.use(onlyFirstFails(503))
    expect((await post({ n: 2 })).status).toBe(502)
    expect(new Set(asked())).toEqual(new Set([first.id]))
  })
})

describe('a 200 without an answer', () => {
  const event = (json: object) => sse(json)
  const bodies: [string, string, string, boolean][] = [
    // https://github.com/QuantumNous/new-api/issues/4913 and https://github.com/BerriAI/litellm/issues/17904 report
    // such answers
    ['a code and a message', JSON.stringify({ code: 1210, msg: 'secret', success: false }), 'no-answer', false],
    ['a detail', JSON.stringify({ detail: 'secret' }), 'no-answer', false],
    ['no choices', JSON.stringify({ choices: [], note: 'secret' }), 'no-answer', false],
    ['an error as text', JSON.stringify({ ...whole, usage: undefined, error: 'secret' }), 'error-in-answer', false],
    ['a type of error', JSON.stringify({ type: 'error', error: { message: 'secret' } }), 'error-in-answer', false],
    ['a web page', '<html>secret</html>', 'not-json', false],
    ['a text', 'secret', 'not-json', false],
    ['JSON that was cut', '{"choices":[{"message":{"content":"secret', 'not-json', false],
    ['nothing', '', 'no-answer', true],
    [
      'an account without money',
      JSON.stringify({ code: 1113, msg: 'insufficient balance secret' }),
      'account-unpaid',
      false,
    ],
    ['an error event first', 'event: error\ndata: {"message":"secret"}\n\n', 'error-in-answer', true],
    ['an error after a role', event(delta('')) + event({ error: { message: 'secret' } }), 'error-in-answer', true],
    ['a bare error in a stream', event({ detail: 'secret' }), 'error-in-answer', true],
    ['text as data', 'data: secret\n\n', 'not-json', true],
    // https://github.com/diegosouzapw/OmniRoute/pull/8210
    [
      'a chunk with an error and no choice',
      event({ object: 'chat.completion.chunk', choices: [], error: { code: 502, message: 'secret' } }),
      'error-in-answer',
      true,
    ],
    // https://github.com/Blaizzy/nativ/pull/195
    ['an error as text in a stream', event({ error: 'secret' }), 'error-in-answer', true],
    // https://github.com/vllm-project/guidellm/issues/743
    [
      'an error before the end of a stream',
      event({ error: { message: 'secret', code: 504 } }) + sse('[DONE]'),
      'error-in-answer',
      true,
    ],
    // https://github.com/vllm-project/vllm/pull/40986
    ['a stream of its end alone', event(delta('')) + sse('[DONE]'), 'no-answer', true],
    // https://github.com/lemonade-sdk/lemonade/issues/2826
    ['an error without the frame of an event', '{"error":{"message":"secret"}}\n', 'error-in-answer', true],
    // https://github.com/foundation-model-stack/fms-guardrails-orchestrator/pull/436
    ['a code and details', event({ code: 422, details: 'secret' }), 'error-in-answer', true],
    ['an object that calls itself an error', event({ object: 'error', message: 'secret' }), 'error-in-answer', true],
    // https://github.com/bytedance/deer-flow/issues/1515
    ['a list of errors', `data: ${JSON.stringify([{ error: { message: 'secret' } }])}\n\n`, 'error-in-answer', true],
    // https://github.com/BerriAI/litellm/pull/40294
    ['choices that are null', JSON.stringify({ choices: null, note: 'secret' }), 'no-answer', false],
    ['JSON to a caller of a stream', JSON.stringify({ code: 500, message: 'secret' }), 'no-answer', true],
    ['a stream that ends at once', ': hello\n\n', 'no-answer', true],
  ]
  const type = (stream: boolean) => (stream ? 'text/event-stream' : 'application/json')

  test.each(bodies)(
    'is retried, then sent elsewhere, and none of its text reaches the client: %s',
    async (_, body, reason, stream) => {
      upstream.use((response) => void response.writeHead(200, { 'content-type': type(stream) }).end(body))
      const response = await post({ stream })
      const text = await response.text()
      expect(response.status).toBe(502)
      expect(text).not.toContain('secret')
      await proxy.under.finished
      const tries = reason === 'account-unpaid' ? [1, 1] : [4, 2]
      expect(asked()).toEqual([...Array(tries[0]).fill(first.id), ...Array(tries[1]).fill(second.id)])
      expect(proxy.books).toMatchObject({
        lines: [
          { amountMicros: 0, receipt: { settledBecause: 'upstream-error' }, failure: { reason, unpaidMicros: 0 } },
        ],
        state: { available: dollar, holds: {} },
      })
    },
  )

  test.each(bodies)('is repaired by a retry: %s', async (_, body, _reason, stream) => {
    upstream.use((response, seen, times) => {
      if (times === 1) return void response.writeHead(200, { 'content-type': type(stream) }).end(body)
      const good = stream ? streaming([sse(delta('Hello'), '[DONE]')]) : answering(200, whole)
      return good(response, seen, times)
    })
    const response = await post({ stream })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Hello')
  })

  test('is not retried when the provider bills it: each further try would be our loss', async () => {
    upstream.use(answering(200, { ...whole, error: { message: 'overloaded' } }))
    expect((await post()).status).toBe(502)
    await proxy.under.finished
    expect(asked()).toEqual([first.id])
    expect(proxy.books.lines).toMatchObject([{ amountMicros: 0, failure: { unpaidMicros: 450 } }])
  })

  test.each([
    ['without object and id', whole],
    ['with an empty error', { ...whole, error: {} }],
    [
      'with a string in place of a message',
      { choices: [{ text: 'Hello', finish_reason: 'stop' }], usage: usage(1_000, 100) },
    ],
    ['with unknown fields', { ...whole, code: 0, msg: 'ok', base_resp: { status_code: 0 } }],
  ])('is not assumed for %s', async (_, body) => {
    upstream.use(answering(200, body))
    const response = await post()
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(body)
    await proxy.under.finished
    expect(proxy.books.lines).toMatchObject([{ receipt: { settledBecause: 'usage' } }])
  })
})

describe('the reason of a failure', () => {
  const said = (code: string, message: string) => ({ error: { code, type: 'invalid_request_error', message } })
  test.each<[number, object, string]>([
    [402, {}, 'account-unpaid'],
    [429, { error: { code: 'insufficient_quota' } }, 'account-unpaid'],
    [400, { error: { message: 'Your credit balance is too low' } }, 'account-unpaid'],
    [401, {}, 'key-refused'],
    [403, {}, 'forbidden'],
    [404, {}, 'unknown-address'],
    [400, { error: { message: 'no' } }, 'request-refused'],
    [429, {}, 'busy'],
    [500, {}, 'provider-fault'],
    [302, {}, 'redirected'],
    // https://github.com/octos-org/octos/pull/1185
    [403, { error: { code: 'no_active_package', type: 'insufficient_quota', message: 'x' } }, 'account-unpaid'],
    // https://github.com/Yachiyo-5i/xLyra/pull/66
    [403, said('INSUFFICIENT_BALANCE', 'Insufficient account balance'), 'account-unpaid'],
    // https://github.com/Alishahryar1/free-claude-code/issues/1543
    [403, said('insufficient_user_quota', 'The credit limit is insufficient'), 'account-unpaid'],
    // https://github.com/klarkxy/open-console-gateway/pull/51
    [401, said('CreditsError', 'Insufficient balance'), 'account-unpaid'],
    // https://github.com/diegosouzapw/OmniRoute/pull/10116
    [400, said('BAD_REQUEST', 'There are insufficient credits for this request'), 'account-unpaid'],
    // https://github.com/experientiallabs/experiential/pull/993
    [400, { code: 0, message: 'Insufficient quota available', type: 'invalid_request_error' }, 'account-unpaid'],
    // https://github.com/openclaw/openclaw/pull/31786
    [429, { error: { type: 'exceeded_current_quota_error', message: 'suspended' } }, 'account-unpaid'],
    // https://github.com/theopenco/llmgateway/pull/3838
    [412, { error: { message: 'Monthly spending limit reached' } }, 'account-unpaid'],
    // https://github.com/tencentmusic/supersonic/issues/1572
    [400, { statusCode: 400, code: 'Arrearage', message: 'The account is not in good standing' }, 'account-unpaid'],
    [401, { error: { type: 'authentication_error', message: 'invalid x-api-key' } }, 'key-refused'],
    [400, { error: { message: 'This organization has been disabled.' } }, 'key-refused'],
    // https://github.com/dcdpr/jp/pull/1081: quotas that refill within seconds
    [429, said('token_quota_exceeded', 'Too many tokens a minute'), 'busy'],
    [429, [{ error: { status: 'RESOURCE_EXHAUSTED', message: 'See the plan and billing details' } }], 'busy'],
    // https://github.com/FuzzAnything/PromptFuzz/issues/42
    [400, [{ error: { code: 400, message: 'Unknown name', status: 'INVALID_ARGUMENT' } }], 'request-refused'],
    // https://github.com/Pipelex/pipelex/pull/857 recommends narrow words: a caller can write these into a request
    [400, said('invalid', 'tools.0.name: list_billing of the organization is too long'), 'request-refused'],
    [400, said('unknown_parameter', 'Unrecognized request argument supplied: api_key'), 'request-refused'],
  ])(
    'for %i %j is in the log line of the call and in a metric, without the provider’s text',
    async (status, body, reason) => {
      models.pop()
      const measured: unknown[] = []
      const alarms = { raise: () => {}, measure: (...said: unknown[]) => void measured.push(said) }
      const own = await startProxyServer(upstream.url, dollar, { models: modelsOver(upstream.url, models), alarms })
      upstream.use(answering(status, body))
      await fetch(own.url, { method: 'POST', body: JSON.stringify({ model: first.id, messages }) })
      await own.under.finished
      expect(own.books.lines).toMatchObject([{ amountMicros: 0, failure: { reason } }])
      const about = { level: 'WARN', model: first.id, callId: expect.any(String) }
      expect(measured.slice(-2)).toEqual([
        ['ProviderFailed', 1, { provider: 'openai', reason }, about],
        // A refused request is its sender's fault.
        ['ModelCallFailed', reason === 'request-refused' ? 0 : 1],
      ])
      await own.close()
    },
  )
})

describe('a busy provider', () => {
  test('that asks for a longer wait than a caller accepts is not retried', async () => {
    models.pop()
    upstream.use((response) => {
      response.writeHead(429, { 'retry-after': '30' })
      response.end()
    })
    expect((await post()).status).toBe(502)
    expect(upstream.seen).toHaveLength(1)
  })
})
