import type Anthropic from '@anthropic-ai/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type OpenAI from 'openai'
import { post as httpPost } from '../../../adapters/models/post.ts'
import type { ModelRequest } from '../../../app/ports/models.ts'
import { formatNamed } from '../../../domain/models/api-formats.ts'
import {
  formatNames as allFormats,
  type ChatFormatName as FormatName,
  type PricedModel,
} from '../../../domain/models/model.ts'
import { startEcho } from '../../../local/model/echo.ts'
import { echo, modelsOver } from './ports.ts'
import { leaveAfter, startProxyServer } from './proxy-server.ts'
import { called, callers, pixel, type SdkAnswer, told, weather } from './sdk-callers.ts'
import { answering, sse, startUpstream, streaming } from './upstream.ts'
import { failures, reported, type ScriptedAnswer, vendors } from './vendors.ts'

const formatNames = allFormats.filter((name) => name !== 'openai-embeddings')
let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>
const model: PricedModel = { ...echo, id: 'any/model', provider: 'openai', upstreamModel: 'm' }

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())

const pairs = formatNames.flatMap((caller) => formatNames.map((provider) => [caller, provider] as const))

const sayings: Record<string, ScriptedAnswer> = {
  text: { text: 'Hello, Zürich 🌞', stop: 'stop' },
  'a call': {
    text: 'I look.',
    calls: [{ id: 'call_7', name: 'weather', arguments: '{"city":"Zürich"}' }],
    stop: 'calls',
  },
  'two calls': { calls: called, stop: 'calls' },
  'a thought': { thinking: 'Let me see.', text: 'Done.', stop: 'stop' },
  'a cut text': { text: 'And so', stop: 'length' },
}

const heardOf = ({ thinking = '', text = '', calls = [], stop }: ScriptedAnswer): SdkAnswer => ({
  thinking,
  text,
  calls: calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments) })),
  stop,
  usage: reported,
})

type Arrived = [string, ...unknown[]]
const listOf = (content: unknown): Record<string, string>[] =>
  typeof content === 'string' ? [{ text: content }] : ((content ?? []) as Record<string, string>[]) // safe because it only reads

/** The requests to a provider, in order. */
const arrived: Record<FormatName, (body: never) => object> = {
  'openai-chat': ({
    messages,
    tools,
    tool_choice,
    parallel_tool_calls,
    temperature,
    max_completion_tokens,
  }: OpenAI.ChatCompletionCreateParams) => ({
    told: messages.flatMap((message): Arrived[] => [
      ...listOf(message.content).map(
        ({ text, image_url: image }): Arrived =>
          message.role === 'tool'
            ? ['result', message.tool_call_id, text]
            : [message.role, text ?? (image as unknown as { url: string }).url],
      ),
      ...('tool_calls' in message ? (message.tool_calls ?? []) : []).flatMap((call): Arrived[] =>
        call.type === 'function' ? [['call', call.id, call.function.name, JSON.parse(call.function.arguments)]] : [],
      ),
    ]),
    tools: tools?.map(
      (tool) => tool.type === 'function' && [tool.function.name, tool.function.description, tool.function.parameters],
    ),
    choice: [tool_choice, parallel_tool_calls],
    temperature,
    limit: max_completion_tokens,
  }),
  'openai-responses': ({
    instructions,
    input,
    tools,
    tool_choice,
    parallel_tool_calls,
    temperature,
    max_output_tokens,
  }: OpenAI.Responses.ResponseCreateParams) => ({
    told: [
      ...(instructions ? [['system', instructions]] : []),
      ...(typeof input === 'string' ? [] : (input ?? [])).flatMap((item): Arrived[] => {
        if (item.type === 'function_call') return [['call', item.call_id, item.name, JSON.parse(item.arguments)]]
        if (item.type === 'function_call_output') return [['result', item.call_id, item.output]]
        return 'content' in item && 'role' in item
          ? listOf(item.content).map(({ text, image_url }) => [item.role, text ?? image_url])
          : []
      }),
    ],
    tools: tools?.map((tool) => tool.type === 'function' && [tool.name, tool.description, tool.parameters]),
    choice: [tool_choice, parallel_tool_calls],
    temperature,
    limit: max_output_tokens,
  }),
  'anthropic-messages': ({
    system,
    messages,
    tools,
    tool_choice: choice,
    temperature,
    max_tokens,
  }: Anthropic.MessageCreateParams & { temperature?: number }) => ({
    told: [
      ...listOf(system).map(({ text }): Arrived => ['system', text]),
      ...messages.flatMap(({ role, content }) =>
        (typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content).flatMap(
          (block): Arrived[] => {
            if (block.type === 'text') return [[role, block.text]]
            if (block.type === 'tool_use') return [['call', block.id, block.name, block.input]]
            if (block.type === 'tool_result') return [['result', block.tool_use_id, listOf(block.content)[0]?.text]]
            const source = block.type === 'image' && block.source.type === 'base64' ? block.source : null
            return source ? [[role, `data:${source.media_type};base64,${source.data}`]] : []
          },
        ),
      ),
    ],
    tools: tools?.map((tool) => 'input_schema' in tool && [tool.name, tool.description, tool.input_schema]),
    choice: [
      choice?.type === 'any' && 'required',
      choice && 'disable_parallel_tool_use' in choice && !choice.disable_parallel_tool_use,
    ],
    temperature,
    limit: max_tokens,
  }),
}

const whatArrives = {
  told: [
    ['system', told.system],
    ['user', told.first],
    ['user', `data:image/png;base64,${pixel}`],
    ['assistant', told.said],
    ...called.map(({ id, name, arguments: written }) => ['call', id, name, JSON.parse(written)]),
    ...called.map(({ id }) => ['result', id, told.result]),
    ['user', told.last],
  ],
  tools: [[weather.name, weather.description, weather.schema]],
  choice: ['required', false],
  temperature: 0.5,
  limit: 500,
}

describe.each(pairs)('%s at a provider of %s', (from, to) => {
  beforeEach(async () => {
    proxy = await startProxyServer(upstream.url, 1_000_000, {
      models: modelsOver(upstream.url, [{ ...model, formats: [to] }]),
    })
  })
  afterEach(() => proxy.close())

  test.each(Object.entries(sayings))(
    '%s reaches the vendor’s SDK, complete and streamed, and is charged as reported',
    async (_, saying) => {
      const { whole, events } = vendors[to](saying)
      upstream.use(answering(200, whole))
      expect(await callers[from].ask(proxy.url, { conversation: false })).toEqual(heardOf(saying))
      upstream.use(streaming(events))
      expect(await callers[from].stream(proxy.url, { conversation: false })).toEqual(heardOf(saying))
      await proxy.under.finished
      const { prices } = model
      const cost = (600 * prices.input + 400 * prices.cachedInput + 30 * prices.output) / 1_000_000
      expect(proxy.books.lines).toMatchObject(
        Array(2).fill({ amountMicros: -cost, receipt: { settledBecause: 'usage' } }),
      )
    },
  )

  // https://github.com/anthropics/claude-code/issues/60394
  test('sends half of an emoji as the replacement character', async () => {
    upstream.use(answering(200, vendors[to]({ text: 'Yes.', stop: 'stop' }).whole))
    const { path } = formatNamed(from)
    const field = from === 'openai-responses' ? 'input' : 'messages'
    const body = `{"model":"${model.id}","max_tokens":100,"${field}":[{"role":"user","content":"cut \\ud83d"}]}`
    await fetch(`${proxy.url}/v1${path}`, { method: 'POST', body })
    expect(JSON.stringify(upstream.seen[0]?.body)).toContain('cut \ufffd"')
  })

  test('sends the whole conversation', async () => {
    upstream.use(answering(200, vendors[to]({ text: 'Yes.', stop: 'stop' }).whole))
    await callers[from].ask(proxy.url, { conversation: true })
    expect(upstream.seen[0]?.path).toBe(`/${to}`)
    expect(arrived[to]((upstream.seen[0]?.body ?? {}) as never)).toEqual(whatArrives)
  })

  test('reports a provider’s failure within its stream in the caller’s format, and charges the received part', async () => {
    const { events } = vendors[to]({ text: 'Hello there', stop: 'stop' })
    const before = events.findIndex((event) => event.includes('there'))
    upstream.use(streaming([...events.slice(0, before), failures[to]]))
    const heard = await callers[from].stream(proxy.url, { conversation: false }).catch(String)
    expect(heard).toContain('The model provider ended the stream early')
    await proxy.under.finished
    expect(proxy.books.lines).toMatchObject([{ receipt: { settledBecause: 'interrupted', outputTokens: 2 } }])
    expect(proxy.books.state.holds).toEqual({})
  })

  test('treats a provider that stops before the end of its response as failed', async () => {
    const { events } = vendors[to]({ text: 'Hello there', stop: 'stop' })
    const before = events.findIndex((event) => event.includes('there'))
    upstream.use(streaming(events.slice(0, before + 1)))
    const heard = callers[from].stream(proxy.url, { conversation: false })
    if (from === to) await heard.catch(() => {})
    else await expect(heard).rejects.toThrow('The model provider ended the stream early')
    await proxy.under.finished
    expect(proxy.books.lines).toMatchObject([{ receipt: { settledBecause: 'interrupted' } }])
  })
})

describe('a translated call', () => {
  const open = async (...models: PricedModel[]) => {
    proxy = await startProxyServer(upstream.url, 1_000_000, { models: modelsOver(upstream.url, models) })
  }
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${proxy.url}${path}`, { method: 'POST', body: JSON.stringify({ model: 'any/model', ...body }), headers })
  const eventsOf = async (response: Response) =>
    [...(await response.text()).matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? ''))
  const messages = [{ role: 'user', content: 'Hi' }]
  afterEach(() => proxy.close())

  test('has none of the caller’s headers and query, and its refusal names no field of another format', async () => {
    await open({ ...model, formats: ['openai-chat'] })
    upstream.use(
      answering(400, { error: { message: 'messages.0: no', param: 'messages.0', code: 'unsupported_value' } }),
    )
    const asked = { 'anthropic-beta': 'context-1m-2025-08-07' }
    const response = await post('/v1/messages?beta=true', { max_tokens: 9, messages }, asked)
    expect(response.status).toBe(400)
    expect((await response.json()).error.message).not.toContain('messages')
    expect(upstream.seen[0]?.path).toBe('/openai-chat')
    expect(upstream.seen[0]?.headers).not.toHaveProperty('anthropic-beta')
  })

  test('with a client that leaves pays the provider’s report', async () => {
    await open({ ...model, formats: ['anthropic-messages'] })
    upstream.use(streaming(vendors['anthropic-messages']({ text: 'Hello there', stop: 'stop' }).events, 8))
    await leaveAfter(proxy, '/v1/responses', { model: 'any/model', input: 'Hi', stream: true }, 2)
    expect(proxy.books).toMatchObject({ lines: [{ receipt: { settledBecause: 'usage', outputTokens: 30 } }] })
  })

  test('reports usage in a Chat Completions stream only on request', async () => {
    await open({ ...model, formats: ['anthropic-messages'] })
    upstream.use(streaming(vendors['anthropic-messages']({ text: 'Hi', stop: 'stop' }).events))
    const shown = await eventsOf(await post('', { messages, stream: true }))
    expect(shown.some((event) => 'usage' in event)).toBe(false)
    const asked = await eventsOf(await post('', { messages, stream: true, stream_options: { include_usage: true } }))
    expect(asked.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 1_000, completion_tokens: 30 } })
  })

  test('numbers the events of Responses, and the last one contains all output', async () => {
    await open({ ...model, formats: ['anthropic-messages'] })
    upstream.use(
      streaming(vendors['anthropic-messages']({ thinking: 'Hm', text: 'Hi', calls: called, stop: 'calls' }).events),
    )
    const shown = await eventsOf(await post('/v1/responses', { input: 'Hi', stream: true }))
    expect(shown.map((event) => event.sequence_number)).toEqual(shown.map((_, index) => index))
    const done = shown.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
    const { response } = shown.at(-1)
    expect(shown.at(-1).type).toBe('response.completed')
    expect(response.output).toEqual(done)
    expect(done.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call', 'function_call'])
  })

  test('restores a tool in a namespace, and a tool with text input, as the caller defined them', async () => {
    await open({ ...model, formats: ['openai-chat'] })
    const tools = [
      { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'spawn', parameters: {} }] },
      { type: 'custom', name: 'patch' },
    ]
    const calls = [
      { id: 'c1', name: 'agents__spawn', arguments: '' },
      { id: 'c2', name: 'patch', arguments: '{"input":"*** Zürich"}' },
    ]
    const { whole, events } = vendors['openai-chat']({ calls, stop: 'calls' })
    upstream.use(streaming(events))
    const shown = await eventsOf(await post('/v1/responses', { input: 'Hi', tools, stream: true }))
    upstream.use(answering(200, whole))
    const { output } = await (await post('/v1/responses', { input: 'Hi', tools })).json()
    expect(output).toEqual(shown.at(-1).response.output)
    expect(output).toMatchObject([
      { type: 'function_call', call_id: 'c1', namespace: 'agents', name: 'spawn', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: '*** Zürich' },
    ])
    expect(shown.filter(({ type }) => type.endsWith('input.delta')).map(({ delta }) => delta)).toEqual(['*** Zürich'])
  })

  test('breaks off, instead of a wrong result, when the provider returns to an ended tool call', async () => {
    await open({ ...model, formats: ['openai-chat'] })
    const { events } = vendors['openai-chat']({ calls: called, stop: 'calls' })
    const late = sse({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '!' } }] } }] })
    upstream.use(streaming([...events.slice(0, -3), late, ...events.slice(-3)]))
    const text = await (await post('/v1/messages', { max_tokens: 9, messages, stream: true })).text()
    expect(text).toContain('event: error')
    expect(text).not.toContain('message_stop')
  })

  test('accepts tool calls without number or name, and arguments in one piece', async () => {
    await open({ ...model, formats: ['openai-chat'] }, { ...model, id: 'other/model', formats: ['openai-responses'] })
    const call = (id: string | undefined, city: string) => {
      const tool_calls = [
        { index: 0, id, type: 'function', function: { name: 'weather', arguments: `{"city":"${city}"}` } },
      ]
      return sse({ id: 'chatcmpl-1', model: 'm', choices: [{ index: 0, delta: { tool_calls }, finish_reason: null }] })
    }
    const end = sse({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, '[DONE]')
    const ask = (asked: string) => post('/v1/messages', { model: asked, max_tokens: 9, messages, stream: true })
    const heard = async (asked: string) =>
      (await eventsOf(await ask(asked))).flatMap(
        (event) => event.content_block?.id ?? event.delta?.partial_json ?? event.delta?.stop_reason ?? [],
      )
    upstream.use(streaming([call('a', 'Bern'), call('b', 'Basel'), end]))
    expect(await heard('any/model')).toEqual(['a', '{"city":"Bern"}', 'b', '{"city":"Basel"}', 'tool_use'])
    upstream.use(streaming([call(undefined, 'Bern'), end]))
    expect(await heard('any/model')).toEqual(['call_1_0', '{"city":"Bern"}', 'tool_use'])
    const item = { type: 'function_call', call_id: 'c', name: 'weather', arguments: '' }
    const events = [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.added', item },
      { type: 'response.function_call_arguments.done', arguments: '{"city":"Bern"}' },
      { type: 'response.completed', response: { status: 'completed' } },
    ]
    upstream.use(streaming(events.map((event) => sse(event))))
    expect(await heard('other/model')).toEqual(['c', '{"city":"Bern"}', 'tool_use'])
  })

  test('with an invalid response returns a clean 502 that costs nothing', async () => {
    await open({ ...model, formats: ['openai-chat'] })
    upstream.use(answering(200, { object: 'chat.completion', choices: [] }))
    expect((await post('/v1/messages', { max_tokens: 9, messages })).status).toBe(502)
    expect(proxy.books).toMatchObject({
      lines: [{ amountMicros: 0, receipt: { settledBecause: 'upstream-error' } }],
      state: { available: 1_000_000, holds: {} },
    })
  })

  test('keeps a waiting client alive with comments as the provider’s own API does', async () => {
    await open({ ...model, formats: ['anthropic-messages'] })
    upstream.use(streaming([': here\n\n', ...vendors['anthropic-messages']({ text: 'Hi', stop: 'stop' }).events]))
    const text = await (await post('', { messages, stream: true })).text()
    // A blank line after a comment would be an event without data.
    expect(text.startsWith(': here\ndata: ')).toBe(true)
    expect(text).toContain(': ping\ndata: ')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })
})

describe('local/echo', () => {
  test.each(formatNames)('supports %s', async (from) => {
    const local = await startEcho()
    const call = (_model: PricedModel, { body, headers }: ModelRequest, signal: AbortSignal) =>
      httpPost(new URL(`${local.url}/chat/completions`), { ...headers, authorization: 'Bearer k' }, body, signal)
    const models = { ...modelsOver(local.url, [{ ...echo, id: 'any/model' }]), call }
    proxy = await startProxyServer(local.url, 1_000_000, { models })
    const heard = { text: `You said: "${told.first}"`, stop: 'stop' }
    expect(await callers[from].ask(proxy.url, { conversation: false })).toMatchObject(heard)
    expect(await callers[from].stream(proxy.url, { conversation: false })).toMatchObject(heard)
    const more = { 'anthropic-messages': { messages: [{ role: 'user', content: '/tool weather {"city":"Bern"}' }] } }[
      from as string
    ]
    if (more) {
      const tools = [{ name: 'weather', input_schema: weather.schema }]
      const { calls, stop } = await callers[from].stream(proxy.url, { conversation: false, more: { ...more, tools } })
      expect([calls[0]?.arguments, stop]).toEqual([{ city: 'Bern' }, 'calls'])
    }
    await proxy.close()
    await local.close()
  })
})
