import { describe, expect, test } from '@jest/globals'
import { anthropicMessages } from '../../../domain/models/anthropic-messages.ts'
import type { ModelCall } from '../../../domain/models/api-format.ts'
import { formatNamed } from '../../../domain/models/api-formats.ts'
import type { ChatFormatName as FormatName } from '../../../domain/models/model.ts'
import { openaiChat } from '../../../domain/models/openai-chat.ts'
import { openaiResponses } from '../../../domain/models/openai-responses.ts'
import { callFor, translationOf } from '../../../domain/models/translate/translate.ts'

import { echo } from '../../lambdas/llm/ports.ts'

/**
 * Responses of servers that are almost compatible with OpenAI or Anthropic, as callers of the other formats read them.
 */

const messages = [{ role: 'user', content: 'Hi' }]
const calls: Record<FormatName, ModelCall> = {
  'openai-chat': openaiChat.parseRequest(JSON.stringify({ messages })),
  'openai-responses': openaiResponses.parseRequest(JSON.stringify({ input: 'Hi' })),
  'anthropic-messages': anthropicMessages.parseRequest(JSON.stringify({ model: 'm', max_tokens: 9, messages })),
}
const translationTo = (caller: FormatName, provider: FormatName) => {
  const made = translationOf(calls[caller], { ...calls[caller], format: provider }, 0, 7)
  if (!made) throw new Error('the same format is not translated')
  return made
}

type Json = Record<string, unknown>
const eventsIn = (text: string): Json[] =>
  [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? ''))

/** The blocks of a Messages stream, each of which must end before the next begins. */
function blocksOf(provider: FormatName, events: readonly (Json | '[DONE]')[]) {
  const translation = translationTo('anthropic-messages', provider)
  const told = events.map((each) =>
    each === '[DONE]' ? translation.readDone(null) : translation.readEvent(each, null),
  )
  const blocks: { type: string; name?: string; id?: string; text: string; done: boolean }[] = []
  let stop: unknown = null
  for (const event of eventsIn([...told, translation.readEnd(null)].join(''))) {
    const { type, index, content_block, delta } = event as {
      type: string
      index: number
      content_block: Json & { type: string }
      delta: Record<string, string>
    } // safe because it only reads
    if (type === 'content_block_start') {
      expect(blocks.every(({ done }) => done)).toBe(true)
      const { name, id } = content_block as { name?: string; id?: string } // safe because it only reads
      blocks.push({ type: content_block.type, ...(name && { name, id: id ?? '' }), text: '', done: false })
    }
    const block = blocks[index]
    if (type.startsWith('content_block')) expect([index, block?.done]).toEqual([blocks.length - 1, false])
    if (type === 'content_block_delta' && block) block.text += delta.text ?? delta.thinking ?? delta.partial_json ?? ''
    if (type === 'content_block_stop' && block) block.done = true
    if (type === 'message_delta') stop = delta.stop_reason
  }
  return { stop, blocks: blocks.map(({ done: _, ...block }) => block) }
}

/** A complete Chat Completions response, as a Messages caller reads it. */
const wholeOf = (message: unknown, more: object = { finish_reason: 'stop' }) =>
  JSON.parse(
    translationTo('anthropic-messages', 'openai-chat').readWhole({ choices: [{ message, ...more }] }, null) ?? 'null',
  )?.content

const chunk = (delta: unknown, more: object = {}) => ({ id: 'c1', model: 'm', choices: [{ index: 0, delta, ...more }] })
const piece = (...tool_calls: unknown[]) => chunk({ tool_calls })
const end = (finish_reason: string | null) => chunk({}, { finish_reason })
const use = (name: string, text: string, id?: string) => ({
  type: 'tool_use',
  name,
  text,
  id: id ?? expect.any(String),
})

describe('tool calls in a Chat Completions stream', () => {
  // https://github.com/praxis-proxy/ai/issues/266
  test('that are interleaved each get their own arguments', () => {
    const f = { function: { name: 'f', arguments: '' } }
    const events = [
      chunk({ content: 'I look.' }),
      piece({ index: 0, id: 'a', ...f }),
      piece({ index: 1, id: 'b', function: { name: 'g', arguments: '{"y"' } }),
      piece({ index: 0, function: { arguments: '{"x"' } }, { index: 1, function: { arguments: ':2' } }),
      piece({ index: 1, function: { arguments: '}' } }),
      piece({ index: 0, function: { arguments: ':1}' } }),
      end('tool_calls'),
    ]
    expect(blocksOf('openai-chat', events)).toEqual({
      stop: 'tool_use',
      blocks: [{ type: 'text', text: 'I look.' }, use('f', '{"x":1}', 'a'), use('g', '{"y":2}', 'b')],
    })
  })

  test('without arguments get an empty object and delay nothing after the response', () => {
    const events = [
      piece({ index: 0, id: 'a', function: { name: 'f' } }),
      piece({ index: 1, id: 'b', function: { name: 'g', arguments: null } }),
      piece({ index: 2, id: 'c', function: { name: 'h', arguments: '{"z":3}' } }),
      end('tool_calls'),
    ]
    expect(blocksOf('openai-chat', events).blocks).toEqual([
      use('f', '{}', 'a'),
      use('g', '{}', 'b'),
      use('h', '{"z":3}', 'c'),
    ])
  })

  // https://github.com/su-kaka/gcli2api/pull/406, https://github.com/ai-dynamo/dynamo/pull/4723
  test('that all have index 0 are distinguished by their ids, or else by their names and complete arguments', () => {
    const numbered = (ids: readonly (string | undefined)[]) =>
      ids.map((id, at) => piece({ index: 0, id, function: { name: 'f', arguments: `{"at":${at}}` } }))
    const told = [use('f', '{"at":0}'), use('f', '{"at":1}'), use('f', '{"at":2}')]
    expect(blocksOf('openai-chat', [...numbered(['a', 'b', 'c']), end('stop')])).toEqual({
      stop: 'tool_use',
      blocks: told,
    })
    expect(blocksOf('openai-chat', [...numbered([undefined, undefined, undefined]), end('stop')]).blocks).toEqual(told)
  })

  // https://github.com/noho/dayu-agent/issues/82
  test('without an index are distinguished within a chunk and across chunks', () => {
    const call = (id: string | null, at: number) => ({ id, function: { name: 'f', arguments: `{"at":${at}}` } })
    const blocks = [use('f', '{"at":0}'), use('f', '{"at":1}'), use('f', '{"at":2}')]
    for (const ids of [
      ['a', 'b', 'c'],
      [null, null, null],
    ] as const) {
      expect(blocksOf('openai-chat', [piece(...ids.map(call)), end('tool_calls')]).blocks).toEqual(blocks)
      expect(blocksOf('openai-chat', [...ids.map((id, at) => piece(call(id, at))), end('tool_calls')]).blocks).toEqual(
        blocks,
      )
    }
  })

  test('continue the last call without index and id, and the call of their id when it is given', () => {
    const events = [
      piece({ id: 'a', function: { name: 'f', arguments: '{"x"' } }),
      piece({ id: 'b', function: { name: 'g', arguments: '{"y"' } }),
      piece({ function: { arguments: ':2}' } }),
      piece({ id: 'a', function: { arguments: ':1}' } }),
      end('tool_calls'),
    ]
    expect(blocksOf('openai-chat', events).blocks).toEqual([use('f', '{"x":1}', 'a'), use('g', '{"y":2}', 'b')])
  })

  test('with an id and name that are repeated, empty or null in every part are one call each', () => {
    const pieces = (more: object, name?: string | null) =>
      ['{"x"', ':1', '}'].map((text) => piece({ index: 0, ...more, function: { name, arguments: text } }))
    const whole = [use('f', '{"x":1}')]
    expect(blocksOf('openai-chat', [...pieces({ id: 'a' }, 'f'), end('tool_calls')]).blocks).toEqual(whole)
    expect(blocksOf('openai-chat', [...pieces({}, 'f'), end('tool_calls')]).blocks).toEqual(whole)
    for (const nothing of ['', null]) {
      const begin = piece({ index: 0, id: 'a', function: { name: 'f', arguments: nothing } })
      const events = [
        begin,
        ...pieces({ id: nothing }, nothing),
        piece({ index: 0, function: null }),
        end('tool_calls'),
      ]
      expect(blocksOf('openai-chat', events).blocks).toEqual(whole)
    }
  })

  test('with a new id in every part are matched by their index', () => {
    const events = [
      piece({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }),
      piece({ index: 0, id: 'a2', function: { arguments: ':1}' } }),
      end('tool_calls'),
    ]
    expect(blocksOf('openai-chat', events).blocks).toEqual([use('f', '{"x":1}', 'a')])
  })

  test('with a name that follows their id, or with none, begin when the name is known', () => {
    const events = [
      piece({ index: 0, id: 'a', function: { arguments: '{"x"' } }),
      piece({ index: 0, function: { name: 'f', arguments: ':1}' } }),
      end('tool_calls'),
    ]
    expect(blocksOf('openai-chat', events).blocks).toEqual([use('f', '{"x":1}', 'a')])
  })

  // https://github.com/ggml-org/llama.cpp/issues/20198, https://github.com/sipeed/picoclaw/pull/1292
  test('may have their arguments as an object, as an empty object before the parts, or again at the end', () => {
    const begin = (given: unknown) => piece({ index: 0, id: 'a', function: { name: 'f', arguments: given } })
    const more = (given: unknown) => piece({ index: 0, function: { arguments: given } })
    for (const events of [
      [begin({ x: 1 })],
      [begin({ x: 1 }), more({ x: 1 })],
      [begin({}), more('{"x"'), more(':1}')],
      [begin('{}'), more('{"x":1}')],
      [begin(''), more('{"x":1}'), more('{"x":1}')],
    ])
      expect(blocksOf('openai-chat', [...events, end('tool_calls')]).blocks).toEqual([use('f', '{"x":1}', 'a')])
  })

  test('may use the old function call field, or omit the object around a function', () => {
    const old = [
      chunk({ function_call: { name: 'f', arguments: '{"x"' } }),
      chunk({ function_call: { arguments: ':1}' } }),
    ]
    expect(blocksOf('openai-chat', [...old, end('function_call')])).toEqual({
      stop: 'tool_use',
      blocks: [use('f', '{"x":1}')],
    })
    expect(blocksOf('openai-chat', [piece({ id: 'a', name: 'f', arguments: { x: 1 } }), end('stop')]).blocks).toEqual([
      use('f', '{"x":1}', 'a'),
    ])
  })

  test('that share an id get one each', () => {
    const call = (index: number) => piece({ index, id: 'a', function: { name: 'f', arguments: `{"at":${index}}` } })
    const ids = blocksOf('openai-chat', [call(0), call(1), end('tool_calls')]).blocks.map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
  })

  test('with text between their parts stay complete', () => {
    const events = [
      piece({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }),
      chunk({ content: 'Meanwhile' }),
      piece({ index: 0, function: { arguments: ':1}' } }),
      end('tool_calls'),
    ]
    expect(blocksOf('openai-chat', events).blocks).toEqual([
      use('f', '{"x":1}', 'a'),
      { type: 'text', text: 'Meanwhile' },
    ])
  })
})

describe('a response of a server that is almost compatible with OpenAI', () => {
  // https://github.com/NousResearch/hermes-agent/pull/4748, https://github.com/infiniflow/ragflow/pull/14805
  test('may have its content as a list of parts, streamed or complete', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }], closed: true },
      { type: 'text', text: 'Hel' },
      'lo',
    ]
    const blocks = [
      { type: 'thinking', text: 'Hm' },
      { type: 'text', text: 'Hello' },
    ]
    expect(blocksOf('openai-chat', [chunk({ content }), end('stop')]).blocks).toEqual(blocks)
    expect(wholeOf({ content })).toMatchObject([
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'Hello' },
    ])
    expect(wholeOf({ content: { type: 'text', text: 'Hello' } })).toMatchObject([{ text: 'Hello' }])
  })

  test.each<[string, object]>([
    ['reasoning_content', { reasoning_content: 'Hm' }],
    ['reasoning', { reasoning: 'Hm' }],
    ['an object', { reasoning: { text: 'Hm' } }],
    ['thinking', { thinking: 'Hm' }],
    [
      'details',
      {
        reasoning_details: [
          { type: 'reasoning.text', text: 'H' },
          { type: 'reasoning.text', text: 'm' },
        ],
      },
    ],
    [
      'a summary',
      {
        reasoning_details: [
          { type: 'reasoning.summary', summary: 'Hm' },
          { type: 'reasoning.encrypted', data: 'x' },
        ],
      },
    ],
    ['blocks', { thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 's' }] }],
    ['two names for one text', { reasoning: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] }],
    ['an empty first name', { reasoning_content: '', reasoning: 'Hm' }],
  ])('may have its reasoning as %s, which is sent and counted once', (_, thoughts) => {
    expect(wholeOf({ content: 'A', ...thoughts })).toMatchObject([{ thinking: 'Hm' }, { text: 'A' }])
    expect(openaiChat.parseResponse(chunk({ content: 'A', ...thoughts })).outputBytes).toBe(3)
  })

  test('to a legacy completion has its text next to the usual place of the delta', () => {
    const text = (given: string, more: object = {}) => ({ choices: [{ index: 0, text: given, ...more }] })
    expect(
      blocksOf('openai-chat', [text('Hel'), text('lo', { delta: {} }), text('', { finish_reason: 'stop' })]),
    ).toEqual({
      stop: 'end_turn',
      blocks: [{ type: 'text', text: 'Hello' }],
    })
    expect(openaiChat.parseResponse(text('Hello')).outputBytes).toBe(5)
  })

  test('may have a message in its stream, which is not repeated', () => {
    const message = { role: 'assistant', content: 'Hello' }
    const whole = { choices: [{ index: 0, message, finish_reason: 'stop' }] }
    const blocks = [{ type: 'text', text: 'Hello' }]
    expect(blocksOf('openai-chat', [whole]).blocks).toEqual(blocks)
    expect(blocksOf('openai-chat', [chunk({ content: 'Hello' }), whole]).blocks).toEqual(blocks)
    expect(
      blocksOf('openai-chat', [chunk(null), { choices: [{ index: null, delta: { content: 'Hello' } }] }, end('stop')])
        .blocks,
    ).toEqual(blocks)
  })

  test('may omit its finish reason when the end is clear', () => {
    expect(blocksOf('openai-chat', [chunk({ content: 'Hello' }), end(null), '[DONE]']).stop).toBe('end_turn')
    expect(wholeOf({ content: 'Hello' }, { finish_reason: null })).toMatchObject([{ text: 'Hello' }])
    expect(wholeOf({ content: '' }, {})).toBeUndefined()
  })

  test('without tool calls never has the finish reason for them', () => {
    expect(blocksOf('openai-chat', [chunk({ content: 'Hello' }), end('tool_calls')]).stop).toBe('end_turn')
  })

  test('without a usage report counts all output', () => {
    const bytes = (delta: object) => openaiChat.parseResponse(chunk(delta)).outputBytes
    expect(bytes({ content: [{ type: 'text', text: 'Hello' }] })).toBe(5)
    expect(bytes({ tool_calls: [{ index: 0, function: { name: 'f', arguments: { x: 1 } } }] })).toBe(8)
    expect(bytes({ tool_calls: [{ index: 0, custom: { name: 'f', input: 'abc' } }] })).toBe(4)
    expect(bytes({ refusal: 'No' })).toBe(2)
  })
})

describe('the token usage that a Messages caller reads', () => {
  const report = { input: 600, cachedInput: 400, output: 50 }
  const usagesOf = (usage: typeof report | null) => {
    const translation = translationTo('anthropic-messages', 'openai-chat')
    const events = [chunk({ content: 'Hello, world' }), end('stop')]
    const told = [...events.map((each) => translation.readEvent(each, null)), translation.readEnd(usage)]
    const [start, last] = eventsIn(told.join('')).filter(
      ({ type }) => type === 'message_start' || type === 'message_delta',
    )
    return [(start?.message as Json | undefined)?.usage, last?.usage]
  }

  // https://github.com/router-for-me/CLIProxyAPI/issues/1700, https://github.com/BerriAI/litellm/issues/41406
  test('begins with the counted usage and ends with the reported usage', () => {
    expect(usagesOf(report)).toMatchObject([
      { input_tokens: 7, output_tokens: 0 },
      { input_tokens: 600, cache_read_input_tokens: 400, output_tokens: 50 },
    ])
  })

  test('ends with the counted usage without a report, like the settlement of the call', () => {
    expect(usagesOf(null)).toMatchObject([{ input_tokens: 7 }, { input_tokens: 7, output_tokens: 3 }])
  })
})

describe('a response of a server that is almost compatible with Anthropic', () => {
  const start = { type: 'message_start', message: { id: 'msg_1', model: 'm' } }
  const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
  const delta = (index: number, given: object) => ({ type: 'content_block_delta', index, delta: given })
  const input = (index: number, partial_json: unknown) => delta(index, { type: 'input_json_delta', partial_json })
  const stop = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }]
  const chatCalls = (events: readonly Json[]) => {
    const translation = translationTo('openai-chat', 'anthropic-messages')
    const calls: string[][] = []
    for (const event of eventsIn(events.map((each) => translation.readEvent(each, null)).join(''))) {
      const [choice] = event.choices as {
        delta: { tool_calls?: { index: number; function: { name?: string; arguments: string } }[] }
      }[] // safe because it only reads
      for (const { index, function: made } of choice?.delta.tool_calls ?? []) {
        if (made.name) calls.push([made.name, ''])
        const call = calls[index]
        if (call) call[1] += made.arguments
      }
    }
    return calls
  }

  test('may interleave its tool calls, with their input as text or as a value', () => {
    const tool = (name: string, given: unknown = {}) => ({ type: 'tool_use', id: name, name, input: given })
    const events = [
      start,
      block(0, tool('f')),
      block(1, tool('g')),
      input(0, '{"x"'),
      input(1, { y: 2 }),
      input(0, ':1}'),
    ]
    expect(chatCalls([...events, ...stop])).toEqual([
      ['f', '{"x":1}'],
      ['g', '{"y":2}'],
    ])
    expect(chatCalls([start, block(0, tool('f', '{"x":1}')), ...stop])).toEqual([['f', '{"x":1}']])
  })

  test('may have a text as its content, and a stream without a start event', () => {
    const whole = translationTo('openai-chat', 'anthropic-messages').readWhole(
      { type: 'message', content: 'Hello', stop_reason: 'end_turn' },
      null,
    )
    expect(JSON.parse(whole ?? '').choices[0].message.content).toBe('Hello')
    expect(chatCalls([block(0, { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } }), ...stop])).toEqual([
      ['f', '{"x":1}'],
    ])
  })
})

describe('a response of a server that is almost compatible with OpenAI’s Responses API', () => {
  const created = { type: 'response.created', response: { id: 'resp_1', model: 'm' } }
  const completed = { type: 'response.completed', response: { id: 'resp_1', model: 'm', status: 'completed' } }
  const item = (type: string, output_index: number, more: object) => ({
    type: `response.output_item.${type}`,
    output_index,
    item: more,
  })
  const call = (name: string, given: unknown) => ({ type: 'function_call', call_id: name, name, arguments: given })
  const args = (output_index: number, text: string) => ({
    type: 'response.function_call_arguments.delta',
    output_index,
    delta: text,
  })

  // https://github.com/mcowger/plexus/issues/691
  test('may interleave its tool calls', () => {
    const events = [
      item('added', 0, call('f', '')),
      item('added', 1, call('g', '')),
      args(0, '{"x"'),
      args(1, '{"y":2}'),
      args(0, ':1}'),
    ]
    expect(blocksOf('openai-responses', [created, ...events, completed])).toEqual({
      stop: 'tool_use',
      blocks: [use('f', '{"x":1}', 'f'), use('g', '{"y":2}', 'g')],
    })
  })

  test('may send its items only when they are done, or all at the end', () => {
    const text = { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }
    const output = [text, call('f', { x: 1 })]
    const blocks = [{ type: 'text', text: 'Hello' }, use('f', '{"x":1}', 'f')]
    const done = output.map((each, index) => item('done', index, each))
    expect(blocksOf('openai-responses', [created, ...done, completed]).blocks).toEqual(blocks)
    expect(
      blocksOf('openai-responses', [created, { ...completed, response: { ...completed.response, output } }]).blocks,
    ).toEqual(blocks)
  })

  test('repeats no text that arrives in parts and again with its completed item', () => {
    const text = { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }
    const events = [
      item('added', 0, { type: 'message', content: [] }),
      { type: 'response.output_text.delta', output_index: 0, delta: 'Hello' },
      item('done', 0, text),
      item('added', 1, call('f', '')),
      args(1, '{"x":1}'),
      { type: 'response.function_call_arguments.done', output_index: 1, arguments: '{"x":1}' },
      item('done', 1, call('f', '{"x":1}')),
    ]
    const response = { ...completed.response, output: [text, call('f', '{"x":1}')] }
    expect(blocksOf('openai-responses', [created, ...events, { ...completed, response }]).blocks).toEqual([
      { type: 'text', text: 'Hello' },
      use('f', '{"x":1}', 'f'),
    ])
  })
})

// https://github.com/isair/jarvis/pull/560
test('arguments that a caller sends back as a value or a text reach the provider the same', () => {
  const ask = (format: FormatName, body: object) =>
    formatNamed(format).parseRequest(JSON.stringify({ model: 'm', max_tokens: 9, ...body }))
  const chatCall = { id: 'a', type: 'function', function: { name: 'f', arguments: { x: 1 } } }
  const asked = [
    ask('openai-chat', { messages: [...messages, { role: 'assistant', content: null, tool_calls: [chatCall] }] }),
    ask('openai-responses', { input: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: { x: 1 } }] }),
    ask('anthropic-messages', {
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: '{"x":1}' }] }],
    }),
  ]
  for (const call of asked) {
    const to = call.format === 'openai-chat' ? 'openai-responses' : 'openai-chat'
    expect(JSON.stringify(callFor(call, { ...echo, formats: [to] }, 9).fields)).toContain(JSON.stringify('{"x":1}'))
  }
})

test('output of the other formats is counted in every shape', () => {
  expect(anthropicMessages.parseResponse({ type: 'message', content: 'Hello' }).outputBytes).toBe(5)
  const delta = { type: 'input_json_delta', partial_json: { x: 1 } }
  expect(anthropicMessages.parseResponse({ type: 'content_block_delta', delta }).outputBytes).toBe(7)
  const output = [
    { type: 'message', content: 'Hello' },
    { type: 'function_call', name: 'f', arguments: { x: 1 } },
  ]
  expect(openaiResponses.parseResponse({ output }).outputBytes).toBe(13)
})
