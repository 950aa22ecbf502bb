import { describe, expect, test } from '@jest/globals'
import { anthropicMessages } from '../../../domain/models/anthropic-messages.ts'
import type { ModelCall } from '../../../domain/models/api-format.ts'
import { meaningsOf } from '../../../domain/models/catalogue.ts'
import type { ChatFormatName as FormatName, PricedModel } from '../../../domain/models/model.ts'
import { openaiChat } from '../../../domain/models/openai-chat.ts'
import { openaiResponses } from '../../../domain/models/openai-responses.ts'
import { fitName, originalId, plainId } from '../../../domain/models/translate/limits.ts'
import { callFor, translationOf } from '../../../domain/models/translate/translate.ts'
import { echo } from '../../lambdas/llm/ports.ts'

/** Names, ids and types that one vendor accepts and another rejects. */

const speaking = (...formats: FormatName[]): PricedModel => ({ ...echo, provider: 'own', formats })
const sent = (call: ModelCall, to: FormatName) => callFor(call, speaking(to), 100).fields
const chat = (body: object) =>
  openaiChat.parseRequest(JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], ...body }))
const responses = (body: object) => openaiResponses.parseRequest(JSON.stringify({ input: 'Hi', ...body }))
const messages = (body: object) =>
  anthropicMessages.parseRequest(
    JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], ...body }),
  )

/** The name and id in the translated response that a caller reads for a call of this name and id. */
const answered = (
  asked: ModelCall,
  provider: 'openai-chat' | 'anthropic-messages',
  name: string,
  id: string,
): string => {
  const translation = translationOf(asked, { ...asked, format: provider }, 0, 1)
  const made =
    provider === 'openai-chat'
      ? {
          choices: [
            { message: { tool_calls: [{ id, function: { name, arguments: '{}' } }] }, finish_reason: 'tool_calls' },
          ],
        }
      : { content: [{ type: 'tool_use', id, name, input: {} }], stop_reason: 'tool_use' }
  return translation?.readWhole(made, null) ?? ''
}

describe('the name of a tool', () => {
  const long = `mcp__server__${'n'.repeat(60)}`
  const twin = `${long}x`
  const tools = [long, twin].map((name) => ({ name, input_schema: { type: 'object' } }))
  const asked = messages({
    tools,
    tool_choice: { type: 'tool', name: long },
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: twin, input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'r' }] },
    ],
  })

  // https://github.com/BerriAI/litellm/issues/17904, https://github.com/cline/cline/pull/11885, https://github.com/NousResearch/hermes-agent/pull/92659
  test('that is too long for OpenAI is shortened in tools, calls and choice, and restored in the response', () => {
    for (const to of ['openai-chat', 'openai-responses'] as const) {
      const text = JSON.stringify(sent(asked, to))
      const names = [long, twin].map((name) => fitName(to, name))
      expect(new Set(names).size).toBe(2)
      for (const name of names) expect(name).toMatch(/^mcp__server__n+_[0-9a-f]{16}$/)
      for (const name of names) expect(name.length).toBe(64)
      expect(text).not.toContain(long)
      expect(text.split(names[0] ?? '').length - 1).toBe(2)
      expect(text.split(names[1] ?? '').length - 1).toBe(2)
    }
    expect(answered(asked, 'openai-chat', fitName('openai-chat', twin), 'c')).toContain(`"name":"${twin}"`)
  })

  test('in a stream is the caller’s own from its first part', () => {
    const translation = translationOf(asked, { ...asked, format: 'openai-chat' }, 0, 1)
    const call = { index: 0, id: 'c', function: { name: fitName('openai-chat', long), arguments: '' } }
    const told = translation?.readEvent({ choices: [{ index: 0, delta: { tool_calls: [call] } }] }, null)
    expect(told).toContain(`"name":"${long}"`)
  })

  test('with characters that Anthropic rejects is replaced', () => {
    const call = chat({ tools: ['a.b', 'a b', 'ok-1_x'].map((name) => ({ type: 'function', function: { name } })) })
    const { tools: given } = sent(call, 'anthropic-messages') as { tools: { name: string }[] } // safe because it says so
    for (const { name } of given) expect(name).toMatch(/^[\w-]{1,128}$/)
    expect(new Set(given.map(({ name }) => name)).size).toBe(3)
    expect(given[2]?.name).toBe('ok-1_x')
    expect(answered(call, 'anthropic-messages', given[0]?.name ?? '', 'toolu_1')).toContain('"name":"a.b"')
  })

  test('in a namespace differs from the same name in another namespace, and is restored in the response', () => {
    const inner = (name: string) => [{ type: 'function', name, parameters: { type: 'object' } }]
    const call = responses({
      tools: [
        { type: 'namespace', name: 'a', tools: inner('b__c') },
        { type: 'namespace', name: 'a__b', tools: inner('c') },
        { type: 'namespace', name: 'n'.repeat(40), tools: inner('m'.repeat(40)) },
      ],
    })
    const { tools: given } = sent(call, 'openai-chat') as { tools: { function: { name: string } }[] } // safe because it says so
    const names = given.map((tool) => tool.function.name)
    expect(new Set(names).size).toBe(3)
    const heard = (name = '') => JSON.parse(answered(call, 'openai-chat', name, 'c')).output[0]
    expect(heard(names[0])).toMatchObject({ namespace: 'a', name: 'b__c' })
    expect(heard(names[1])).toMatchObject({ namespace: 'a__b', name: 'c' })
    expect(heard(names[2])).toMatchObject({ namespace: 'n'.repeat(40), name: 'm'.repeat(40) })
  })
})

describe('the id of a tool call', () => {
  const strange = 'functions.weather:0'

  // https://github.com/exo-explore/exo/pull/2282
  test('that Anthropic’s clients would reject later has only letters, digits, _ and -, and is restored on the way back', () => {
    const told = JSON.parse(answered(messages({}), 'openai-chat', 'weather', strange)).content[0].id
    expect(told).toMatch(/^[\w-]+$/)
    const next = messages({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: told, name: 'weather', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: told, content: 'r' }] },
      ],
    })
    expect(sent(next, 'openai-chat').messages).toMatchObject([
      {},
      { tool_calls: [{ id: strange }] },
      { role: 'tool', tool_call_id: strange },
    ])
  })

  test('is reversible, and two ids never become one', () => {
    const ids = ['a', 'a.b', 'a:b', 'a_b', 'ü', 'b64_YS5i', plainId('a.b'), plainId(plainId('a.b')), 'x'.repeat(300)]
    expect(ids.map(plainId).map(originalId)).toEqual(ids)
    expect(new Set(ids.map(plainId)).size).toBe(new Set(ids).size)
    for (const id of ids) expect(plainId(id)).toMatch(/^[\w-]+$/)
    expect(plainId('toolu_01')).toBe('toolu_01')
    expect(originalId('b64_')).toBe('b64_')
  })

  // https://github.com/decolua/9router/issues/393, https://github.com/NousResearch/hermes-agent/issues/73492
  test.each<[FormatName, number]>([
    ['openai-chat', 40],
    ['openai-responses', 64],
  ])('that is too long for %s has the same short form in call and result', (to, most) => {
    const [one, other] = ['toolu_'.padEnd(90, 'a'), 'toolu_'.padEnd(90, 'a').concat('b')]
    const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
    const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'r' })
    const call = messages({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [use(one), use(other)] },
        { role: 'user', content: [result(other), result(one)] },
      ],
    })
    const ids = [...JSON.stringify(sent(call, to)).matchAll(/"(?:call_id|tool_call_id|id)":"([^"]+)"/g)].map(
      ([, id]) => id,
    )
    expect(ids).toHaveLength(4)
    expect(new Set(ids).size).toBe(2)
    expect([ids[0], ids[1]]).toEqual([ids[3], ids[2]])
    for (const id of ids) expect(id?.length).toBeLessThanOrEqual(most)
  })

  test('made by another provider becomes valid for the vendor that continues the conversation, even without translation', () => {
    const long = 'x'.repeat(90)
    const spoken = (id: string) =>
      chat({
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: id, content: 'r' },
        ],
      })
    const idsTo = (provider: string, id: string) => {
      const body = JSON.parse(openaiChat.buildRequest(spoken(id), { ...echo, provider }, 9, 'u'))
      return [body.messages[1].tool_calls[0].id, body.messages[2].tool_call_id]
    }
    const [short, same] = idsTo('openai', long)
    expect([short.length <= 40, short]).toEqual([true, same])
    expect(idsTo('anthropic', strange)).toEqual([plainId(strange), plainId(strange)])
    expect(idsTo('own', strange)).toEqual([strange, strange])
    expect(idsTo('own', long)).toEqual([long, long])
    const input = [
      { type: 'function_call', call_id: long, name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: long, output: 'r' },
    ]
    const items = responses({ input }).fields.input as { call_id: string }[] // safe because it says so
    expect(items[0]?.call_id.length).toBeLessThanOrEqual(64)
    expect(items[0]?.call_id).toBe(items[1]?.call_id)
    const content = [{ type: 'tool_result', tool_use_id: strange, content: 'r' }]
    expect(messages({ messages: [{ role: 'user', content }] }).fields.messages).toMatchObject([
      { content: [{ tool_use_id: plainId(strange) }] },
    ])
  })
})

describe('the type of an image', () => {
  const png = 'iVBORw0KGgo='
  const image = (type: string, data: string) =>
    chat({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } }] }],
    })
  const typeOf = (call: ModelCall) =>
    /"media_type":"([^"]+)"/.exec(JSON.stringify(sent(call, 'anthropic-messages')))?.[1]

  // https://github.com/NousResearch/hermes-agent/issues/55432, https://github.com/home-assistant/core/issues/167208
  test.each([
    ['image/jpg', 'AAAA', 'image/jpeg'],
    ['image/JPG', 'AAAA', 'image/jpeg'],
    ['image/pjpeg', 'AAAA', 'image/jpeg'],
    ['image/jfif', 'AAAA', 'image/jpeg'],
    ['image/x-png', 'AAAA', 'image/png'],
    ['image/jpg', png, 'image/png'],
    ['image/png', '/9j/AAAA', 'image/jpeg'],
    ['image/webp', 'AAAA', 'image/webp'],
  ])('given as %s with data %s is sent to Anthropic as %s', (said, data, told) => {
    expect(typeOf(image(said, data))).toBe(told)
  })

  test('gets its usual name even without translation', () => {
    const url = 'data:image/jpg;base64,AAAA'
    const source = { type: 'base64', media_type: 'image/jpg', data: 'AAAA' }
    const nested = { type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source }] }
    const calls = [
      image('image/jpg', 'AAAA'),
      chat({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: url }] }] }),
      responses({ input: [{ type: 'message', role: 'user', content: [{ type: 'input_image', image_url: url }] }] }),
      responses({
        input: [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: url }] }],
      }),
      messages({ messages: [{ role: 'user', content: [{ type: 'image', source }] }] }),
      messages({ messages: [{ role: 'user', content: [nested] }] }),
    ]
    for (const call of calls) {
      expect(JSON.stringify(call.fields)).toContain('image/jpeg')
      expect(JSON.stringify(call.fields)).not.toContain('image/jpg')
    }
  })

  test('inside a text stays unchanged', () => {
    const text = 'Is image/jpg right? data:image/jpg;base64,AAAA'
    expect(chat({ messages: [{ role: 'user', content: text }] }).fields.messages).toEqual([
      { role: 'user', content: text },
    ])
  })
})

// https://github.com/Wei-Shaw/sub2api/pull/4505
test('a context size after a model’s name is removed', () => {
  for (const mark of ['[1m]', '[1M]', ' [200k]', '[1M][1m]']) {
    expect(messages({ model: `claude-sonnet-4-6${mark}` }).model).toBe('claude-sonnet-4-6')
    expect(chat({ model: `default${mark}` }).model).toBe('default')
    expect([...meaningsOf(`claude-sonnet-4-6${mark}`)]).toEqual([...meaningsOf('claude-sonnet-4-6')])
  }
  expect([...meaningsOf('my-model[beta]')]).toEqual(['my-model[beta]'])
  expect([...meaningsOf('claude-haiku-4-5@20251001')]).toEqual(['claude-haiku-4-5@20251001', 'claude-haiku-4-5'])
})
