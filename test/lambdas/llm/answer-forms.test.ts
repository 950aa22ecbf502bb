import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import {
  anthropic,
  anthropicMessage,
  anthropicUsage,
  chat,
  type FormatCase,
  finished,
  responses,
} from './format-cases.ts'
import { modelsOver } from './ports.ts'
import { startProxyServer } from './proxy-server.ts'
import { type Script, sse, startUpstream, usage } from './upstream.ts'

/** Formats in which providers respond, and the result for the client and its wallet. */

let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>> | undefined
beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
afterEach(() => proxy?.close())

/** Bytes with headers, in chunks of this size; `cut` ends the connection after them. */
const sending =
  (bytes: Uint8Array, headers: Record<string, string>, chunkBytes = bytes.length, cut = false): Script =>
  async (response) => {
    response.writeHead(200, headers)
    for (let at = 0; at < bytes.length && !response.destroyed; at += chunkBytes) {
      response.write(bytes.subarray(at, at + chunkBytes))
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    if (cut) response.destroy()
    else response.end()
  }

async function ask(format: FormatCase, stream: boolean, script: Script) {
  await proxy?.close()
  proxy = await startProxyServer(upstream.url, 1_000_000, { models: modelsOver(upstream.url, [format.model]) })
  upstream.use(script)
  const body = JSON.stringify({ ...format.ask, ...(stream && { stream }) })
  const response = await fetch(`${proxy.url}${format.path}`, { method: 'POST', body })
  const text = await response.text()
  await proxy.under.finished
  return { status: response.status, type: response.headers.get('content-type'), text, lines: proxy.books.lines }
}

const wholeOf: Record<string, object> = {
  'openai-chat': {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'echo',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: usage(50, 6),
  },
  'openai-responses': finished,
  'anthropic-messages': {
    ...anthropicMessage,
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { ...anthropicUsage, output_tokens: 10 },
  },
}
const formats: FormatCase[] = [chat, responses, anthropic]
const jsonOf = ({ name }: FormatCase) => JSON.stringify(wholeOf[name])
const eventsOf = ({ pieces }: FormatCase) => Buffer.from(pieces.join(''))

const types: Record<string, string>[] = [
  { 'content-type': 'text/event-stream' },
  { 'content-type': 'Text/Event-Stream; Charset=UTF-8' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json' },
  { 'content-type': 'APPLICATION/JSON; charset=utf-8' },
  { 'content-type': 'application/octet-stream' },
  {},
]
// https://github.com/openclaw/openclaw/pull/97454 https://github.com/xiaoliu10/claude-code-router-next/pull/45
describe.each(formats)('$name', (format) => {
  test.each(types)('a stream is recognised under the headers %j', async (headers) => {
    const { status, type, text, lines } = await ask(format, true, sending(eventsOf(format), headers, 7))
    expect([status, type]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(text).toBe(format.shown.join(''))
    expect(lines).toMatchObject([{ amountMicros: -format.cost, receipt: { settledBecause: 'usage' } }])
  })

  test.each(types)('a JSON response is recognised under the headers %j', async (headers) => {
    for (const start of ['', '\n   ', '\r\n\t', '\ufeff']) {
      const bytes = Buffer.from(`${start}${jsonOf(format)}\n`)
      const { status, type, text, lines } = await ask(format, false, sending(bytes, headers, 11))
      expect([status, type]).toEqual([200, 'application/json'])
      expect(JSON.parse(text)).toEqual(wholeOf[format.name])
      expect(lines).toMatchObject([{ amountMicros: -format.cost, receipt: { settledBecause: 'usage' } }])
    }
  })

  test.each(types)('a JSON response becomes the requested stream, under the headers %j', async (headers) => {
    const { status, type, text, lines } = await ask(format, true, sending(Buffer.from(` ${jsonOf(format)}`), headers))
    expect([status, type]).toEqual([200, 'text/event-stream; charset=utf-8'])
    const data = text.match(/^data: .*$/gm) ?? []
    expect(data.join('\n')).toContain('Hello')
    expect(data.at(-1)).toMatch(/\[DONE\]|"message_stop"|"response\.completed"/)
    expect(lines).toMatchObject([{ amountMicros: -format.cost, receipt: { settledBecause: 'usage' } }])
  })

  // https://github.com/BYK/loreai/pull/1195 https://github.com/quangdang46/openproxy/issues/306
  test.each(types)('a stream becomes the requested JSON response, under the headers %j', async (headers) => {
    const { status, type, text, lines } = await ask(format, false, sending(eventsOf(format), headers, 13))
    expect([status, type]).toEqual([200, 'application/json'])
    expect(text).toMatch(format === chat ? /one two three four five six/ : /Hello/)
    expect(JSON.parse(text)).toHaveProperty('usage')
    expect(lines).toMatchObject([{ amountMicros: -format.cost, receipt: { settledBecause: 'usage' } }])
  })

  // https://github.com/sudoprivacy/sudocode/pull/576
  test('a connection that breaks after a complete response is no failure, whole or streamed', async () => {
    const streamed = await ask(
      format,
      true,
      sending(eventsOf(format), { 'content-type': 'text/event-stream' }, 50, true),
    )
    expect(streamed.text).toBe(format.shown.join(''))
    const whole = await ask(format, false, sending(Buffer.from(jsonOf(format)), {}, 50, true))
    expect([whole.status, JSON.parse(whole.text)]).toEqual([200, wholeOf[format.name]])
    for (const { lines } of [streamed, whole])
      expect(lines).toMatchObject([{ amountMicros: -format.cost, receipt: { settledBecause: 'usage' } }])
  })
})

// https://github.com/Wei-Shaw/sub2api/issues/2826
test('a Responses stream without output in its last event is assembled from its deltas', async () => {
  const last = { type: 'response.completed', response: { ...finished, output: [] } }
  const text = [...responses.pieces.slice(0, -1), sse(last)].join('')
  const answer = await ask(responses, false, sending(Buffer.from(text), {}))
  expect(JSON.parse(answer.text).output).toMatchObject([{ content: [{ text: 'Hello' }] }])
})

test.each([
  ['HTML', '<!DOCTYPE html><p>Bad gateway</p>'],
  ['a list', '[{"error":{"code":500}}]'],
  ['plain text', 'error: upstream unavailable'],
  ['an empty body', ''],
  ['white space', ' \n'],
  ['an incomplete object', '{"choices":[{"mess'],
])('%s is not a response, in any requested format', async (_, body) => {
  for (const stream of [true, false]) {
    const answer = await ask(chat, stream, sending(Buffer.from(body), { 'content-type': 'text/plain' }))
    expect(answer).toMatchObject({
      status: 502,
      lines: [{ amountMicros: 0, receipt: { settledBecause: 'upstream-error' } }],
    })
    expect(answer.text).not.toContain('upstream unavailable')
  }
})

describe('a compressed response', () => {
  const codings: [string, string, (bytes: Uint8Array) => Uint8Array][] = [
    // https://github.com/epam/ai-dial-core/pull/1646
    ['gzip', 'gzip', gzipSync],
    ['gzip in capitals', 'GZIP', gzipSync],
    ['gzip under its old name', 'x-gzip', gzipSync],
    // https://github.com/agentgateway/agentgateway/pull/873
    ['gzip after identity', 'identity, gzip', gzipSync],
    // https://github.com/Wei-Shaw/claude-relay-service/pull/1039
    ['gzip without a Content-Encoding', '', gzipSync],
    ['deflate', 'deflate', deflateSync],
    ['deflate without its zlib header', 'deflate', deflateRawSync],
    ['brotli', 'br', brotliCompressSync],
    // https://github.com/cita-777/metapi/pull/335
    ['zstd', 'zstd', zstdCompressSync],
    ['gzip in name only', 'gzip', (bytes) => bytes],
    ['zstd in name only', 'zstd', (bytes) => bytes],
  ]
  test.each(codings)('is read: %s', async (_, coding, compress) => {
    const headers = { 'content-type': 'text/event-stream', ...(coding && { 'content-encoding': coding }) }
    const streamed = await ask(chat, true, sending(compress(eventsOf(chat)), headers, 9))
    expect(streamed.text).toBe(chat.shown.join(''))
    const whole = await ask(chat, false, sending(compress(Buffer.from(jsonOf(chat))), headers, 9))
    expect(JSON.parse(whole.text)).toEqual(wholeOf['openai-chat'])
    for (const { lines } of [streamed, whole])
      expect(lines).toMatchObject([{ amountMicros: -chat.cost, receipt: { settledBecause: 'usage' } }])
  })

  test.each(codings.slice(0, -2))(
    'that breaks off is charged for the received part: %s',
    async (_, coding, compress) => {
      const words = chat.pieces.slice(0, 6).join('')
      const bytes = Buffer.concat([compress(Buffer.from(words))])
      const headers = { 'content-type': 'text/event-stream', ...(coding && { 'content-encoding': coding }) }
      const { text, lines } = await ask(chat, true, sending(bytes, headers, 9, true))
      expect(text).toBe(`${words}${text.slice(words.length)}`)
      expect(text.slice(words.length)).toContain('provider-error')
      expect(lines).toMatchObject([{ receipt: { settledBecause: 'interrupted', outputTokens: 7 } }])
    },
  )

  test('that ends in the middle is a failure', async () => {
    const compressed = gzipSync(Buffer.from(jsonOf(chat)))
    const answer = await ask(chat, false, sending(compressed.subarray(0, -20), { 'content-encoding': 'gzip' }))
    expect(answer).toMatchObject({
      status: 502,
      lines: [{ amountMicros: 0, receipt: { settledBecause: 'upstream-error' } }],
    })
  })

  test.each(['compress', 'gzip, br'])('in the coding %s is a failure that costs nothing', async (coding) => {
    const answer = await ask(chat, true, sending(eventsOf(chat), { 'content-encoding': coding }))
    expect(answer).toMatchObject({
      status: 502,
      lines: [{ amountMicros: 0, receipt: { settledBecause: 'upstream-error' } }],
    })
  })

  test('that grows above the limit is dropped', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x7b))
    const answer = await ask(chat, false, sending(bomb, { 'content-encoding': 'gzip' }))
    expect(answer.status).toBe(502)
  })

  test('is forwarded as it is written, event by event', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      response.write(gzipSync(Buffer.from(chat.pieces[0] ?? '')))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // safe because it listens on TCP
    await proxy?.close()
    proxy = await startProxyServer(`http://127.0.0.1:${port}`, 1_000_000)
    const body = JSON.stringify({ ...chat.ask, stream: true })
    const reader = (await fetch(proxy.url, { method: 'POST', body })).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(chat.pieces[0])
    await reader?.cancel()
    server.closeAllConnections()
    server.close()
  })
})
