import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { recheckMs } from '../../../domain/lifetimes.ts'
import { fallbackIds } from '../../../domain/models/catalogue.ts'
import { pricedModels } from '../../../domain/models/prices.ts'
import { type StopKind, stopName, stopsFreshMs, stopsRecheckFreshMs } from '../../../domain/operator/stops.ts'
import { iso } from '../../../domain/time.ts'
import { llmArea } from '../../../lambdas/llm/index.ts'
import { counted } from '../../adapters/engine.ts'
import { until } from '../../until.ts'
import { openWorld, type World } from '../../world.ts'
import { anthropic } from './format-cases.ts'
import { echo, modelsOver } from './ports.ts'
import { answering, delta, sse, startUpstream, usage } from './upstream.ts'

/** A model with a fallback for a failing provider. */
const first = pricedModels.find(({ id }) => id === 'anthropic/claude-haiku-4-5')
const second = pricedModels.find(({ id }) => first && fallbackIds(first.id).includes(id))
if (!first || !second) throw new Error('no model has a fallback')

let world: World
let upstream: Awaited<ReturnType<typeof startUpstream>>
const others = ['nextTick', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout', 'Date'] as const

beforeAll(async () => {
  upstream = await startUpstream()
  const models = modelsOver(upstream.url, [echo, anthropic.model, first, second])
  world = await openWorld({ areas: [llmArea], ports: ['users'], replace: () => ({ models }) })
})
beforeEach(() => {
  upstream.use(answering(200, { choices: [{ message: { content: 'Hi' } }], usage: usage(1_000, 10) }))
})
afterEach(async () => {
  upstream.drop()
  await set({})
  await world.ports.denials.current(0)
  jest.useRealTimers()
  jest.restoreAllMocks()
})
afterAll(async () => {
  await world.close()
  await upstream.close()
})

let aheadMs = 0
/** Moves the clock of the functions' caches. */
function later(ms: number): void {
  aheadMs += ms
  jest.spyOn(Date, 'now').mockImplementation(() => Math.round(performance.timeOrigin + performance.now()) + aheadMs)
}

const because = { reason: 'leaking', at: iso(0), by: 'ada' }
async function set(stops: Record<string, typeof because>): Promise<void> {
  const seen = await world.ports.denials.find()
  expect(await world.ports.denials.save({ fields: {}, stops }, seen)).toBe(true)
}
const stopIt = (kind: StopKind, what = '') => set({ [stopName(kind, what)]: because })

/** A machine whose user has money, with functions that call by its token. */
async function running() {
  const tenant = await world.tenant({ generation: 1 })
  const { userId } = tenant
  await world.ports.wallets.creditOnce(userId, 'start', 10_000_000, 'adjustment', 'Start', iso(world.clock.nowMs))
  const token = await world.machine(tenant, 'llm', 1)
  const call = (path = '/llm/proxy', body: object = hello) =>
    world.request({ method: 'POST', path, headers: token, body })
  return { userId, call, wallet: () => world.ports.wallets.read(userId) }
}
const hello = { model: 'local/echo', messages: [{ role: 'user', content: 'Anything to do?' }], max_tokens: 100 }

describe('a block by an operator', () => {
  test.each([
    ['all', () => ''],
    ['user', (userId: string) => userId],
    ['provider', () => 'local'],
    ['model', () => 'local/echo'],
    ['model', () => 'echo'],
  ] as const)(
    'of %s: no call begins within ten seconds, nothing is held, and calls work again after a resume',
    async (kind, what) => {
      const { userId, call, wallet } = await running()
      expect((await call()).status).toBe(200)
      const before = await wallet()
      const sent = upstream.seen.length
      await stopIt(kind, what(userId))
      later(stopsFreshMs)
      const refused = await call()
      expect(refused).toMatchObject({ status: 403, body: { error: 'forbidden' } })
      expect(JSON.stringify(refused.body)).toMatch(/the operator of this service/i)
      expect(JSON.stringify(refused.body)).not.toContain('leaking')
      expect(upstream.seen.length).toBe(sent)
      expect((await wallet()).available).toBe(before.available)
      await set({})
      later(stopsFreshMs)
      expect((await call()).status).toBe(200)
    },
  )

  test('is reported in the format of the address’s vendor', async () => {
    const { call } = await running()
    await stopIt('all')
    later(stopsFreshMs)
    const message = expect.stringContaining('operator of this service')
    expect((await call('/llm/proxy/v1/chat/completions')).body).toEqual({
      error: { message, type: 'permission_error', code: 'forbidden', param: null },
    })
    expect((await call('/llm/proxy/v1/messages', anthropic.ask)).body).toEqual({
      type: 'error',
      error: { type: 'permission_error', message, code: 'forbidden' },
    })
  })

  test('affects nobody else', async () => {
    const [one, other] = [await running(), await running()]
    await stopIt('user', one.userId)
    later(stopsFreshMs)
    expect([(await one.call()).status, (await other.call()).status]).toEqual([403, 200])
    await set({ [stopName('model', anthropic.model.id)]: because, [stopName('provider', 'nobody')]: because })
    later(stopsFreshMs)
    expect([(await one.call()).status, (await other.call()).status]).toEqual([200, 200])
  })

  test('is read once in ten seconds for all calls, together with the denied fields', async () => {
    const { call } = await running()
    await call()
    later(stopsFreshMs)
    const reads = async () => (await counted(() => call())).calls.length
    const [cold, warm] = [await reads(), await reads()]
    expect(cold - warm).toBe(1)
  })

  test('prevents a fallback to a blocked model', async () => {
    const { call } = await running()
    const ask = { ...anthropic.ask, model: first.id, max_tokens: 10 }
    upstream.use(answering(500, {}))
    await call('/llm/proxy/v1/messages', ask)
    const asked = () => new Set(upstream.seen.splice(0).map(({ headers }) => headers['x-model']))
    expect(asked()).toEqual(new Set([first.id, second.id]))
    await stopIt('provider', second.provider)
    later(stopsFreshMs)
    await call('/llm/proxy/v1/messages', ask)
    expect(asked()).toEqual(new Set([first.id]))
  })
})

describe('a running response', () => {
  test('checks often enough to end within 15 s', () => {
    expect(recheckMs + stopsRecheckFreshMs).toBeLessThanOrEqual(14_500)
  })

  test.each([
    ['all', () => ''],
    ['user', (userId: string) => userId],
    ['model', () => 'local/echo'],
    ['provider', () => 'local'],
  ] as const)('blocked by %s is ended at the next check, and pays for its used part', async (kind, what) => {
    const { userId, call, wallet } = await running()
    const began = Promise.withResolvers<void>()
    let isLetGo = false
    upstream.use((response) => {
      response.on('close', () => {
        isLetGo = true
      })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(sse(delta('Some words of an answer that goes on')))
      began.resolve()
    })
    jest.useFakeTimers({ doNotFake: [...others, 'performance', 'hrtime', 'queueMicrotask'] })
    const answer = call('/llm/proxy', { ...hello, stream: true })
    await began.promise
    await jest.advanceTimersByTimeAsync(recheckMs - stopsRecheckFreshMs)
    expect(isLetGo).toBe(false)
    await stopIt(kind, what(userId))
    later(stopsRecheckFreshMs)
    await jest.advanceTimersByTimeAsync(stopsRecheckFreshMs)
    const wasCut = await until(() => isLetGo, 3_000).catch(() => false)
    upstream.drop()
    await answer
    expect(wasCut).toBe(true)
    const { items } = await world.ports.wallets.transactions(userId, { after: null, limit: 5, type: 'usage' })
    expect(items).toMatchObject([{ receipt: { settledBecause: 'interrupted' } }])
    expect(await wallet()).toMatchObject({ holds: {} })
  })
})
