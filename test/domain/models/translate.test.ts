import type Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type OpenAI from 'openai'
import { anthropicMessages } from '../../../domain/models/anthropic-messages.ts'
import type { ModelCall } from '../../../domain/models/api-format.ts'
import { formatNamed } from '../../../domain/models/api-formats.ts'
import { quoteOf } from '../../../domain/models/hold.ts'
import {
  formatNames as allFormats,
  type ChatFormatName as FormatName,
  type PricedModel,
} from '../../../domain/models/model.ts'
import { openaiChat } from '../../../domain/models/openai-chat.ts'
import { openaiResponses } from '../../../domain/models/openai-responses.ts'
import { AnswerBuilder, type ModelAnswer } from '../../../domain/models/translate/answer.ts'
import { chatWriter } from '../../../domain/models/translate/chat-answer.ts'
import { readChat, writeChat } from '../../../domain/models/translate/chat-request.ts'
import type { Conversation, Part, Turn } from '../../../domain/models/translate/conversation.ts'
import { messagesWriter } from '../../../domain/models/translate/messages-answer.ts'
import { readMessages, writeMessages } from '../../../domain/models/translate/messages-request.ts'
import { responsesWriter } from '../../../domain/models/translate/responses-answer.ts'
import { readResponses, writeResponses } from '../../../domain/models/translate/responses-request.ts'
import { callFor } from '../../../domain/models/translate/translate.ts'
import { seeded } from '../../counts.ts'

const formatNames = allFormats.filter((name) => name !== 'openai-embeddings')
const prices = { input: 1, cachedInput: 1, cacheWrite: 1, output: 1 }
const model = (more: Partial<PricedModel> = {}): PricedModel => ({
  id: 'p/m',
  provider: 'p',
  upstreamModel: 'm',
  formats: ['openai-chat'],
  contextTokens: null,
  maxOutputTokens: null,
  imageTokens: 100,
  prices,
  priceVersion: 'v',
  markup: 0,
  ...more,
})
const speaking = (...formats: ModelCall['format'][]) => model({ formats })
const claude = (upstreamModel: string) =>
  model({ provider: 'anthropic', upstreamModel, formats: ['anthropic-messages'] })

const user = [{ role: 'user', content: 'Hi' }]
const chat = (more: object) => openaiChat.parseRequest(JSON.stringify({ messages: user, ...more }))
const responses = (more: object) => openaiResponses.parseRequest(JSON.stringify({ input: 'Hi', ...more }))
const messages = (more: object) =>
  anthropicMessages.parseRequest(JSON.stringify({ model: 'm', max_tokens: 100, messages: user, ...more }))
/** The request that a call sends to a model. */
const sent = (call: ModelCall, to: PricedModel, outputTokens = 4_000) => callFor(call, to, outputTokens).fields

describe('the format of a call', () => {
  test('stays the same when the model supports it, with exactly the same fields', () => {
    const call = chat({ anything: { at: 'all' } })
    expect(callFor(call, speaking('anthropic-messages', 'openai-chat'), 10)).toBe(call)
  })

  test('is otherwise the most expressive one that the model supports and that can carry the call', () => {
    const gpt = speaking('openai-chat', 'openai-responses')
    expect(callFor(messages({}), gpt, 10).format).toBe('openai-responses')
    expect(callFor(messages({ stop_sequences: ['END'] }), gpt, 10)).toMatchObject({
      format: 'openai-chat',
      fields: { stop: ['END'] },
    })
    expect(callFor(responses({}), speaking('openai-chat', 'anthropic-messages'), 10).format).toBe('anthropic-messages')
  })
})

test('never turns embeddings into an answer', () => {
  const why = expect.objectContaining({ details: { model: [expect.stringContaining('embeddings')] } })
  expect(() => quoteOf(messages({}), speaking('openai-embeddings'))).toThrow(why)
})

describe('a field that would change its meaning is rejected by name', () => {
  const say = (content: object) => ({ messages: [{ role: 'user', content: [content] }] })
  test.each<[string, ModelCall, FormatName]>([
    ['n', chat({ n: 2 }), 'anthropic-messages'],
    ['logprobs', chat({ logprobs: true }), 'anthropic-messages'],
    ['logit_bias', chat({ logit_bias: { 5: 1 } }), 'anthropic-messages'],
    ['functions', chat({ functions: [{ name: 'f' }] }), 'openai-responses'],
    ['stop', chat({ stop: ['END'] }), 'openai-responses'],
    ['stop_sequences', messages({ stop_sequences: ['END'] }), 'openai-responses'],
    ['stop_sequences', messages({ stop_sequences: ['1', '2', '3', '4', '5'] }), 'openai-chat'],
    ['tool_choice', chat({ tool_choice: { type: 'function', function: { name: 'f' } } }), 'anthropic-messages'],
    ['tools.0.type', chat({ tools: [{ type: 'custom', custom: { name: 'f' } }] }), 'anthropic-messages'],
    [
      'messages.0.content.0.image_url.url',
      chat(say({ type: 'image_url', image_url: { url: 'data:image/png,x' } })),
      'anthropic-messages',
    ],
    ['tools.0.type', responses({ tools: [{ type: 'web_search' }] }), 'openai-chat'],
    ['tools.1.type', responses({ tools: [{ type: 'function', name: 'f' }, { type: 'local_shell' }] }), 'openai-chat'],
    ['input.0.type', responses({ input: [{ type: 'compaction', encrypted_content: 'x' }] }), 'openai-chat'],
    ['tools.0.type', messages({ tools: [{ type: 'bash_20250124', name: 'bash' }] }), 'openai-chat'],
    [
      'tool_choice',
      messages({ tools: [{ name: 'f', input_schema: {} }], tool_choice: { type: 'tool', name: 'g' } }),
      'openai-chat',
    ],
    ['messages.0.content.0.type', messages(say({ type: 'unheard_of' })), 'openai-responses'],
  ])('%s', (field, call, to) => {
    expect(() => quoteOf(call, speaking(to))).toThrow(
      expect.objectContaining({ details: { [field]: [expect.any(String)] } }),
    )
    expect(() => quoteOf(call, speaking(call.format))).not.toThrow(
      expect.objectContaining({ details: { [field]: [expect.any(String)] } }),
    )
  })
})

describe('a feature of only one format', () => {
  test('web search next to other tools is left out, and not part of the hold', () => {
    const call = responses({ tools: [{ type: 'web_search' }, { type: 'function', name: 'f', parameters: {} }] })
    expect(call.searches).toBeGreaterThan(0)
    expect(callFor(call, speaking('openai-chat'), 10)).toMatchObject({
      searches: 0,
      fields: { tools: [{ function: { name: 'f' } }] },
    })
  })

  test('is left out: reasoning of another provider, cache marks and own fields', () => {
    const thought = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 's' },
        { type: 'text', text: 'A' },
      ],
    }
    const cached = { type: 'ephemeral', ttl: '1h' }
    const call = messages({
      system: [{ type: 'text', text: 'S', cache_control: cached }],
      messages: [...user, thought, ...user],
      context_management: { edits: [] },
    })
    const [from, to] = [quoteOf(call, speaking('anthropic-messages')), callFor(call, speaking('openai-chat'), 10)]
    expect(from.prices.cacheWrite).toBe(2)
    expect(to).toMatchObject({ hourCache: false, wideContext: false })
    expect(to.fields).toEqual({
      messages: [{ role: 'system', content: 'S' }, user[0], { role: 'assistant', content: 'A' }, user[0]],
    })
  })

  test('tools in a namespace and tools with text input become functions', () => {
    const inner = { type: 'function', name: 'spawn', parameters: { type: 'object' } }
    const tools = [
      { type: 'namespace', name: 'agents', tools: [inner] },
      { type: 'custom', name: 'patch', format: { type: 'grammar', definition: 'start: x' } },
    ]
    const input = [
      { type: 'function_call', call_id: 'c1', namespace: 'agents', name: 'spawn', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'ok' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: '*** x' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'done' }] },
    ]
    expect(sent(responses({ tools, input }), speaking('openai-chat'))).toMatchObject({
      tools: [{ function: { name: 'agents__spawn' } }, { function: { name: 'patch', description: 'start: x' } }],
      messages: [
        { tool_calls: [{ id: 'c1', function: { name: 'agents__spawn' } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'ok' },
        { tool_calls: [{ id: 'c2', function: { name: 'patch', arguments: '{"input":"*** x"}' } }] },
        { role: 'tool', tool_call_id: 'c2', content: 'done' },
      ],
    })
  })

  test('images in a tool’s result become a user message where results are text', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    const call = messages({
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [image] }] },
      ],
    })
    expect(sent(call, speaking('openai-chat')).messages).toMatchObject([
      { tool_calls: [{ id: 't', function: { arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 't', content: 'Shown below.' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
    ])
    expect(callFor(call, speaking('openai-chat'), 10).images).toBe(1)
  })

  test('several system messages become one', () => {
    const system = [
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B' },
    ]
    const { messages: said } = sent(messages({ system }), speaking('openai-chat'))
    expect(said).toEqual([{ role: 'system', content: system }, ...user])
  })

  test('reasoning of another provider is not sent to a provider that signs its own', () => {
    const thought = (signature: string) => ({ type: 'thinking', thinking: 'Hm', signature })
    const content = [thought(''), thought('signed'), { type: 'text', text: 'A' }]
    const { fields } = messages({ messages: [{ role: 'assistant', content }, ...user] })
    expect(fields.messages).toEqual([{ role: 'assistant', content: content.slice(1) }, ...user])
  })

  test('PDFs and texts stay documents', () => {
    const file = (file_data: string) => ({ type: 'file', file: { filename: 'a', file_data } })
    const content = [file('data:application/pdf;base64,AAAA'), file('data:text/plain;base64,SGk=')]
    const call = chat({ messages: [{ role: 'user', content }] })
    expect(sent(call, speaking('anthropic-messages')).messages).toMatchObject([
      {
        content: [
          { type: 'document', title: 'a', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
          { type: 'document', title: 'a', source: { type: 'text', data: 'Hi' } },
        ],
      },
    ])
    expect(sent(call, speaking('openai-responses')).input).toMatchObject([
      { content: [{ type: 'input_file', filename: 'a' }, {}] },
    ])
  })
})

describe('a request for JSON output', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false }
  const format = { type: 'json_schema', name: 'answer', schema, strict: true }
  const asked: [FormatName, ModelCall, object][] = [
    [
      'openai-chat',
      chat({ response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } }),
      { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } },
    ],
    ['openai-responses', responses({ text: { format } }), { text: { format } }],
    [
      'anthropic-messages',
      messages({ output_config: { format: { type: 'json_schema', schema } } }),
      { output_config: { format: { type: 'json_schema', schema } } },
    ],
  ]
  test.each(asked.flatMap(([from, call]) => asked.map(([to, , wanted]) => [from, to, call, wanted] as const)))(
    'with a schema is translated from %s to %s',
    (_, to, call, wanted) => {
      expect(sent(call, speaking(to))).toMatchObject(wanted)
    },
  )

  test('with an open schema is not enforced where the provider rejects open schemas', () => {
    const open = { ...schema, required: [] }
    const call = messages({ output_config: { format: { type: 'json_schema', schema: open } } })
    expect(sent(call, speaking('openai-responses'))).toMatchObject({ text: { format: { strict: false } } })
  })

  test('without a schema becomes an instruction where the format has no such field', () => {
    const { system } = sent(chat({ response_format: { type: 'json_object' } }), speaking('anthropic-messages'))
    expect(system).toMatchObject([{ text: expect.stringContaining('JSON') }])
  })
})

describe('the reasoning effort', () => {
  test('is a budget within the output limit for an older Claude, and automatic for a newer one', () => {
    const call = chat({ reasoning_effort: 'medium', temperature: 0.3 })
    expect(sent(call, claude('claude-sonnet-4-5'))).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 2_000 },
    })
    expect(sent(call, claude('claude-sonnet-4-5'))).not.toHaveProperty('temperature')
    expect(sent(call, claude('claude-sonnet-4-5'), 1_500)).toEqual(
      expect.not.objectContaining({ thinking: expect.anything() }),
    )
    expect(sent(call, claude('claude-opus-4-6'))).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'medium' },
    })
    expect(sent(call, claude('claude-3-haiku'))).toMatchObject({ temperature: 0.3 })
    expect(sent(chat({ temperature: 1.5 }), claude('claude-sonnet-4-6'))).toMatchObject({ temperature: 1 })
    expect(sent(chat({ temperature: 0.5 }), claude('claude-opus-4-7'))).not.toHaveProperty('temperature')
  })

  test('is not sent to an older Claude after a tool’s result, because the earlier reasoning is missing', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    const asked = [
      ...user,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
    ]
    const after = chat({ reasoning_effort: 'high', messages: asked })
    expect(sent(after, claude('claude-haiku-4-5'))).not.toHaveProperty('thinking')
    expect(sent(after, claude('claude-sonnet-4-6'))).toHaveProperty('thinking')
  })

  test('is sent only to OpenAI’s reasoning models', () => {
    const call = messages({ max_tokens: 30_000, thinking: { type: 'enabled', budget_tokens: 20_000 } })
    const gpt = (upstreamModel: string) => model({ provider: 'openai', upstreamModel, formats: ['openai-responses'] })
    expect(sent(call, gpt('gpt-5-mini'))).toMatchObject({ reasoning: { effort: 'high' } })
    expect(sent(call, gpt('gpt-4.1'))).not.toHaveProperty('reasoning')
    expect(sent(call, speaking('openai-chat'))).not.toHaveProperty('reasoning_effort')
  })
})

describe('the hold of a translated call', () => {
  test('has the same limit, and covers the other format’s minimum', () => {
    expect(quoteOf(chat({ max_tokens: 700 }), speaking('anthropic-messages'))).toMatchObject({ outputTokens: 700 })
    expect(quoteOf(chat({ max_tokens: 5 }), speaking('openai-responses'))).toMatchObject({ outputTokens: 16 })
  })

  test('covers numbers that become longer in translation', () => {
    const input = `{"a":[${Array(500).fill('1e20').join()}]}`
    const body = `{"model":"m","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":${input}}]}]}`
    const call = anthropicMessages.parseRequest(body)
    expect(quoteOf(call, speaking('openai-chat')).inputTokens).toBeGreaterThan(500 * 20)
  })
})

const plain: Conversation = {
  turns: [],
  tools: [],
  toolChoice: null,
  parallelTools: null,
  output: null,
  temperature: null,
  topP: null,
  stop: [],
  stopField: 'stop',
  effort: null,
}
const languages = {
  'openai-chat': { read: readChat, write: writeChat },
  'openai-responses': { read: readResponses, write: writeResponses },
  'anthropic-messages': { read: readMessages, write: writeMessages },
} as const

/** A call in a format with this content. */
function saying(format: FormatName, turns: readonly Turn[]): ModelCall {
  const fields = languages[format].write({ ...plain, turns }, model(), 100)
  return formatNamed(format).parseRequest(JSON.stringify({ model: 'm', max_tokens: 100, ...fields }))
}

/** The messages in order, the system first, because not every format allows it in between. */
function saidIn({ format, fields }: ModelCall): unknown[] {
  const { turns } = languages[format as FormatName].read(fields) // safe because no call here is for embeddings
  const flat = turns.flatMap(({ role, parts }) => parts.map((part) => [role, flatten(part)]))
  return [...flat.filter(([role]) => role === 'system'), ...flat.filter(([role]) => role !== 'system')]
}
const flatten = (part: Part): unknown =>
  part.type === 'call'
    ? { ...part, arguments: JSON.parse(part.arguments) }
    : part.type === 'result'
      ? { id: part.id, texts: part.parts.map((each) => each.type === 'text' && each.text) }
      : part

const text = fc.string({ minLength: 1, unit: 'grapheme' }).map((each) => ({ type: 'text' as const, text: each }))
const image = fc
  .base64String({ minLength: 4 })
  .map((data) => ({ type: 'image' as const, mediaType: 'image/png', data, name: null }))
const id = fc.stringMatching(/^call_[\w-]{0,20}$/)
const call = fc.record({
  type: fc.constant('call' as const),
  id,
  name: fc.stringMatching(/^[a-z]\w{0,10}$/),
  arguments: fc
    .dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.constant(null)))
    .map((each) => JSON.stringify(each)),
})
const result = fc.record({
  type: fc.constant('result' as const),
  id,
  parts: fc.array(text, { maxLength: 2 }),
  failed: fc.constant(false),
})
const turn = fc.oneof<fc.Arbitrary<Turn>[]>(
  fc.record({ role: fc.constant('system' as const), parts: fc.array(text, { minLength: 1, maxLength: 2 }) }),
  fc
    .tuple(fc.array(result, { maxLength: 2 }), fc.array(fc.oneof(text, image), { maxLength: 2 }))
    .map(([results, said]) => ({ role: 'user' as const, parts: [...results, ...said] })),
  fc
    .tuple(fc.array(text, { maxLength: 2 }), fc.array(call, { maxLength: 2 }))
    .map(([said, calls]) => ({ role: 'assistant' as const, parts: [...said, ...calls] })),
)
const roleBefore = (turns: readonly Turn[], index: number) =>
  turns.slice(0, index).findLast(({ role, parts }) => role !== 'system' && parts.length > 0)?.role
const conversation = fc
  .array(turn, { minLength: 1, maxLength: 8 })
  // Neighbouring messages of one role are one turn, even with a system message between them.
  .map((turns) => turns.filter(({ role }, index) => role === 'system' || role !== roleBefore(turns, index)))
  .filter((turns) => turns.some(({ role, parts }) => role !== 'system' && parts.length > 0))

describe.each(formatNames.flatMap((from) => formatNames.filter((to) => to !== from).map((to) => [from, to] as const)))(
  'translating %s to %s and back',
  (from, to) => {
    test('keeps texts, images, calls, results and their ids', () => {
      fc.assert(
        fc.property(conversation, (turns) => {
          const call = saying(from, turns)
          const there = callFor(call, speaking(to), 100)
          const back = callFor(there, speaking(from), 100)
          expect(saidIn(there)).toEqual(saidIn(call))
          expect(saidIn(back)).toEqual(saidIn(call))
        }),
        seeded(2_000),
      )
    })
  },
)

describe('the vendors’ own types', () => {
  const full: Conversation = {
    ...plain,
    output: 'json',
    toolChoice: { name: 'f' },
    parallelTools: false,
    temperature: 1,
    topP: 1,
    effort: 'low',
  }
  const answer: ModelAnswer = new AnswerBuilder(new Map(), 1).answer
  test('accept our output', () => {
    const asked = writeChat(full, model())
    const { reasoning_effort, messages: _, ...more } = asked
    const chats: OpenAI.ChatCompletionCreateParams = { model: 'm', messages: asked.messages, ...more }
    const { reasoning, ...rest } = writeResponses(full, model())
    const response: OpenAI.Responses.ResponseCreateParams = { model: 'm', ...rest }
    const message: Anthropic.MessageCreateParamsNonStreaming = {
      model: 'm',
      max_tokens: 1,
      ...writeMessages(full, model(), 100),
    }
    const completion: OpenAI.ChatCompletion = chatWriter(false).writeWhole(answer)
    const answered: Omit<OpenAI.Responses.Response, 'output_text' | 'access_programs' | 'usage'> =
      responsesWriter().writeWhole(answer)
    const said: Anthropic.Message = messagesWriter().writeWhole(answer)
    expect([chats, response, message, completion, answered, said, reasoning_effort, reasoning]).toHaveLength(8)
  })
})
