import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import OpenAI from 'openai'
import type { Ports } from '../../../domain/ports.ts'
import { type MachineClaims, newClaims } from '../../../domain/tokens/machine-token.ts'
import { type Hub, makeHub } from '../../../lambdas/kit/hub.ts'
import { llmArea } from '../../../lambdas/llm/index.ts'
import { type Books, memoryWallets, modelsOver, testBasics } from './ports.ts'
import { answering, delta, sse, startUpstream, stop, streaming, usage, usageChunk } from './upstream.ts'

const dollar = 1_000_000
const claims = newClaims({ audience: 'llm', userId: 'usr_1', instanceId: 'ins_1', generation: 1 }, Date.now())
const machineTokens: Ports['machineTokens'] = {
  sign: async () => 'fresh',
  verify: async (token, audience): Promise<MachineClaims | null> =>
    token === 'good' && audience === 'llm' ? claims : null,
}
let upstream: Awaited<ReturnType<typeof startUpstream>>
let hub: Hub
let books: Books
let base: string

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
beforeEach(async () => {
  const memory = memoryWallets(dollar)
  books = memory.books
  const deps = {
    ...testBasics(),
    wallets: memory.wallets,
    models: modelsOver(upstream.url),
    machineTokens,
    events: { record: async () => {} },
    instances: { touch: async () => {} },
  }
  hub = makeHub([{ area: llmArea, deps: deps as never }]) // safe because these are all the ports a model call asks
  await new Promise<void>((resolve) => hub.server.listen(0, '127.0.0.1', resolve))
  const bound = hub.server.address()
  base = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}/api/llm/proxy`
})
afterEach(() => hub.close(0))

const messages = [{ role: 'user' as const, content: 'Count.' }]
const post = (body: unknown, token = 'good', more: RequestInit = {}) =>
  fetch(base, { method: 'POST', body: JSON.stringify(body), headers: { authorization: `Bearer ${token}` }, ...more })
const words = ['one ', 'two ', 'three'].map((word) => sse(delta(word)))
const pieces = [...words, sse(stop), sse(usageChunk(usage(50, 6))), sse('[DONE]')]
const cost = 50 * 0.5 + 6 * 1.5

describe('the hub', () => {
  test('serves the official client, streamed', async () => {
    upstream.use(streaming(pieces))
    const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: 'good', maxRetries: 0 })
    let said = ''
    for await (const chunk of await client.chat.completions.create({ model: 'local/echo', messages, stream: true }))
      said += chunk.choices[0]?.delta.content ?? ''
    expect(said).toBe('one two three')
    for (let i = 0; i < 200 && hub.open() > 0; i++) await sleep(5)
    expect(books.state).toMatchObject({ available: dollar - cost, holds: {} })
  })

  test('answers JSON with its length, the rate window and the call’s id', async () => {
    upstream.use(answering(200, { choices: [{ message: { content: 'Hi' } }], usage: usage(50, 6) }))
    const response = await post({ messages })
    const text = await response.text()
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    expect(response.headers.get('x-berth-call')).toMatch(/^call_/)
    expect(response.headers.get('x-request-id')).toBeTruthy()
    await hub.close(1_000)
    expect(books.lines).toHaveLength(1)
  })

  test('lists models', async () => {
    const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: 'wrong', maxRetries: 0 })
    await expect(client.models.list()).rejects.toMatchObject({ status: 401 })
  })

  test.each([
    ['a bad token', () => post({ messages }, 'bad'), 401, 'unauthorized'],
    ['an unknown path', () => fetch(`${base}/nothing`, { method: 'POST' }), 404, 'not-found'],
    [
      'a body that is no JSON',
      () => fetch(base, { method: 'POST', body: '{', headers: { 'x-api-key': 'good' } }),
      400,
      'invalid-json',
    ],
  ])('refuses %s in the service’s shape', async (_, ask, status, error) => {
    const response = await ask()
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error, message: expect.any(String) })
  })

  test('takes a body that a Lambda would not', async () => {
    upstream.use(answering(200, { choices: [], usage: usage(10, 1) }))
    const url = `data:image/png;base64,${'A'.repeat(6 * 1024 * 1024)}`
    const content = [{ type: 'image_url', image_url: { url } }]
    const response = await post({ model: 'local/echo', max_tokens: 10, messages: [{ role: 'user', content }] })
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ usage: usage(10, 1) })])
  })

  test('reads no more of a body than it takes', async () => {
    const response = await post('x'.repeat(33 * 1024 * 1024))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ details: { body: [expect.stringContaining('32 MB')] } })
  })

  test('bills what the provider reports for a client that left, and leaves no socket behind', async () => {
    upstream.use(streaming(pieces, 10))
    const gone = new AbortController()
    const response = await post({ messages, stream: true }, 'good', { signal: gone.signal })
    await response.body?.getReader().read()
    gone.abort()
    for (let i = 0; i < 200 && hub.open() > 0; i++) await sleep(5)
    expect(hub.open()).toBe(0)
    expect(books).toMatchObject({ state: { holds: {} }, lines: [{ amountMicros: -cost }] })
    expect(upstream.state.open).toBe(0)
  })

  test('bills a client that left before the answer began', async () => {
    upstream.use(async (response) => {
      await sleep(60)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(pieces.join(''))
    })
    const { port } = new URL(base)
    const socket = connect(Number(port), '127.0.0.1')
    const body = JSON.stringify({ messages, stream: true })
    socket.write(
      `POST /api/llm/proxy HTTP/1.1\r\nhost: x\r\nauthorization: Bearer good\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    await sleep(20)
    socket.destroy()
    for (let i = 0; i < 200 && hub.open() > 0; i++) await sleep(5)
    expect(books).toMatchObject({ state: { holds: {} }, lines: [{ amountMicros: -cost }] })
  })

  test('ends when the calls under way have ended, and takes no more', async () => {
    upstream.use(streaming(pieces, 15))
    const response = await post({ messages, stream: true })
    const closed = hub.close(5_000)
    await expect(post({ messages })).rejects.toThrow()
    expect(await response.text()).toContain('three')
    await closed
    expect(books.state.holds).toEqual({})
  })
})
