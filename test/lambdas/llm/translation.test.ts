import type Anthropic from '@anthropic-ai/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type OpenAI from 'openai'
import { type FormatName, formatNames, type PricedModel } from '../../../domain/models/model.ts'
import { echo, modelsOver } from './ports.ts'
import { startProxyServer } from './proxy-server.ts'
import { called, callers, type Heard, pixel, told, weather } from './sdk-callers.ts'
import { answering, startUpstream, streaming } from './upstream.ts'
import { reported, type Saying, vendors } from './vendors.ts'

let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>
const model: PricedModel = { ...echo, id: 'any/model', provider: 'openai', upstreamModel: 'm' }

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())

const pairs = formatNames.flatMap((caller) => formatNames.map((provider) => [caller, provider] as const))

const sayings: Record<string, Saying> = {
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

const heardOf = ({ thinking = '', text = '', calls = [], stop }: Saying): Heard => ({
  thinking,
  text,
  calls: calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments) })),
  stop,
  usage: reported,
})

type Arrived = [string, ...unknown[]]
const listOf = (content: unknown): Record<string, string>[] =>
  typeof content === 'string' ? [{ text: content }] : ((content ?? []) as Record<string, string>[]) // safe because it only reads

/** What a provider was asked, in the order it was told. */
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
    '%s is heard by the vendor’s SDK, whole and streamed, and paid as reported',
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

  test('all of a conversation arrives', async () => {
    upstream.use(answering(200, vendors[to]({ text: 'Yes.', stop: 'stop' }).whole))
    await callers[from].ask(proxy.url, { conversation: true })
    expect(upstream.seen[0]?.path).toBe(`/${to}`)
    expect(arrived[to]((upstream.seen[0]?.body ?? {}) as never)).toEqual(whatArrives)
  })
})
