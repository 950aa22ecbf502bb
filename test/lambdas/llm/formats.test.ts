import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { anthropic, chat, type FormatCase, responses } from './format-cases.ts'
import { echo, modelsOver } from './ports.ts'
import { leaveAfter, startProxyServer } from './proxy-server.ts'
import { answering, startUpstream, streaming } from './upstream.ts'

const dollar = 1_000_000
let upstream: Awaited<ReturnType<typeof startUpstream>>
let proxy: Awaited<ReturnType<typeof startProxyServer>>

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())

/** The code of an error in either form. */
const codeIn = ({ error }: { error: string | { code: string } }) => (typeof error === 'string' ? error : error.code)

/** The ledger entry of a call that failed before any output. */
const free = { amountMicros: 0, receipt: { settledBecause: 'upstream-error', settledMicros: 0 } }

describe.each<FormatCase>([chat, responses, anthropic])('$name', (format) => {
  const { path, model, ask, pieces, shown, cost, paidBefore, refused } = format
  const indexes = pieces.map((_, index) => index)
  const post = (more: object) =>
    fetch(`${proxy.url}${path}`, { method: 'POST', body: JSON.stringify({ ...ask, ...more }) })

  beforeEach(async () => {
    proxy = await startProxyServer(upstream.url, dollar, { models: modelsOver(upstream.url, [model, echo]) })
  })
  afterEach(() => proxy.close())

  test('forwards the provider’s bytes unchanged', async () => {
    upstream.use(streaming(pieces))
    expect(await (await post({ stream: true })).text()).toBe(shown.join(''))
  })

  test.each(indexes)('with a provider that breaks off before event %i', async (index) => {
    upstream.use(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      for (const piece of pieces.slice(0, index)) response.write(piece)
      await new Promise((resolve) => setTimeout(resolve, 5))
      response.destroy()
    })
    const text = await (await post({ stream: true })).text()
    await proxy.under.finished
    const before = pieces
      .slice(0, index)
      .filter((piece) => shown.includes(piece))
      .join('')
    const paid = paidBefore(index)
    // Before its first output, a failed call is an error like any other, and free.
    if (paid) expect(text.startsWith(before)).toBe(true)
    if (paid) expect(text.slice(before.length)).toContain('The model provider ended the stream early')
    else expect(codeIn(JSON.parse(text))).toBe('provider-error')
    expect(proxy.books.state.holds).toEqual({})
    expect(proxy.books.lines).toMatchObject([paid ?? free])
    const receipt = proxy.books.lines[0]?.receipt
    expect(receipt?.settledMicros ?? 0).toBeLessThanOrEqual(receipt?.heldMicros ?? 0)
  })

  // new-api #5235, #7062: unbilled; #5289: overbilled
  test.each(indexes)('with a client that leaves after event %i pays the provider’s report', async (index) => {
    upstream.use(streaming(pieces, 8))
    await leaveAfter(proxy, path, { ...ask, stream: true }, Math.min(index, shown.length - 2))
    expect(proxy.books).toMatchObject({
      state: { available: dollar - cost, holds: {} },
      lines: [{ amountMicros: -cost }],
    })
    expect(proxy.books.lines[0]?.receipt?.settledBecause).toBe('usage')
  })

  test('with a JSON response that breaks off returns a clean 502 that costs nothing', async () => {
    upstream.use(async (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"choices":[{"message":{"content":"Hel')
      await new Promise((resolve) => setTimeout(resolve, 5))
      response.destroy()
    })
    const response = await post({})
    expect(response.status).toBe(502)
    expect(codeIn(await response.json())).toBe('provider-error')
    expect(proxy.books).toMatchObject({ lines: [free], state: { available: dollar, holds: {} } })
  })

  // https://github.com/anthropics/claude-code/issues/6273, https://github.com/anomalyco/opencode/pull/13985
  test('with half of an emoji sends the replacement character, and everything else as it was written', async () => {
    upstream.use(streaming(pieces))
    const written = JSON.stringify({ ...ask, stream: true }).replace(
      /"Say hello."|"Hello"/,
      '"Say \\ud83d\\ud83d \\ude42 🙂 \\\\ud83d."',
    )
    await (await fetch(`${proxy.url}${path}`, { method: 'POST', body: written })).text()
    expect(JSON.stringify(upstream.seen[0]?.body)).toContain('Say \ufffd\ufffd \ufffd 🙂 \\\\ud83d.')
  })

  test.each(refused)('with the field %s is rejected before the call reaches the provider', async (field, more) => {
    upstream.use(answering(200, {}))
    const response = await post(more)
    expect(response.status).toBe(400)
    const body = await response.json()
    expect(codeIn(body)).toBe('validation')
    // The contract's own address names the field in the details, a vendor's before the sentence.
    expect(Object.keys(body.details ?? {})[0] ?? body.error.message.split(': ')[0]).toBe(field)
    expect(upstream.seen).toEqual([])
    expect(proxy.books.calls).toEqual([])
  })
})

test('no connection to the provider is open at the end', async () => {
  expect(upstream.state.open).toBe(0)
})
