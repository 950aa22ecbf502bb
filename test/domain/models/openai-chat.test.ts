import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ResponsePart } from '../../../domain/models/api-format.ts'
import { splitInput } from '../../../domain/models/cost.ts'
import { quoteOf } from '../../../domain/models/hold.ts'
import { utf8Length } from '../../../domain/models/json.ts'
import type { PricedModel } from '../../../domain/models/model.ts'
import { openaiChat } from '../../../domain/models/openai-chat.ts'
import { seeded } from '../../counts.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const parse = (more: object) => openaiChat.parseRequest(JSON.stringify({ messages, ...more }))
const model = (provider: string): PricedModel => ({
  id: `${provider}/m`,
  provider,
  upstreamModel: 'm',
  formats: ['openai-chat'],
  contextTokens: null,
  maxOutputTokens: null,
  imageTokens: null,
  prices: { input: 1, cachedInput: 1, cacheWrite: 1, output: 1 },
  priceVersion: 'v',
  markup: 0,
})
const sent = (more: object, provider = 'openai') =>
  JSON.parse(openaiChat.buildRequest(parse(more), model(provider), 77, 'pseudonym'))

describe('the request to the provider', () => {
  test('keeps the allowed fields unchanged', () => {
    const fields = {
      temperature: 0.5,
      top_p: 1,
      stop: ['a'],
      seed: 1,
      n: 2,
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
      reasoning_effort: 'low',
      logprobs: true,
      presence_penalty: 0.1,
      frequency_penalty: 0.1,
    }
    expect(sent(fields)).toMatchObject({ ...fields, messages })
  })

  test('has a pseudonymous user, no storage and the standard tier', () => {
    const body = sent({ user: 'ada@example.com', store: true, metadata: { a: 'b' }, service_tier: 'auto' })
    expect(body).toMatchObject({ user: 'pseudonym', store: false, service_tier: 'default' })
    expect(JSON.stringify(body)).not.toMatch(/ada|metadata/)
  })

  test('has our output limit under the provider’s field name', () => {
    expect(sent({ max_tokens: 5 })).toMatchObject({ max_completion_tokens: 77 })
    expect(sent({ max_completion_tokens: 5 }, 'local')).toMatchObject({ max_tokens: 77 })
    expect(sent({ max_completion_tokens: 5 }, 'local')).not.toHaveProperty('max_completion_tokens')
    expect(sent({ max_tokens: 5 })).not.toHaveProperty('max_tokens')
  })

  test('accepts an earlier response of the provider unchanged', () => {
    const answer = {
      role: 'assistant',
      content: null,
      refusal: null,
      annotations: [],
      audio: null,
      tool_calls: [{ id: 'a' }],
    }
    expect(sent({ messages: [answer] }).messages).toEqual([
      { role: 'assistant', content: null, tool_calls: [{ id: 'a' }] },
    ])
  })

  test('asks for a stream’s usage, and remembers whether the caller asked too', () => {
    expect(sent({ stream: true })).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect(sent({ stream: true, stream_options: { include_usage: false } }).stream_options.include_usage).toBe(true)
    expect(parse({ stream: true }).hidesUsage).toBe(true)
    expect(parse({ stream: true, stream_options: { include_usage: true } }).hidesUsage).toBe(false)
    expect(sent({})).not.toHaveProperty('stream_options')
  })
})

describe('an image', () => {
  const url = `data:image/png;base64,${'A'.repeat(10_000)}`
  const withImage = (image: object) =>
    parse({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: image }] }] })

  test('is counted apart from the text, whose bytes limit its tokens', () => {
    const call = withImage({ url, detail: 'high' })
    expect(call.images).toBe(1)
    expect(call.textBytes).toBeLessThan(200)
  })

  test('is rejected by a model whose price for images has no limit', () => {
    expect(() => quoteOf(withImage({ url }), model('openai'))).toThrow(/images/)
  })

  test.each([
    ['http://a.test/x.png'],
    ['file:///etc/passwd'],
    ['//a.test/x.png'],
    [' gs://a/x.png'],
    ['data:audio/wav;base64,AA'],
  ])('at %s is not downloaded', (bad) => {
    expect(() => withImage({ url: bad })).toThrow(/image_url.url/)
  })

  test('may be as large as its provider accepts, and its data is not counted as text', () => {
    const textBytes = (size: number) => withImage({ url: `data:image/png;base64,${'A'.repeat(size)}` }).textBytes
    expect(textBytes(20_000_000)).toBe(textBytes(10))
  })

  test('is one of a limited number', () => {
    const part = { type: 'image_url', image_url: { url } }
    expect(() => parse({ messages: [{ role: 'user', content: Array(51).fill(part) }] })).toThrow(/at most 50/)
  })
})

test('text written as a function call is counted, also in the old function call field', () => {
  const written = { name: 'tide', arguments: '{"at":"noon"}' }
  const bytesOf = (delta: object) => openaiChat.parseResponse({ choices: [{ delta }] }).outputBytes
  expect(bytesOf({ function_call: written })).toBe(utf8Length(written.name + written.arguments))
  expect(bytesOf({ tool_calls: [{ function: written }] })).toBe(bytesOf({ function_call: written }))
})

describe('an unknown field', () => {
  test('is sent on unchanged, or rejected by name', () => {
    const read = new Set(['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'n'])
    const ours = new Set(['store', 'metadata', 'user', 'safety_identifier', 'prompt_cache_key', 'service_tier'])
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 20 }), fc.jsonValue(), (name, value) => {
        fc.pre(!read.has(name) && !ours.has(name) && name !== 'tools' && name !== '__proto__')
        try {
          const sentOn = JSON.parse(JSON.stringify(value))
          expect(sent({ [name]: value })).toEqual({ ...sent({}), ...(value !== null && { [name]: sentOn }) })
        } catch (error) {
          expect(error).toMatchObject({ code: 'validation', details: expect.anything() })
        }
      }),
      seeded(2_000),
    )
  })

  test.each([
    ['tools.0.type', { tools: [{ type: 'web_search' }] }],
    ['messages', { messages: [] }],
    [
      'messages.0.content.0.file.file_id',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
    ],
    [
      'messages.0.content.0.image_url.detail',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x', detail: 'original' } }] }] },
    ],
  ])('at %s accepts only known values', (field, more) => {
    expect(() => parse(more)).toThrow(expect.objectContaining({ details: { [field]: [expect.any(String)] } }))
  })
})

describe('a usage report', () => {
  const read = (usage: object, choices: object[] = []) => openaiChat.parseResponse({ choices, usage })
  const split = (part: ResponsePart) => part.usage && splitInput(part.usage)

  test('includes cached tokens in the prompt', () => {
    const details = {
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 4 },
    }
    expect(split(read({ prompt_tokens: 100, completion_tokens: 9, ...details }))).toEqual({
      input: 30,
      cachedInput: 60,
      cacheWrite: 10,
      output: 9,
      reasoning: 4,
    })
  })

  test('never goes negative when a provider’s parts exceed its total', () => {
    expect(
      split(read({ prompt_tokens: 5, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 50 } })),
    ).toMatchObject({ input: 0, cachedInput: 5 })
  })

  test.each([
    [{}],
    [{ prompt_tokens: null, completion_tokens: null }],
    [{ prompt_tokens: '9', completion_tokens: '1' }],
  ])('%j is ignored', (usage) => {
    expect(read(usage)).toMatchObject({ usage: null, final: false, onlyUsage: false })
  })

  test.each([[-1], [1.5], ['9'], [null], [undefined]])(
    'with an input of %j has no input and does not cover the whole call',
    (prompt_tokens) => {
      expect(read({ prompt_tokens, completion_tokens: 1 })).toMatchObject({ usage: { output: 1 }, final: false })
    },
  )

  const counts = { prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050 }
  const cached = { ...counts, prompt_tokens_details: { cached_tokens: 400 } }
  const whole = { input: 600, cachedInput: 400, output: 50 }
  test.each<[string, object]>([
    ['next to the choices', { choices: [], usage: cached }],
    // https://github.com/earendil-works/pi/issues/2017
    ['in a choice, like Moonshot’s', { choices: [{ delta: {}, finish_reason: 'stop', usage: cached }] }],
    [
      'in a choice, next to a null report',
      { usage: null, choices: [{ delta: {}, finish_reason: 'stop', usage: cached }] },
    ],
    ['in a field of Groq’s', { choices: [{ delta: {}, finish_reason: 'stop' }], x_groq: { id: 'r', usage: cached } }],
    // https://github.com/NousResearch/hermes-agent/pull/65678
    [
      'with DeepSeek’s cache',
      { choices: [], usage: { ...counts, prompt_cache_hit_tokens: 400, prompt_cache_miss_tokens: 600 } },
    ],
    [
      'with DeepSeek’s cache only',
      { choices: [], usage: { prompt_cache_hit_tokens: 400, prompt_cache_miss_tokens: 600, completion_tokens: 50 } },
    ],
    ['with Moonshot’s cache', { choices: [], usage: { ...counts, cached_tokens: 400 } }],
    // https://github.com/tontinton/maki/pull/599
    [
      'with a cache in two places',
      { choices: [], usage: { ...cached, prompt_tokens_details: { cached_tokens: 0 }, prompt_cache_hit_tokens: 400 } },
    ],
    ['with null details', { choices: [], usage: { ...counts, prompt_tokens_details: null, cached_tokens: 400 } }],
    [
      'under the names of Responses',
      { choices: [], usage: { input_tokens: 1_000, output_tokens: 50, cached_tokens: 400 } },
    ],
    ['without its output', { choices: [], usage: { ...cached, completion_tokens: null } }],
    ['without its input', { choices: [], usage: { ...cached, prompt_tokens: undefined } }],
  ])('is read %s', (_, json) => {
    const part = openaiChat.parseResponse({ ...json })
    expect(part.final).toBe(true)
    expect(split(part)).toMatchObject(whole)
  })

  // https://github.com/ithtelab/workbuddy-manager/issues/39
  test('includes tokens written to a cache', () => {
    const usage = { prompt_tokens: 1_204, prompt_cache_hit_tokens: 1_024, prompt_cache_write_tokens: 100 }
    expect(split(read({ ...usage, completion_tokens: 1 }))).toMatchObject({
      input: 80,
      cachedInput: 1_024,
      cacheWrite: 100,
    })
  })

  test('in the middle of a stream is not final', () => {
    const choice = { index: 0, delta: { content: 'x' }, finish_reason: null }
    expect(read({ prompt_tokens: 1, completion_tokens: 1 }, [choice])).toMatchObject({
      final: false,
      onlyUsage: false,
      outputBytes: 1,
    })
    expect(read({ prompt_tokens: 1, completion_tokens: 1 }, [{ ...choice, finish_reason: 'stop' }]).final).toBe(true)
    // This is LiteLLM's shape at the end of a stream.
    const silent = { index: 0, delta: {} }
    const counts = { prompt_tokens: 1, completion_tokens: 1 }
    expect(read(counts, [silent])).toMatchObject({ final: true, onlyUsage: true })
    expect(read(counts, [{ ...silent, finish_reason: 'stop' }])).toMatchObject({ final: true, onlyUsage: false })
  })
})

test('the UTF-8 length equals the encoder’s', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
    }),
    seeded(2_000),
  )
})
