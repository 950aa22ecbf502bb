import { PassThrough, Readable } from 'node:stream'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { openaiChat } from '../../../domain/models/openai-chat.ts'
import type { Take } from '../../../domain/models/ports.ts'
import { quoteOf } from '../../../domain/models/settlement.ts'
import type { Pour } from '../../../lambdas/kit/operation.ts'
import { type CallPorts, OpenCall } from '../../../lambdas/llm/open-call.ts'
import { patience, relay } from '../../../lambdas/llm/relay.ts'
import { seeded } from '../../counts.ts'
import { echo, memoryWallets, modelsOver, testBasics } from './ports.ts'
import { delta, sse, stop, usage, usageChunk } from './upstream.ts'

const encoder = new TextEncoder()

function openCall(asksUsage = false, recheckEveryMs?: number) {
  const { wallets, books } = memoryWallets(1_000_000)
  const call = openaiChat.parse(
    JSON.stringify({
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
      ...(asksUsage && { stream_options: { include_usage: true } }),
    }),
  )
  books.state.holds.call_1 = { micros: 1_000, expiresMs: 0, trigger: 'chat' }
  books.state.available -= 1_000
  const deps = {
    ...testBasics(),
    wallets,
    models: modelsOver('http://127.0.0.1:9'),
    events: { record: async () => {}, after: async () => [] },
    instances: { touch: async () => {} },
  } as unknown as CallPorts // safe because a call only touches its instance
  const who = { userId: 'usr_1', generation: 1, callId: 'call_1' }
  const facts = { ...who, dialect: openaiChat, call, model: echo, trigger: 'chat' as const }
  const limits = { quote: quoteOf(call, echo), held: { micros: 1_000, total: 1_000_000 }, outputTokens: 100 }
  const open = new OpenCall(deps, { ...facts, ...limits, now: Date.now() }, recheckEveryMs)
  return { open, books, deps }
}

/** A provider's answer with these bytes. */
const from = (source: AsyncIterable<Uint8Array>) => ({
  read: async (take: Take) => {
    for await (const chunk of source) await take(chunk)
  },
})

const sourceOf = (chunks: readonly Uint8Array[]) => from(Readable.from(chunks))

/** All that a client gets, once the call is settled. */
async function readAll(pour: Pour): Promise<Buffer> {
  const to = new PassThrough()
  const done = pour(to)
  const parts: Uint8Array[] = []
  for await (const part of to) parts.push(part)
  await done
  return Buffer.concat(parts)
}
const textOf = async (pour: Pour) => (await readAll(pour)).toString('utf8')

/** Cuts bytes at these places, in any order. */
function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return places.slice(1).map((to, index) => bytes.subarray(places[index], to))
}

describe('bytes', () => {
  const shown = [sse(delta('héllo ✓')), ': a comment\n\n', sse(delta('\u{1F600}')).replaceAll('\n', '\r\n'), sse(stop)]
  const report = sse(usageChunk(usage(10, 3)))

  test.each([['\n'], ['\r\n'], ['\r']])(
    'come out as they went in, cut anywhere, without the report only we asked for (line end %j)',
    async (eol) => {
      const withEol = (text: string) => text.replaceAll(/\r?\n/g, eol)
      const bytes = encoder.encode(withEol([...shown, `event: usage\n${report}`, sse('[DONE]')].join('')))
      const single = await textOf(relay(openCall().open, sourceOf(split(bytes, [...bytes.keys()]))))
      expect(single).toBe(withEol([...shown, sse('[DONE]')].join('')))
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 40 }), async (cuts) => {
          const { open, books } = openCall()
          const out = await textOf(relay(open, sourceOf(split(bytes, cuts))))
          expect(out).toBe(withEol([...shown, sse('[DONE]')].join('')))
          expect(books.lines[0]?.receipt).toMatchObject({ inputTokens: 10, outputTokens: 3, settledBecause: 'usage' })
        }),
        seeded(2_000),
      )
    },
  )

  test('all of them, when the client asked for the report itself', async () => {
    const bytes = encoder.encode([...shown, report, 'data: [DONE]'].join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (cuts) => {
        const { open } = openCall(true)
        expect(await textOf(relay(open, sourceOf(split(bytes, cuts))))).toBe(
          [...shown, report, 'data: [DONE]'].join(''),
        )
      }),
      seeded(2_000),
    )
  })

  test('any bytes at all pass a client that asked for its report', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 30 }), { maxLength: 20 }), async (chunks) => {
        const { open } = openCall(true)
        expect((await readAll(relay(open, sourceOf(chunks)))).equals(Buffer.concat(chunks))).toBe(true)
      }),
      seeded(2_000),
    )
  })
})

describe('a quiet party', () => {
  const pretend = () => jest.useFakeTimers({ doNotFake: ['nextTick'] })
  afterEach(() => void jest.useRealTimers())

  /** A provider that says one word and then nothing, until it is let go. */
  const quiet = (open: OpenCall) =>
    from(
      new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(encoder.encode(sse(delta('word'))))
          open.signal.addEventListener('abort', () => controller.error(new Error('aborted')))
        },
      }),
    )

  test('the client gets a comment after each fifteen seconds of silence, until it leaves', async () => {
    pretend()
    const { open, books } = openCall()
    const to = new PassThrough()
    const done = relay(open, quiet(open))(to)
    await jest.advanceTimersByTimeAsync(0)
    expect(String(to.read())).toBe(sse(delta('word')))
    for (let i = 0; i < 3; i++) {
      await jest.advanceTimersByTimeAsync(patience.silenceMs - 1)
      expect(to.read()).toBeNull()
      await jest.advanceTimersByTimeAsync(1)
      expect(String(to.read())).toMatch(/^:.*\n\n$/)
    }
    to.destroy()
    await jest.advanceTimersByTimeAsync(patience.drainMs)
    await done
    expect(books.lines[0]?.receipt).toMatchObject({ settledBecause: 'interrupted', outputTokens: 1 })
    expect(jest.getTimerCount()).toBe(0)
  })

  test('a client that takes nothing for thirty seconds has left; a provider silent for a minute is let go', async () => {
    pretend()
    const { open, books } = openCall()
    const to = new PassThrough({ highWaterMark: 1 })
    const done = relay(open, quiet(open))(to)
    await jest.advanceTimersByTimeAsync(patience.blockedMs)
    expect(to.destroyed).toBe(true)
    expect(books.lines).toEqual([])
    await jest.advanceTimersByTimeAsync(patience.drainMs)
    await done
    expect(books.lines[0]?.receipt).toMatchObject({ settledBecause: 'interrupted', outputTokens: 1 })
    expect(open.signal.aborted).toBe(true)
    expect(jest.getTimerCount()).toBe(0)
  })

  test('a slow client is waited for, and the provider is read no faster than it takes', async () => {
    pretend()
    const { open, books } = openCall()
    let given = 0
    const words = from(
      (async function* () {
        for (; given < 5; given++) yield encoder.encode(sse(delta('word')))
      })(),
    )
    const to = new PassThrough({ highWaterMark: 1 })
    const done = relay(open, words)(to)
    let text = ''
    for (let i = 0; i < 5; i++) {
      await jest.advanceTimersByTimeAsync(patience.blockedMs - 1)
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
    const { open, books } = openCall()
    const all = textOf(relay(open, quiet(open)))
    await jest.advanceTimersByTimeAsync(12 * 60_000)
    expect(await all).toContain('provider-error')
    expect(books.state.holds).toEqual({})
    expect(books.lines[0]?.receipt?.settledBecause).toBe('interrupted')
    expect(jest.getTimerCount()).toBe(0)
  })
})

describe('a machine that may no longer spend', () => {
  /** One word, then nothing until the call is aborted. */
  async function* oneWord({ signal }: OpenCall): AsyncGenerator<Uint8Array> {
    yield encoder.encode(sse(delta('one')))
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }

  test('is cut off, and pays what it used until then', async () => {
    const { open, books } = openCall(false, 10)
    books.state.generation = 2
    const out = await textOf(relay(open, from(oneWord(open))))
    expect(out).toBe(`${sse(delta('one'))}${openaiChat.errorEvent}`)
    expect(books.lines).toMatchObject([{ receipt: { settledBecause: 'interrupted', outputTokens: 1 } }])
    expect(books.state.holds).toEqual({})
  })

  test('is asked about again when that could not be told', async () => {
    const { open, books, deps } = openCall(false, 10)
    const read = deps.wallets.read
    let looks = 0
    deps.wallets.read = async (userId) => {
      if (++looks < 3) throw new Error('the store is down')
      books.state.generation = 2
      return read(userId)
    }
    expect(await textOf(relay(open, from(oneWord(open))))).toContain(openaiChat.errorEvent)
    expect(looks).toBe(3)
  })

  test('goes on while it may, and is not asked about once settled', async () => {
    const { open, deps } = openCall(false, 5)
    const read = deps.wallets.read
    let looks = 0
    deps.wallets.read = (userId) => {
      looks++
      return read(userId)
    }
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(open.signal.aborted).toBe(false)
    await open.finish('left')
    const before = looks
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([before > 0, looks]).toEqual([true, before])
  })
})
