import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import OpenAI from 'openai'
import { type Echo, startEcho } from '../../../local/model/echo.ts'

let echo: Echo
let client: OpenAI
beforeAll(async () => {
  echo = await startEcho()
  client = new OpenAI({ baseURL: echo.url, apiKey: 'local', maxRetries: 0 })
})
afterAll(() => echo.close())

type Messages = OpenAI.Chat.ChatCompletionMessageParam[]
const user = (content: string): Messages => [{ role: 'user', content }]
const ask = (messages: Messages, more: object = {}) =>
  client.chat.completions.create({ model: 'echo', messages, ...more })
const tokens = (...texts: string[]) => texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0)
const tools = [
  { type: 'function' as const, function: { name: 'look_up', parameters: { type: 'object', properties: {} } } },
]

async function streamed(messages: Messages, more: object = {}) {
  const chunks: OpenAI.Chat.ChatCompletionChunk[] = []
  const times: number[] = []
  for await (const chunk of await client.chat.completions.create({ model: 'echo', messages, stream: true, ...more })) {
    chunks.push(chunk)
    times.push(Date.now())
  }
  return { chunks, times, text: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('') }
}

describe('the echo model', () => {
  it('repeats the prompt, and counts tokens correctly', async () => {
    const { choices, usage, model } = await ask([{ role: 'system', content: 'Be brief.' }, ...user('hello there')])
    expect(choices[0]).toMatchObject({ message: { content: 'You said: "hello there"' }, finish_reason: 'stop' })
    expect(model).toBe('echo')
    expect(usage).toMatchObject({
      prompt_tokens: tokens('Be brief.', 'hello there'),
      completion_tokens: tokens('You said: "hello there"'),
      total_tokens: tokens('Be brief.', 'hello there') + tokens('You said: "hello there"'),
    })
  })

  it('streams the same words in pieces, with the same usage on request', async () => {
    const text = 'eine längere Nachricht 🚢🚢🚢🚢🚢🚢🚢🚢 with ships'
    const whole = await ask(user(text))
    const { chunks, times, text: got } = await streamed(user(text), { stream_options: { include_usage: true } })
    expect(got).toBe(whole.choices[0]?.message.content)
    expect(chunks.length).toBeGreaterThan(5)
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(10)
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true)
    const without = await streamed(user(text))
    expect(without.chunks.some(({ usage }) => usage)).toBe(false)
  })

  it.each(['max_tokens', 'max_completion_tokens'])('stops at %s', async (name) => {
    const { choices, usage } = await ask(user('a long message'), { [name]: 3 })
    expect(choices[0]).toMatchObject({ message: { content: 'You said: "a' }, finish_reason: 'length' })
    expect(usage?.completion_tokens).toBe(3)
    const { chunks } = await streamed(user('a long message'), { [name]: 3 })
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('length')
  })

  it('quotes earlier messages when asked to remember', async () => {
    const { choices } = await ask([
      ...user('my boat is blue'),
      { role: 'assistant', content: 'You said: "my boat is blue"' },
      ...user('Do you remember?'),
    ])
    expect(choices[0]?.message.content).toBe('You said: "Do you remember?". Before that you said: "my boat is blue".')
    const first = await ask(user('what did I say?'))
    expect(first.choices[0]?.message.content).toContain('not said anything before')
  })

  it('calls an offered tool, and returns its result', async () => {
    const asking = user('/tool look_up {"id": 7}')
    const { choices, usage } = await ask(asking, { tools })
    const [call] = choices[0]?.message.tool_calls ?? []
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    expect(call).toMatchObject({ type: 'function', function: { name: 'look_up', arguments: '{"id": 7}' } })
    expect(usage?.completion_tokens).toBe(tokens('look_up{"id": 7}'))

    const { chunks } = await streamed(asking, { tools })
    const parts = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    expect(parts.map((part) => part.function?.arguments ?? '').join('')).toBe('{"id": 7}')
    expect(parts[0]).toMatchObject({ id: call?.id, function: { name: 'look_up' } })

    const after = await ask(
      [
        ...asking,
        { role: 'assistant', content: null, tool_calls: call ? [call] : [] },
        { role: 'tool', tool_call_id: call?.id ?? '', content: 'seven' },
      ],
      { tools },
    )
    expect(after.choices[0]?.message.content).toBe('Tool result: seven')
    const unoffered = await ask(asking)
    expect(unoffered.choices[0]?.message.content).toContain('/tool look_up')
  })

  it('returns as many choices as requested', async () => {
    const { choices, usage } = await ask(user('hi'), { n: 3 })
    expect(choices.map(({ message }) => message.content)).toEqual(Array(3).fill('You said: "hi"'))
    expect(usage?.completion_tokens).toBe(3 * tokens('You said: "hi"'))
  })
})

describe('a model that fails on request', () => {
  it.each([
    ['/fail 500', 500],
    ['/fail 429', 429],
    ['/fail', 500],
  ])('%s fails', async (text, status) => {
    await expect(ask(user(text))).rejects.toMatchObject({ status })
    await expect(streamed(user(text))).rejects.toMatchObject({ status })
  })

  it('/cut breaks the connection in the middle', async () => {
    let got = ''
    const reading = async () => {
      const stream = await client.chat.completions.create({
        model: 'echo',
        messages: user('/cut please now'),
        stream: true,
      })
      for await (const { choices } of stream) got += choices[0]?.delta.content ?? ''
    }
    await expect(reading()).rejects.toThrow()
    expect(got.length).toBeGreaterThan(0)
    expect('You said: "/cut please now"'.startsWith(got)).toBe(true)
    expect(got).not.toBe('You said: "/cut please now"')
    await expect(ask(user('/cut'))).rejects.toThrow()
  })

  it('/slow pauses between chunks', async () => {
    const { times } = await streamed(user('/slow 100'))
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(200)
  })
})

describe('the server', () => {
  it('lists its models, and serves no other', async () => {
    const { data } = await client.models.list()
    expect(data.map(({ id }) => id)).toEqual(['echo', 'echo-embedding'])
    const other = client.chat.completions.create({ model: 'gpt', messages: user('hi') })
    await expect(other).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
  })

  it('refuses an invalid request', async () => {
    await expect(ask([])).rejects.toMatchObject({ status: 400, param: 'messages' })
    const post = (init: RequestInit) => fetch(`${echo.url}/chat/completions`, { method: 'POST', ...init })
    expect((await post({ body: '{', headers: { authorization: 'Bearer x' } })).status).toBe(400)
    expect((await post({ body: '{}' })).status).toBe(401)
    const halved = JSON.stringify({ model: 'echo', messages: user('cut \ud83d') })
    expect((await post({ body: halved, headers: { authorization: 'Bearer x' } })).status).toBe(400)
    expect((await post({ body: halved.replace('\\ud83d', '😀'), headers: { authorization: 'Bearer x' } })).status).toBe(
      200,
    )
    expect((await fetch(`${echo.url}/none`, { headers: { authorization: 'Bearer x' } })).status).toBe(404)
  })
})
