import { PassThrough, Readable } from 'node:stream'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { BilledCall, type CallPorts } from '../../../app/models/billed-call.ts'
import { settleCall } from '../../../app/models/settle-call.ts'
import { streamEvents } from '../../../app/models/stream-response.ts'
import type { OnChunk } from '../../../app/ports/models.ts'
import { recheckMs } from '../../../domain/lifetimes.ts'
import { blockedClientMs, drainMs, keepAliveMs, maxEventBytes } from '../../../domain/models/call-limits.ts'
import { estimateTokens } from '../../../domain/models/cost.ts'
import { quoteOf } from '../../../domain/models/hold.ts'
import type { PricedModel } from '../../../domain/models/model.ts'
import { openaiChat } from '../../../domain/models/openai-chat.ts'
import type { BodyWriter } from '../../../lambdas/kit/operation.ts'
import { machineSpender } from '../../../lambdas/llm/machine-call.ts'
import { seeded } from '../../counts.ts'
import { denying, echo, memoryWallets, modelsOver, testBasics } from '../../lambdas/llm/ports.ts'
import { delta, sse, stop, usage, usageChunk } from '../../lambdas/llm/upstream.ts'

const encoder = new TextEncoder()

function heldCall(asksUsage = false, recheckEveryMs?: number, more: object = {}, model: PricedModel = echo) {
  const { wallets, books } = memoryWallets(1_000_000)
  const call = openaiChat.parseRequest(
    JSON.stringify({
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
      ...more,
      ...(asksUsage && { stream_options: { include_usage: true } }),
    }),
  )
  books.state.holds.call_1 = { micros: 1_000, expiresMs: 0, trigger: 'chat' }
  books.state.available -= 1_000
  const deps = {
    ...testBasics(),
    // A write to the output would be one more timer among the pretended ones.
    alarms: { raise: () => {}, measure: () => {} },
    wallets,
    denials: denying(),
    models: modelsOver('http://127.0.0.1:9'),
    events: { record: async () => {}, after: async () => [] },
    instances: { touch: async () => {} },
  } as unknown as CallPorts // safe because a call uses only its instance
  const beside = { headers: {}, query: '' }
  const request = {
    ...machineSpender({ userId: 'usr_1', generation: 1 }),
    format: openaiChat,
    call,
    model,
    beside,
    now: Date.now(),
  }
  const limits = { quote: quoteOf(call, model), held: { micros: 1_000, total: 1_000_000 }, outputTokens: 100 }
  const facts = { ...request, ...limits, callId: 'call_1', trigger: 'chat' as const, promptId: null }
  return { billed: new BilledCall(deps, facts, recheckEveryMs), books, deps }
}

/** A provider's answer with these bytes. */
const from = (source: AsyncIterable<Uint8Array>) => ({
  read: async (onChunk: OnChunk) => {
    for await (const chunk of source) await onChunk(chunk)
  },
})

const sourceOf = (chunks: readonly Uint8Array[]) => from(Readable.from(chunks))

/** Writes the provider's events to a client. */
const stream =
  (billed: BilledCall, response: ReturnType<typeof from>): BodyWriter =>
  (to) =>
    streamEvents(billed, { read: (onEvents) => response.read((chunk) => onEvents(billed.meter.readChunk(chunk))) }, to)

/** All bytes that a client gets, once the call is settled. */
async function readAll(write: BodyWriter): Promise<Buffer> {
  const to = new PassThrough()
  const done = write(to)
  const parts: Uint8Array[] = []
  for await (const part of to) parts.push(part)
  await done
  return Buffer.concat(parts)
}
const textOf = async (write: BodyWriter) => (await readAll(write)).toString('utf8')

/** Cuts bytes at these places, in any order. */
function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return places.slice(1).map((to, index) => bytes.subarray(places[index], to))
}

describe('the bytes of a stream', () => {
  const shown = [sse(delta('héllo ✓')), ': a comment\n\n', sse(delta('\u{1F600}')).replaceAll('\n', '\r\n'), sse(stop)]
  const report = sse(usageChunk(usage(10, 3)))

  test.each([['\n'], ['\r\n'], ['\r']])(
    'pass unchanged, however they are cut, without the usage report that only we requested (line end %j)',
    async (eol) => {
      const withEol = (text: string) => text.replaceAll(/\r?\n/g, eol)
      const bytes = encoder.encode(withEol([...shown, `event: usage\n${report}`, sse('[DONE]')].join('')))
      const single = await textOf(stream(heldCall().billed, sourceOf(split(bytes, [...bytes.keys()]))))
      expect(single).toBe(withEol([...shown, sse('[DONE]')].join('')))
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 40 }), async (cuts) => {
          const { billed, books } = heldCall()
          const out = await textOf(stream(billed, sourceOf(split(bytes, cuts))))
          expect(out).toBe(withEol([...shown, sse('[DONE]')].join('')))
          expect(books.lines[0]?.receipt).toMatchObject({ inputTokens: 10, outputTokens: 3, settledBecause: 'usage' })
        }),
        seeded(2_000),
      )
    },
  )

  test('pass completely when the client requested the usage report itself', async () => {
    const bytes = encoder.encode([...shown, report, 'data: [DONE]'].join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (cuts) => {
        const { billed } = heldCall(true)
        expect(await textOf(stream(billed, sourceOf(split(bytes, cuts))))).toBe(
          [...shown, report, 'data: [DONE]'].join(''),
        )
      }),
      seeded(2_000),
    )
  })

  test('pass unknown events to a client that requested the usage report', async () => {
    const unknown = fc.dictionary(fc.constantFrom('type', 'object', 'id', 'extra'), fc.string())
    await fc.assert(
      fc.asyncProperty(fc.array(unknown, { maxLength: 10 }), async (events) => {
        const { billed } = heldCall(true)
        const text = [sse(delta('word')), ...events.map((event) => sse(event)), sse('[DONE]')].join('')
        expect(await textOf(stream(billed, sourceOf([encoder.encode(text)])))).toBe(text)
      }),
      seeded(2_000),
    )
  })

  // https://github.com/BerriAI/litellm/issues/17904 and https://github.com/continuedev/continue/issues/13223 report
  // such events
  test.each([
    ['an error event of any shape', 'event: error\ndata: {"message":"secret","code":500}\n\n'],
    ['a bare code and message', sse({ code: 1210, msg: 'secret', success: false })],
    ['a bare detail', sse({ detail: 'secret' })],
    ['an error in a choice', sse({ choices: [{ index: 0, delta: {}, error: { message: 'secret' } }] })],
    [
      'an error as the finish reason',
      sse({ choices: [{ index: 0, delta: {}, finish_reason: 'error', text: 'secret' }] }),
    ],
    ['text in place of JSON', 'data: secret\n\n'],
    ['a JSON text', 'data: "secret"\n\n'],
    ['a web page', '<html>secret</html>\n\n'],
    ['a truncated object', 'data: {"choices":[{"delta":{"content":"secret\n\n'],
  ])('with a provider’s error end the stream with our error: %s', async (_, error) => {
    const { billed, books } = heldCall(true)
    const text = await textOf(stream(billed, sourceOf([encoder.encode(sse(delta('word')) + error)])))
    expect(text).toBe(sse(delta('word')) + openaiChat.errorEvent)
    expect(books.lines).toMatchObject([{ receipt: { settledBecause: 'interrupted', outputTokens: 1 } }])
  })

  test.each([[''], [{}], [null], [false], [[]], [{ code: null, message: '' }]])(
    'with an error of %j next to text are not an error',
    async (error) => {
      const { billed } = heldCall(true)
      const text = sse({ ...delta('word'), error }, '[DONE]')
      expect(await textOf(stream(billed, sourceOf([encoder.encode(text)])))).toBe(text)
    },
  )
})

describe('bytes that reach a client and that no meter can parse', () => {
  const words = 'four words and more '.repeat(20)
  test.each([
    ['an object of an unknown shape', sse({ response: words })],
    ['an event that is too large to parse', `data: {"response":"${'x'.repeat(maxEventBytes + 1)}"}\n\n`],
  ])('are billed by their length: %s', async (_, bytes) => {
    const { billed, books, deps } = heldCall(true)
    const measure = jest.fn<typeof deps.alarms.measure>()
    deps.alarms = { ...deps.alarms, measure }
    expect(await textOf(stream(billed, sourceOf([encoder.encode(bytes)])))).toBe(bytes)
    expect(books.lines).toMatchObject([{ receipt: { settledBecause: 'unread' } }])
    expect(books.lines[0]?.receipt?.outputTokens).toBeGreaterThan(words.length / 5)
    expect(measure.mock.calls).toEqual([
      ['ModelCallFailed', 0],
      ['AnswerUnread', 1, { model: echo.id }],
    ])
  })

  test('cost nothing beyond the usage report of the whole call', async () => {
    const { billed, books } = heldCall(true)
    await textOf(
      stream(billed, sourceOf([encoder.encode(`${sse({ response: words })}${sse(usageChunk(usage(10, 3)))}`)])),
    )
    expect(books.lines).toMatchObject([{ receipt: { settledBecause: 'usage', inputTokens: 10, outputTokens: 3 } }])
  })

  test.each([
    ['comments', ': OPENROUTER PROCESSING\n\n'],
    ['fields without data', 'event: ping\nid: 1\nretry: 3000\n\n'],
    ['empty data', 'data:\n\n'],
    ['the end marker', 'data:  [DONE]\n\n'],
    ['a chunk without text', sse({ ...delta(''), choices: [] })],
  ])('do not include %s', async (_, bytes) => {
    const { billed, books } = heldCall(true)
    await textOf(stream(billed, sourceOf([encoder.encode(bytes)])))
    expect(books.state).toMatchObject({ available: 1_000_000, holds: {} })
    for (const line of books.lines) expect(line.receipt?.settledBecause).toBe('upstream-error')
  })
})

test.each([
  ['two spaces', 'data:  '],
  ['no space', 'data:'],
  ['a tab', 'data: \t'],
  ['a byte order mark', '\ufeffdata: '],
])('data after %s is read', async (_, start) => {
  const text = [delta('word'), usageChunk(usage(10, 3)), '[DONE]']
    .map((data, index) => sse(data).replace('data: ', index === 0 ? start : start.replace('\ufeff', '')))
    .join('')
  const { billed, books } = heldCall(true)
  expect(await textOf(stream(billed, sourceOf([encoder.encode(text)])))).toBe(text)
  expect(books.lines).toMatchObject([{ receipt: { settledBecause: 'usage', inputTokens: 10, outputTokens: 3 } }])
})

describe('a silent client or provider', () => {
  const pretend = () => jest.useFakeTimers({ doNotFake: ['nextTick'] })
  afterEach(() => void jest.useRealTimers())

  /** A provider that sends one word and then nothing, until the call is aborted. */
  const quiet = (billed: BilledCall) =>
    from(
      new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(encoder.encode(sse(delta('word'))))
          billed.signal.addEventListener('abort', () => controller.error(new Error('aborted')))
        },
      }),
    )

  test('the client gets a comment after each fifteen seconds of silence, until it disconnects', async () => {
    pretend()
    const { billed, books } = heldCall()
    const to = new PassThrough()
    const done = stream(billed, quiet(billed))(to)
    await jest.advanceTimersByTimeAsync(0)
    expect(String(to.read())).toBe(sse(delta('word')))
    for (let i = 0; i < 3; i++) {
      await jest.advanceTimersByTimeAsync(keepAliveMs - 1)
      expect(to.read()).toBeNull()
      await jest.advanceTimersByTimeAsync(1)
      // a blank line after it would be an event without data: https://github.com/openai/openai-go/issues/621,
      // https://github.com/theopenco/llmgateway/pull/2334
      expect(String(to.read())).toBe(': waiting\n')
    }
    to.destroy()
    await jest.advanceTimersByTimeAsync(drainMs)
    await done
    expect(books.lines[0]?.receipt).toMatchObject({ settledBecause: 'interrupted', outputTokens: 1 })
    expect(jest.getTimerCount()).toBe(0)
  })

  /** A provider that sends these parts with pauses. */
  const halting = (parts: readonly (string | Uint8Array)[], everyMs: number) =>
    from(
      (async function* () {
        for (const part of parts) {
          yield typeof part === 'string' ? encoder.encode(part) : part
          await new Promise((resolve) => setTimeout(resolve, everyMs))
        }
      })(),
    )

  test('the comment is never written within an event, however long that is', async () => {
    pretend()
    const { billed } = heldCall()
    const to = new PassThrough({ highWaterMark: 16 * 1024 * 1024 })
    const long = `data: {"long":"${'x'.repeat(maxEventBytes)}`
    const done = stream(billed, halting([long, `"}\n\n${sse(stop)}`, sse('[DONE]')], keepAliveMs + 1_000))(to)
    await jest.advanceTimersByTimeAsync(4 * keepAliveMs)
    await done
    expect(String(to.read())).toBe(`${long}"}\n\n${sse(stop)}: waiting\n${sse('[DONE]')}: waiting\n`)
  })

  test('the client gets its comment even if the provider’s bytes do not yet form an event', async () => {
    pretend()
    const { billed } = heldCall()
    const to = new PassThrough()
    const done = stream(billed, halting(['data: {', '"a":', '1}', '\n\n'], 10_000))(to)
    await jest.advanceTimersByTimeAsync(41_000)
    await done
    expect(String(to.read())).toContain(': waiting\ndata: {"a":1}\n\n')
  })

  test('a client that reads nothing for thirty seconds counts as gone; a provider that is silent for a minute is aborted', async () => {
    pretend()
    const { billed, books } = heldCall()
    const to = new PassThrough({ highWaterMark: 1 })
    const done = stream(billed, quiet(billed))(to)
    await jest.advanceTimersByTimeAsync(blockedClientMs)
    expect(to.destroyed).toBe(true)
    expect(books.lines).toEqual([])
    await jest.advanceTimersByTimeAsync(drainMs)
    await done
    expect(books.lines[0]?.receipt).toMatchObject({ settledBecause: 'interrupted', outputTokens: 1 })
    expect(billed.signal.aborted).toBe(true)
    expect(jest.getTimerCount()).toBe(0)
  })

  test('a slow client is waited for, and the provider is read no faster than the client reads', async () => {
    pretend()
    const { billed, books } = heldCall()
    let given = 0
    const words = from(
      (async function* () {
        for (; given < 5; given++) yield encoder.encode(sse(delta('word')))
      })(),
    )
    const to = new PassThrough({ highWaterMark: 1 })
    const done = stream(billed, words)(to)
    let text = ''
    for (let i = 0; i < 5; i++) {
      await jest.advanceTimersByTimeAsync(blockedClientMs - 1)
      expect(given).toBeLessThanOrEqual(i + 1)
      text += to.read()
    }
    await done
    expect(text).toBe(sse(delta('word')).repeat(5))
    expect(books.lines[0]?.receipt).toMatchObject({ outputTokens: 5 })
    expect(jest.getTimerCount()).toBe(0)
  })

  test('a call is cut and settled after twelve minutes', async () => {
    pretend()
    const { billed, books } = heldCall()
    const all = textOf(stream(billed, quiet(billed)))
    await jest.advanceTimersByTimeAsync(12 * 60_000)
    expect(await all).toContain('provider-error')
    expect(books.state.holds).toEqual({})
    expect(books.lines[0]?.receipt?.settledBecause).toBe('interrupted')
    expect(jest.getTimerCount()).toBe(0)
  })
})

describe('a machine that may no longer spend', () => {
  afterEach(() => void jest.useRealTimers())

  test('is checked often enough to end its calls within 15 s', () => expect(recheckMs).toBeLessThanOrEqual(13_000))

  /** One word, then nothing until the call is aborted. */
  async function* oneWord({ signal }: BilledCall): AsyncGenerator<Uint8Array> {
    yield encoder.encode(sse(delta('one')))
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }

  /** Nothing until the call is aborted. */
  async function* silence({ signal }: BilledCall): AsyncGenerator<Uint8Array> {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }

  test('is cut off, and pays for its usage so far', async () => {
    const { billed, books } = heldCall(false, 10)
    books.state.generation = 2
    const out = await textOf(stream(billed, from(oneWord(billed))))
    expect(out).toBe(`${sse(delta('one'))}${openaiChat.errorEvent}`)
    expect(books.lines).toMatchObject([{ receipt: { settledBecause: 'interrupted', outputTokens: 1 } }])
    expect(books.state.holds).toEqual({})
  })

  test('because its wallet is suspended, as a closed account’s is, is cut off too', async () => {
    const { billed, books } = heldCall(false, 10)
    books.state.frozen = 'the account is closed'
    expect(await textOf(stream(billed, from(oneWord(billed))))).toContain(openaiChat.errorEvent)
    expect(books.lines).toMatchObject([{ receipt: { settledBecause: 'interrupted', outputTokens: 1 } }])
  })

  const inputOf = (billed: BilledCall) => estimateTokens(billed.facts.call.textBytes)

  test('pays for the input that was read, even if the model has sent nothing yet', async () => {
    const { billed, books } = heldCall(false, 10)
    billed.answerBegan()
    books.state.generation = 2
    await textOf(stream(billed, from(silence(billed))))
    const paid = { settledBecause: 'interrupted', inputTokens: inputOf(billed), outputTokens: 0 }
    expect(books.lines).toMatchObject([{ receipt: paid }])
    expect(books.lines[0]?.amountMicros).toBeLessThan(0)
  })

  test('pays nothing when the provider has not answered yet', async () => {
    const { billed, books } = heldCall(false, 10)
    books.state.generation = 2
    await textOf(stream(billed, from(silence(billed))))
    expect(books).toMatchObject({ lines: [], state: { holds: {} } })
  })

  test('pays nothing when the provider broke off before its first word', async () => {
    const { billed, books } = heldCall()
    billed.answerBegan()
    await textOf(stream(billed, { read: async () => Promise.reject(new Error('reset')) }))
    expect(books).toMatchObject({ lines: [{ amountMicros: 0, failure: { reason: 'cut-off' } }], state: { holds: {} } })
  })

  test('pays nothing when its client disconnected and then the provider broke off before its first word', async () => {
    const { billed, books } = heldCall()
    billed.answerBegan()
    const to = new PassThrough()
    to.destroy()
    await stream(billed, { read: async () => Promise.reject(new Error('reset')) })(to)
    expect(books).toMatchObject({ lines: [{ amountMicros: 0 }], state: { holds: {} } })
  })

  const stopping = { ...echo, stopsUnread: true }
  test.each([
    ['at once, for a provider that stops and bills an abandoned stream', {}, stopping, 0],
    ['not before its report, for a provider that continues', {}, echo, drainMs],
    ['not before its report, for a model that may think unseen', { reasoning_effort: 'high' }, stopping, drainMs],
    [
      'at once, for a model that does not think',
      { reasoning_effort: 'none', thinking: { type: 'disabled' } },
      stopping,
      0,
    ],
  ])('aborts its provider’s call %s after its client has disconnected', async (_, more, model, ms) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
    const { billed, books } = heldCall(false, undefined, more, model)
    billed.answerBegan()
    const to = new PassThrough()
    const done = stream(billed, from(silence(billed)))(to)
    to.destroy()
    await new Promise(setImmediate)
    await jest.advanceTimersByTimeAsync(Math.max(0, ms - 1))
    expect(billed.signal.aborted).toBe(ms === 0)
    if (ms > 0) await jest.advanceTimersByTimeAsync(1)
    await done
    expect(books.lines).toMatchObject([{ receipt: { settledBecause: 'interrupted', inputTokens: inputOf(billed) } }])
  })

  test('pays for the input when its client has disconnected and the provider sends nothing more', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
    const { billed, books } = heldCall()
    billed.answerBegan()
    const to = new PassThrough()
    const done = stream(billed, from(silence(billed)))(to)
    to.destroy()
    await jest.advanceTimersByTimeAsync(drainMs)
    await done
    expect(books.lines).toMatchObject([{ receipt: { settledBecause: 'interrupted', inputTokens: inputOf(billed) } }])
  })

  test('is checked again when a check failed', async () => {
    const { billed, books, deps } = heldCall(false, 10)
    const read = deps.wallets.read
    let checks = 0
    deps.wallets.read = async (userId) => {
      if (++checks < 3) throw new Error('the store is down')
      books.state.generation = 2
      return read(userId)
    }
    expect(await textOf(stream(billed, from(oneWord(billed))))).toContain(openaiChat.errorEvent)
    expect(checks).toBe(3)
  })

  test('continues while it may spend, and is not checked once the call is settled', async () => {
    const { billed, deps } = heldCall(false, 5)
    const read = deps.wallets.read
    let checks = 0
    deps.wallets.read = (userId) => {
      checks++
      return read(userId)
    }
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(billed.signal.aborted).toBe(false)
    await settleCall(billed)
    const before = checks
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([before > 0, checks]).toEqual([true, before])
  })
})
