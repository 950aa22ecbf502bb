import { describe, expect, test } from '@jest/globals'
import { anthropicMessages } from '../../../domain/models/anthropic-messages.ts'
import type { ApiFormat } from '../../../domain/models/api-format.ts'
import { openaiChat } from '../../../domain/models/openai-chat.ts'
import { openaiResponses } from '../../../domain/models/openai-responses.ts'
import { UsageMeter } from '../../../domain/models/usage-meter.ts'
import { delta, sse, stop, usageChunk } from '../../lambdas/llm/upstream.ts'

/** A meter that has read these events. */
function meterOf(format: ApiFormat, ...events: (object | string)[]): UsageMeter {
  const meter = new UsageMeter(format, false)
  meter.readChunk(Buffer.from(sse(...events)))
  return meter
}
const usageOf = (format: ApiFormat, ...events: object[]) => meterOf(format, ...events).usage

const start = (usage: object | null) => ({ type: 'message_start', message: { id: 'm', content: [], usage } })
const end = (usage: object) => ({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })
const word = { type: 'content_block_delta', delta: { type: 'text_delta', text: 'hello' } }
const messages = { input: 600, cachedInput: 400, output: 50 }

describe('counts of a call only grow', () => {
  const counted = { input_tokens: 600, cache_read_input_tokens: 400, output_tokens: 1 }
  const zeros = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  test.each<[string, object[]]>([
    // https://github.com/decolua/9router/pull/2209
    ['zeros after them', [start(counted), word, end({ ...zeros, output_tokens: 50 })]],
    ['nulls after them', [start(counted), word, end({ input_tokens: null, output_tokens: 50 })]],
    ['nothing after them', [start(counted), word, end({ output_tokens: 50 })]],
    // https://github.com/api7/aisix/pull/712
    ['zeros before them', [start(zeros), word, end({ ...counted, output_tokens: 50 })]],
    // https://github.com/envoyproxy/ai-gateway/issues/2290
    ['nothing before them', [start(null), word, end({ ...counted, output_tokens: 50 })]],
    ['a smaller output after them', [start(counted), word, end({ output_tokens: 50 }), end({ output_tokens: 2 })]],
    [
      'a report of the input at the very end',
      [start(zeros), end({ output_tokens: 50 }), { type: 'message_stop', usage: counted }],
    ],
  ])('in Messages: %s', (_, events) => {
    expect(usageOf(anthropicMessages, ...events)).toMatchObject({ reported: messages, final: true })
  })

  const chat = { prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050 }
  const detailed = { ...chat, prompt_tokens_details: { cached_tokens: 400 } }
  test.each<[string, object[]]>([
    ['a report without details after it', [usageChunk(detailed), usageChunk(chat)]],
    ['null details after it', [usageChunk(detailed), usageChunk({ ...chat, prompt_tokens_details: null })]],
    ['zeros after it', [usageChunk(detailed), usageChunk({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })]],
    ['a report without details before it', [usageChunk(chat), usageChunk(detailed)]],
    [
      'a report in each chunk',
      [1, 20, 49].map((completion_tokens) => ({ ...delta('hi'), usage: { ...detailed, completion_tokens } })),
    ],
  ])('in Chat Completions: %s', (_, events) => {
    expect(usageOf(openaiChat, ...events, stop, usageChunk(chat))).toMatchObject({ reported: messages, final: true })
  })

  test('and keep the observed searches when the report has none', () => {
    const search = { type: 'server_tool_use', name: 'web_search', input: {} }
    const usage = usageOf(
      anthropicMessages,
      start(counted),
      { type: 'content_block_start', content_block: search },
      end(counted),
    )
    expect(usage).toMatchObject({ final: true, countedSearches: 1 })
    expect(usage.reported).not.toHaveProperty('searches')
  })
})

describe('a report covers the whole call', () => {
  test('unless more output follows', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 0, total_tokens: 10 }
    expect(usageOf(openaiChat, usageChunk(usage)).final).toBe(true)
    expect(usageOf(openaiChat, usageChunk(usage), delta('word')).final).toBe(false)
    expect(usageOf(openaiChat, usageChunk(usage), delta('word'), usageChunk(usage)).final).toBe(true)
  })

  test.each<[string, ApiFormat, object[]]>([
    ['no input', anthropicMessages, [start(null), word, end({ output_tokens: 50 })]],
    [
      'an input of zero for an output',
      anthropicMessages,
      [start({ input_tokens: 0 }), word, end({ output_tokens: 50 })],
    ],
    ['no output', openaiChat, [delta('word'), usageChunk({ prompt_tokens: 10 })]],
  ])('unless it has %s', (_, format, events) => {
    expect(usageOf(format, ...events).final).toBe(false)
  })
})

test('usage of Responses is read from its last event, whatever its name', () => {
  const usage = { input_tokens: 1_000, output_tokens: 50, input_tokens_details: { cached_tokens: 400 } }
  for (const type of ['response.completed', 'response.incomplete', 'response.done'])
    expect(usageOf(openaiResponses, { type, response: { usage } })).toMatchObject({ reported: messages, final: true })
})

describe('a connection that breaks', () => {
  const text = (meter: UsageMeter) => {
    const { forward, failure } = meter.readBreak('cut-off')
    return { forward: Buffer.from(forward).toString(), failed: failure !== null }
  }
  const chatEnd = usageChunk({ prompt_tokens: 1, completion_tokens: 1 })
  test.each<[string, ApiFormat, (object | string)[]]>([
    ['message_stop', anthropicMessages, [word, { type: 'message_stop' }]],
    ['[DONE]', openaiChat, [delta('word'), stop, '[DONE]']],
    ['response.completed', openaiResponses, [{ type: 'response.completed', response: {} }]],
    ['response.incomplete', openaiResponses, [{ type: 'response.incomplete', response: {} }]],
    ['response.done', openaiResponses, [{ type: 'response.done', response: {} }]],
    ['an error after the end', anthropicMessages, [word, { type: 'message_stop' }, { type: 'error' }]],
  ])('after %s has lost nothing', (_, format, events) => {
    expect(text(meterOf(format, ...events))).toEqual({ forward: '', failed: false })
  })

  test.each<[string, ApiFormat, (object | string)[]]>([
    ['the last text', anthropicMessages, [word]],
    ['the finish reason', anthropicMessages, [word, end({ output_tokens: 1 })]],
    ['usage without [DONE]', openaiChat, [delta('word'), stop, chatEnd]],
    ['response.failed', openaiResponses, [{ type: 'response.failed', response: { status: 'failed' } }]],
    ['an error', anthropicMessages, [word, { type: 'error' }]],
    ['nothing', openaiChat, []],
  ])('after %s is a failure', (_, format, events) => {
    expect(text(meterOf(format, ...events))).toEqual({ forward: '', failed: true })
  })

  test.each([
    ['data: [DONE]', false],
    ['data: [DONE]\n', false],
    ['data: [DO', true],
    ['data: {"choices":[', true],
  ])('within %j is a failure: %p', (rest, failed) => {
    const meter = meterOf(openaiChat, delta('word'))
    meter.readChunk(Buffer.from(rest))
    expect(text(meter)).toEqual({ forward: failed ? '' : rest, failed })
  })
})
