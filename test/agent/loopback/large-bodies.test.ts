import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { Service } from '../../../agent/kit/service.ts'
import { directBytes, mostBytes } from '../../../agent/loopback/large-bodies.ts'
import { type Loopback, startLoopback } from '../../../agent/loopback/loopback.ts'
import { Turns } from '../../../agent/supervisor/turns.ts'
import { largePath } from '../../../domain/models/api-formats.ts'
import { maxCallBytes } from '../../../domain/models/call-limits.ts'
import type { PricedModel } from '../../../domain/models/model.ts'
import { maxBodyBytes } from '../../../lambdas/kit/body-limit.ts'
import { llmArea } from '../../../lambdas/llm/index.ts'
import { llmLargeArea } from '../../../lambdas/llm-large/index.ts'
import { full } from '../../counts.ts'
import { echo, modelsOver } from '../../lambdas/llm/ports.ts'
import { delta, type Seen, sse, startUpstream, stop, usage, usageChunk } from '../../lambdas/llm/upstream.ts'
import { openWorld, type Tenant, type World } from '../../world.ts'
import { until } from '../machine.ts'

const claude: PricedModel = { ...echo, id: 'local/claude', upstreamModel: 'claude', formats: ['anthropic-messages'] }

let world: World
let upstream: Awaited<ReturnType<typeof startUpstream>>
let front: Server
/** Requests that reached the service: paths, and bytes of their bodies. */
let reached: [path: string, bytes: number][] = []
let signing = { now: 0, most: 0 }

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // safe because it listens on TCP
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}

/** The area’s function behind plain HTTP. */
const serving = () =>
  createServer(async (request, response) => {
    const body = await bytesOf(request)
    const path = request.url ?? ''
    reached.push([path, body.length])
    if (path.endsWith('/bodies')) signing.most = Math.max(signing.most, ++signing.now)
    const headers = request.headers as Record<string, string> // safe because Node joins repeated headers of these names
    const answer = await handle({ method: request.method ?? '', path, headers, body: body.toString() })
    if (path.endsWith('/bodies')) signing.now--
    response.writeHead(answer.status, answer.headers)
    if (typeof answer.body === 'string') response.end(answer.body)
    else await pipeline(answer.body as Readable, response).catch(() => {}) // safe because model calls write to a Node stream
  })

const loopbacks: Loopback[] = []
let handle: ReturnType<World['areaHandler']>
let api: string
beforeAll(async () => {
  upstream = await startUpstream()
  world = await openWorld({
    areas: [llmArea, llmLargeArea],
    clock: 'running',
    replace: () => ({ models: modelsOver(upstream.url, [echo, claude]) }),
  })
  const [small, large] = [world.areaHandler(llmArea), world.areaHandler(llmLargeArea)]
  handle = (sent) => (sent?.path?.startsWith(largePath) ? large : small)(sent)
  front = serving()
  api = await listen(front)
})
beforeEach(() => {
  reached = []
  signing = { now: 0, most: 0 }
  upstream.use(answer)
})
afterAll(async () => {
  for (const loopback of loopbacks) loopback.close()
  front.closeAllConnections()
  front.close()
  await world.close()
  await upstream.close()
})

const answer = (response: import('node:http').ServerResponse, { path, body }: Seen) => {
  const json = (content: object) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content))
  if (body.stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(sse(delta('I see '), delta('it.'), stop, usageChunk(usage(1_000, 5)), '[DONE]'))
  } else if (path.includes('anthropic')) {
    const said = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'I see it.' }] }
    json({
      ...said,
      id: 'm',
      model: 'claude',
      stop_reason: 'end_turn',
      usage: { input_tokens: 1_000, output_tokens: 5 },
    })
  } else {
    const message = { role: 'assistant', content: 'I see it.' }
    json({
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'stop', message }],
      usage: usage(1_000, 5),
    })
  }
}

/** The loopback of a machine whose user has this balance. */
async function machine(micros = 100_000_000): Promise<{ loopback: Loopback; tenant: Tenant }> {
  const tenant = await world.tenant()
  const at = '2026-11-20T12:00:00.000Z'
  if (micros > 0) await world.ports.wallets.creditOnce(tenant.userId, 'start', micros, 'adjustment', 'Start', at)
  const { Authorization } = await world.machine(tenant, 'llm')
  const settings = { api, tokens: { llm: Authorization.replace('Bearer ', '') }, tokenMs: 3_600_000 }
  const service = new Service(settings, () => {})
  const loopback = await startLoopback({
    service,
    model: () => 'local/echo',
    secrets: { serve: async () => {} },
    reports: { take: () => undefined, answered: () => {}, masked: (_, body) => body, working: () => {} },
    turns: new Turns({ isHeld: () => false, context: Promise.reject, close: Promise.reject }),
    questions: { find: Promise.reject },
    poll: async () => undefined,
    inbox: { place: Promise.reject },
    outgoing: { send: Promise.reject },
    log: () => {},
  })
  loopbacks.push(loopback)
  return { tenant, loopback }
}

const openai = ({ address, key }: Pick<Loopback, 'address' | 'key'>) =>
  new OpenAI({ baseURL: `${address}/llm/proxy/v1`, apiKey: key, maxRetries: 0 })
const anthropic = ({ address, key }: Pick<Loopback, 'address' | 'key'>) =>
  new Anthropic({ baseURL: `${address}/llm/proxy`, apiKey: key, maxRetries: 0 })

/** Base64 of a picture without repetitions, with this many characters. */
function picture(characters: number): string {
  const bytes = Buffer.alloc((characters / 4) * 3)
  for (let i = 0; i + 4 <= bytes.length; i += 4) bytes.writeUInt32LE((i * 2_654_435_761) % 2 ** 32, i)
  return bytes.toString('base64')
}
const question = { type: 'text', text: 'What is this? é' } as const
const ofOpenai = (data: string): OpenAI.ChatCompletionUserMessageParam => ({
  role: 'user',
  content: [question, { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }],
})
const ofAnthropic = (data: string): Anthropic.MessageParam => ({
  role: 'user',
  content: [question, { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
})

/** Not `toEqual`, which would print megabytes. */
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

// https://github.com/SaladDay/cc-switch-cli/issues/469 https://github.com/zyycn/codex-proxy-rs/pull/66
describe('a compressed body', () => {
  const post = async (coding: string, body: Uint8Array<ArrayBuffer>) => {
    const { loopback } = await machine()
    const headers = { authorization: `Bearer ${loopback.key}`, 'content-encoding': coding }
    return fetch(`${loopback.address}/llm/proxy/v1/chat/completions`, { method: 'POST', body, headers })
  }
  const ask = (content: unknown) =>
    Buffer.from(JSON.stringify({ model: 'default', messages: [{ role: 'user', content }] }))

  test.each([
    ['zstd', zstdCompressSync],
    ['ZSTD', zstdCompressSync],
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (body: Buffer<ArrayBuffer>) => body],
  ])('in %s is passed on decoded', async (coding, compress) => {
    const answer = await post(coding, compress(ask('Grüße')))
    expect([answer.status, (await answer.json()).choices[0].message.content]).toEqual([200, 'I see it.'])
    expect(upstream.seen[0]?.body.messages).toEqual([{ role: 'user', content: 'Grüße' }])
  })

  test('that grows beyond the limit of an inline call is uploaded first', async () => {
    const sent = ask([{ type: 'image_url', image_url: { url: `data:image/png;base64,${picture(4.5 * 2 ** 20)}` } }])
    expect((await post('zstd', zstdCompressSync(sent))).status).toBe(200)
    expect(reached.map(([path]) => path)).toEqual(['/llm/proxy/bodies', '/llm/proxy/large/v1/chat/completions'])
  })

  test('that grows beyond every limit is refused', async () => {
    const bomb = gzipSync(Buffer.alloc(mostBytes + 1))
    expect(bomb.length).toBeLessThan(directBytes)
    expect((await post('gzip', bomb)).status).toBe(413)
    expect(reached).toEqual([])
  })

  test.each([
    ['zstd', ask('plain')],
    ['gzip', gzipSync(ask('cut')).subarray(0, -9)],
    ['compress', ask('plain')],
  ])('that does not match its declared coding, %s, is a 415 that names the supported codings', async (coding, body) => {
    const answer = await post(coding, body)
    expect(answer.status).toBe(415)
    expect((await answer.json()).error.message).toMatch(/gzip, deflate, br, zstd/)
    expect(reached).toEqual([])
  })
})

// More than an inline call carries, and the most that an image may have.
describe.each(full ? [10, 30] : [4.5])('an image of %s MB, by the vendors’ own SDKs', (megabytes) => {
  const data = picture(megabytes * 2 ** 20)

  test('reach OpenAI’s models, and the provider gets every byte', async () => {
    const { loopback } = await machine()
    const messages = [ofOpenai(data)]
    const { choices } = await openai(loopback).chat.completions.create({ model: 'default', messages })
    expect(choices[0]?.message.content).toBe('I see it.')
    expect(isSame(upstream.seen[0]?.body.messages, messages)).toBe(true)
    expect(reached.map(([path, bytes]) => [path, bytes < 200])).toEqual([
      ['/llm/proxy/bodies', true],
      ['/llm/proxy/large/v1/chat/completions', true],
    ])
  })

  test('get a stream from OpenAI’s models', async () => {
    const { loopback } = await machine()
    const words: string[] = []
    const messages = [ofOpenai(data)]
    const stream = await openai(loopback).chat.completions.create({ model: 'default', stream: true, messages })
    for await (const { choices } of stream) words.push(choices[0]?.delta.content ?? '')
    expect(words.join('')).toBe('I see it.')
  })

  test('reach Anthropic’s models, and the provider gets every byte', async () => {
    const { loopback } = await machine()
    const messages = [ofAnthropic(data)]
    const said = await anthropic(loopback).messages.create({ model: 'local/claude', max_tokens: 100, messages })
    expect(said.content).toEqual([{ type: 'text', text: 'I see it.' }])
    expect(isSame(upstream.seen[0]?.body.messages, messages)).toBe(true)
  })

  test('get a token count from Anthropic’s models', async () => {
    const { loopback } = await machine()
    const counted = await anthropic(loopback).messages.countTokens({
      model: 'local/claude',
      messages: [ofAnthropic(data)],
    })
    expect(counted.input_tokens).toBeLessThan(1_000)
  })
})

const refusalsOf = async (calls: Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(calls)).map((call) => (call.status === 'rejected' ? call.reason : null))

describe('the error that a vendor’s SDK gets', () => {
  test('for more than 32 MB is 413 with advice', async () => {
    const { loopback } = await machine()
    const data = picture(33 * 2 ** 20)
    const calls = [
      openai(loopback).chat.completions.create({ model: 'default', messages: [ofOpenai(data)] }),
      anthropic(loopback).messages.create({ model: 'default', max_tokens: 9, messages: [ofAnthropic(data)] }),
    ]
    for (const refusal of await refusalsOf(calls))
      expect(refusal).toMatchObject({
        status: 413,
        message: expect.stringContaining('at most 32 MB. Send less'),
      })
    expect(reached).toEqual([])
  })

  test('for an empty wallet is 402, before anything is uploaded', async () => {
    const { loopback } = await machine(0)
    const data = picture(5 * 2 ** 20)
    const calls = [
      openai(loopback).chat.completions.create({ model: 'default', messages: [ofOpenai(data)] }),
      anthropic(loopback).messages.create({ model: 'default', max_tokens: 9, messages: [ofAnthropic(data)] }),
    ]
    for (const refusal of await refusalsOf(calls))
      expect(refusal).toMatchObject({ status: 402, message: expect.stringContaining('Top it up') })
    expect(reached.map(([path]) => path)).toEqual(['/llm/proxy/bodies', '/llm/proxy/bodies'])
  })

  test('from the loopback itself is in the SDK’s format, and elsewhere in the service’s own', async () => {
    const { loopback } = await machine()
    const wrong = openai({ ...loopback, key: 'bl_wrong' }).models.list()
    await expect(wrong).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining('Send the loopback key'),
    })
    const post = { method: 'POST', headers: { 'x-api-key': 'bl_wrong' } }
    expect(await (await fetch(`${loopback.address}/llm/proxy`, post)).json()).toMatchObject({ error: 'unauthorized' })
  })
})

/** A call in these parts, without a declared length unless `headers` has one; `leave` ends it early. */
async function raw({ address, key }: Loopback, parts: Buffer[], headers: Record<string, string> = {}, leave = false) {
  const sent = httpRequest(`${address}/llm/proxy`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
  })
  const answered = new Promise<number>((resolve) => {
    sent.once('response', (response) => {
      response.resume()
      response.once('close', () => resolve(response.statusCode ?? 0))
    })
    sent.once('error', () => resolve(0))
  })
  for (const part of parts) sent.write(part)
  if (leave) setTimeout(() => sent.destroy(), 50)
  else sent.end()
  return answered
}
const bodyOf = (bytes: number) =>
  Buffer.from(JSON.stringify({ model: 'default', messages: [ofOpenai(picture(bytes))] }))

describe('the body of a model call', () => {
  test('with unknown length is sent inline up to 4 MB, and uploaded first beyond that', async () => {
    const { loopback } = await machine()
    const [small, large] = [bodyOf(3 * 2 ** 20), bodyOf(4.5 * 2 ** 20)]
    expect(await raw(loopback, [small])).toBe(200)
    expect(await raw(loopback, [large.subarray(0, 10), large.subarray(10)])).toBe(200)
    expect(reached.map(([path, bytes]) => [path, bytes])).toEqual([
      ['/llm/proxy', small.length],
      ['/llm/proxy/bodies', expect.any(Number)],
      ['/llm/proxy/large', 0],
    ])
    expect(await raw(loopback, Array(9).fill(Buffer.alloc(4 * 2 ** 20, ' ')))).toBe(413)
  })

  test('is not a call when its sender disconnects before the end', async () => {
    const { loopback } = await machine()
    const body = bodyOf(4.5 * 2 ** 20)
    expect(await raw(loopback, [body.subarray(0, 2 ** 20)], { 'content-length': String(body.length) }, true)).toBe(0)
    await until(() => loopback.calls() === 0)
    expect(await raw(loopback, [body])).toBe(200)
    expect(reached.map(([path]) => path)).toEqual(['/llm/proxy/bodies', '/llm/proxy/large'])
  })

  test('is in memory with at most one other, however many arrive at once', async () => {
    const { loopback } = await machine()
    const body = bodyOf(4.5 * 2 ** 20)
    const headers = { 'content-length': String(body.length) }
    const statuses = await Promise.all(Array.from({ length: full ? 100 : 4 }, () => raw(loopback, [body], headers)))
    expect(signing.most).toBeLessThanOrEqual(2)
    // A user has a limited number of slots for uploads.
    expect(new Set(statuses)).toEqual(new Set(full ? [200, 429] : [200]))
  })

  test('has the limits of the service', () => {
    expect([directBytes, mostBytes]).toEqual([maxBodyBytes, maxCallBytes])
  })
})
