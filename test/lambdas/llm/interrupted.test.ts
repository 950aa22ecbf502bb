import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { startHub } from './hub.ts'
import { delta, sse, startUpstream, stop, streaming, usage, usageChunk } from './upstream.ts'

let upstream: Awaited<ReturnType<typeof startUpstream>>
let hub: Awaited<ReturnType<typeof startHub>>
const dollar = 1_000_000

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
beforeEach(async () => {
  hub = await startHub(upstream.url, dollar)
})
afterEach(() => hub.close())

const request = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Count to six.' }] })
const words = ['one ', 'two ', 'three ', 'four ', 'five ', 'six'].map((word) => sse(delta(word)))
const pieces = [...words, sse(stop), sse(usageChunk(usage(50, 6))), sse('[DONE]')]
const cost = 50 * 0.5 + 6 * 1.5
const indexes = pieces.map((_, index) => index)

async function settled(): Promise<void> {
  for (let i = 0; i < 400 && Object.keys(hub.books.state.holds).length > 0; i++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await hub.under.finished
}

describe('the client leaves (new-api #5235, #7062: unbilled; #5289: overbilled)', () => {
  test.each(indexes)('after chunk %i: the provider is drained and its usage is billed', async (index) => {
    upstream.use(streaming(pieces, 4))
    const gone = new AbortController()
    const response = await fetch(hub.url, { method: 'POST', body: request, signal: gone.signal })
    const reader = response.body?.getReader()
    for (let read = 0; read < Math.min(index, pieces.length - 3); read++) await reader?.read()
    gone.abort()
    await reader?.read().catch(() => {})
    await settled()
    expect(hub.books.state).toMatchObject({ available: dollar - cost, holds: {} })
    expect(hub.books.lines).toMatchObject([{ amountMicros: -cost, receipt: { outputTokens: 6 } }])
    expect(['interrupted', 'usage']).toContain(hub.books.lines[0]?.receipt?.settledBecause)
    if (index < 3) expect(hub.books.lines[0]?.receipt?.settledBecause).toBe('interrupted')
  })

  test('and the provider never says what it used: input and counted output, inside the hold', async () => {
    upstream.use(streaming([...words, sse('[DONE]')], 4))
    const gone = new AbortController()
    const response = await fetch(hub.url, { method: 'POST', body: request, signal: gone.signal })
    await response.body?.getReader().read()
    gone.abort()
    await settled()
    const receipt = hub.books.lines[0]?.receipt
    expect(receipt).toMatchObject({
      settledBecause: 'interrupted',
      outputTokens: 7,
      inputTokens: Math.ceil(request.length / 4),
    })
    expect(receipt?.settledMicros).toBeLessThanOrEqual(receipt?.heldMicros ?? 0)
  })
})

describe('the provider cuts the stream', () => {
  test.each(indexes)('before chunk %i', async (index) => {
    upstream.use(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      for (const piece of pieces.slice(0, index)) response.write(piece)
      await new Promise((resolve) => setTimeout(resolve, 5))
      response.destroy()
    })
    const text = await (await fetch(hub.url, { method: 'POST', body: request })).text()
    await settled()
    const shown = pieces.slice(0, Math.min(index, 7))
    expect(text.startsWith(shown.join(''))).toBe(true)
    expect(text.slice(shown.join('').length)).toContain('provider-error')
    expect(hub.books.state.holds).toEqual({})
    if (index === 0) expect(hub.books.lines).toEqual([])
    else if (index < 8) expect(hub.books.lines[0]?.receipt).toMatchObject({ settledBecause: 'interrupted' })
    else expect(hub.books.lines[0]).toMatchObject({ amountMicros: -cost, receipt: { settledBecause: 'usage' } })
  })

  test('in the middle of a JSON answer: a clean 502 that costs nothing', async () => {
    upstream.use(async (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"choices":[{"message":{"content":"Hel')
      await new Promise((resolve) => setTimeout(resolve, 5))
      response.destroy()
    })
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'x' }] })
    const response = await fetch(hub.url, { method: 'POST', body })
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ error: 'provider-error', details: { upstream: ['cut off'] } })
    expect(hub.books).toMatchObject({ lines: [], state: { available: dollar, holds: {} } })
  })
})

test('afterwards no connection to the provider is left open', async () => {
  expect(upstream.state.open).toBe(0)
})
