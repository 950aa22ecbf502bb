import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { alikeLimit, repetitionPauseMs } from '../../../domain/models/call-limits.ts'
import { newCaps } from '../../../domain/wallet/limits.ts'
import { startProxyServer } from '../../lambdas/llm/proxy-server.ts'
import { answering, startUpstream, usage } from '../../lambdas/llm/upstream.ts'

let upstream: Awaited<ReturnType<typeof startUpstream>>
const raised: unknown[][] = []
const alarms = { raise: (...said: unknown[]) => void raised.push(said), measure: () => {} }
let proxy: Awaited<ReturnType<typeof startProxyServer>>

beforeAll(async () => {
  upstream = await startUpstream()
})
afterAll(() => upstream.close())
beforeEach(async () => {
  proxy = await startProxyServer(upstream.url, 100_000_000, { alarms }, { userId: `usr_guard${Math.random()}` })
  upstream.use(answering(200, { choices: [{ message: { content: 'Hi' } }], usage: usage(1_000, 10) }))
})
afterEach(() => {
  jest.restoreAllMocks()
  return proxy.close()
})

const ask = async (headers: Record<string, string> = {}, content = 'Anything to do?', more: object[] = []) => {
  const messages = [{ role: 'user', content }, ...more]
  const response = await fetch(proxy.url, { method: 'POST', body: JSON.stringify({ messages }), headers })
  const body = await response.json()
  await proxy.under.finished
  return { status: response.status, body, retryAfter: body.retryAfterSeconds }
}
const turn = (trigger: string, prompt = 'prm_1', user = proxy.userId) => ({
  'x-berth-turn': `${user}/${trigger}/${prompt}`,
})
const charged = () => proxy.books.lines.at(-1)?.receipt?.trigger

describe('the origin of a turn', () => {
  test.each(['chat', 'tool', 'schedule', 'heartbeat'])('%s, when the turn’s own token says so', async (trigger) => {
    await ask(turn(trigger))
    expect(charged()).toBe(trigger)
  })

  test.each([
    ['it has no proof', () => ({})],
    ['it has only a header', () => ({ 'x-berth-trigger': 'chat' })],
    ['the token is another user’s', () => turn('chat', 'prm_1', 'usr_other')],
    ['the token is invalid', () => ({ 'x-berth-turn': 'chat' })],
  ])('is trusted least when %s', async (_, headers) => {
    await ask(headers())
    expect(charged()).toBe('heartbeat')
  })

  test.each([
    ['chat', 'schedule', 'schedule'],
    ['schedule', 'chat', 'schedule'],
    ['tool', 'heartbeat', 'heartbeat'],
  ])('with a header that lowers %s becomes %s: %s', async (proven, header, expected) => {
    await ask({ ...turn(proven), 'x-berth-trigger': header })
    expect(charged()).toBe(expected)
  })
})

describe('an agent that repeats itself', () => {
  const repeat = async (times: number, headers = {}) => {
    for (let i = 0; i < times; i++) expect((await ask(headers)).status).toBe(200)
  }

  test('is stopped with a message to its user, once, and continues later (openclaw #98556: $248 of silent heartbeats)', async () => {
    await repeat(alikeLimit)
    const calls = upstream.seen.length
    const stopped = await ask()
    expect(stopped).toMatchObject({
      status: 429,
      retryAfter: repetitionPauseMs / 1_000,
      body: { error: 'repeated-calls' },
    })
    expect(stopped.body.message).toContain('repeats itself')
    expect((await ask({}, 'Something else')).status).toBe(429)
    expect(upstream.seen).toHaveLength(calls)
    expect(proxy.informed.events.filter(({ type }) => type === 'instance.runaway')).toHaveLength(1)
    expect(proxy.books.state.holds).toEqual({})
    const now = Date.now()
    jest.spyOn(Date, 'now').mockReturnValue(now + repetitionPauseMs + 1)
    expect((await ask()).status).toBe(200)
  })

  test('continues at once when its user writes', async () => {
    await repeat(alikeLimit, turn('chat', 'prm_1'))
    expect((await ask(turn('chat', 'prm_1'))).status).toBe(429)
    expect((await ask(turn('chat', 'prm_2'))).status).toBe(200)
  })

  test('is not assumed while it makes progress: results of tools differ', async () => {
    for (let i = 0; i < alikeLimit * 2; i++) {
      const more = [{ role: 'tool', tool_call_id: `c${i}`, content: `result ${i}` }]
      expect((await ask({}, 'Work.', more)).status).toBe(200)
    }
  })

  test('is detected when its tool returns the same under ever new ids', async () => {
    for (let i = 0; i <= alikeLimit; i++) {
      const more = [{ role: 'tool', tool_call_id: `c${i}`, content: 'not found' }]
      expect((await ask({}, 'Work.', more)).status).toBe(i < alikeLimit ? 200 : 429)
    }
  })
})

test('a provider that reports more usage than was held is paid up to balance and caps, and operators get an alarm', async () => {
  upstream.use(answering(200, { choices: [{ message: { content: 'Hi' } }], usage: usage(10_000_000, 10_000_000) }))
  expect((await ask()).status).toBe(200)
  const receipt = proxy.books.lines[0]?.receipt
  expect(proxy.books.lines[0]?.amountMicros).toBe(-((receipt?.heldMicros ?? 0) + newCaps.day))
  const aboveHold = 20_000_000 - (receipt?.heldMicros ?? 0)
  const facts = { model: 'local/echo', callId: expect.any(String), carried: expect.stringContaining('messages') }
  expect(raised).toEqual([['CostAboveHoldMicros', aboveHold, facts]])
})
