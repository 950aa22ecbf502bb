import { receiveMessage } from '../../../app/chat/receive-message.ts'
import type { InstanceRecord } from '../../../domain/instance/instance.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { alikeLimit } from '../../../domain/models/call-limits.ts'
import { limits } from '../../../domain/rates/rate-limits.ts'
import { dayMs, iso, minuteMs } from '../../../domain/time.ts'
import { turnClaims } from '../../../domain/tokens/machine-token.ts'
import { chatArea } from '../../../lambdas/chat/index.ts'
import { llmArea } from '../../../lambdas/llm/index.ts'
import { counted } from '../../adapters/engine.ts'
import { openWorld, type Tenant, type World } from '../../world.ts'
import { modelsOver } from './ports.ts'
import { answering, startUpstream, usage } from './upstream.ts'

let world: World
let upstream: Awaited<ReturnType<typeof startUpstream>>
let ask: ReturnType<World['areaHandler']>

beforeAll(async () => {
  upstream = await startUpstream()
  upstream.use(answering(200, { choices: [{ message: { content: 'Hi' } }], usage: usage(1_000, 10) }))
  world = await openWorld({
    areas: [llmArea],
    ports: ['conversations'],
    replace: () => ({ models: modelsOver(upstream.url) }),
  })
})
beforeEach(() => {
  ask = world.areaHandler(llmArea)
})
afterAll(async () => {
  await world.close()
  await upstream.close()
})

/** A tenant with money and a live machine of generation 2; generation 1 is a dead machine's. */
async function running() {
  const tenant = await world.tenant({ generation: 2 })
  await world.ports.wallets.creditOnce(
    tenant.userId,
    'start',
    100_000_000,
    'adjustment',
    'Start',
    '2026-11-20T12:00:00.000Z',
  )
  return tenant
}

async function call(
  tenant: Tenant,
  generation: number,
  body: object | string = hello,
  more: Record<string, string> = {},
) {
  const headers = { ...(await world.machine(tenant, 'llm', generation)), ...more }
  const answer = await ask({ method: 'POST', path: '/llm/proxy', headers, body })
  if (typeof answer.body !== 'string') for await (const _ of answer.body as AsyncIterable<unknown>);
  await answer.done
  return {
    status: answer.status,
    headers: answer.headers,
    code: typeof answer.body === 'string' ? JSON.parse(answer.body).error : null,
  }
}
const hello = { messages: [{ role: 'user', content: 'Anything to do?' }] }

describe('a dead machine’s token', () => {
  test.each([
    ['a body that is not JSON', '{"messages"'],
    ['a denied field', { ...hello, background: true }],
    ['a model that is not offered', { ...hello, model: 'no/such' }],
  ])('with %s returns 401, without details about the request', async (_, body) => {
    const answer = await call(await running(), 1, body)
    expect(answer).toMatchObject({ status: 401, code: 'unauthorized' })
    expect(answer.headers).not.toHaveProperty('X-Machine-Token')
  })

  test('is never renewed, unlike the live machine’s', async () => {
    const tenant = await running()
    const half = 31 * 60_000
    const headers = [await world.machine(tenant, 'llm', 1), await world.machine(tenant, 'llm', 2)]
    world.clock.nowMs += half
    const [dead, alive] = await Promise.all(
      headers.map((header) => ask({ method: 'POST', path: '/llm/proxy', headers: header, body: hello })),
    )
    world.clock.nowMs -= half
    expect([dead?.status, alive?.status]).toEqual([401, 200])
    expect(dead?.headers).not.toHaveProperty('X-Machine-Token')
    expect(alive?.headers).toHaveProperty('X-Machine-Token')
    await alive?.done
  })

  test('used repeatedly does not stop the live machine', async () => {
    const tenant = await running()
    for (let i = 0; i < alikeLimit + 5; i++) expect((await call(tenant, 1)).status).toBe(401)
    expect((await call(tenant, 2)).status).toBe(200)
  })

  test('returns 401 even when the live machine is stopped for repeating itself', async () => {
    const tenant = await running()
    for (let i = 0; i < alikeLimit; i++) expect((await call(tenant, 2)).status).toBe(200)
    expect((await call(tenant, 1)).status).toBe(401)
    expect(await call(tenant, 2)).toMatchObject({ status: 429, headers: { 'Retry-After': '600' } })
    world.clock.nowMs += 60_000
    const headers = { 'Retry-After': '540', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '540' }
    expect(await call(tenant, 2)).toMatchObject({ status: 429, code: 'repeated-calls', headers })
    expect((await call(tenant, 1)).status).toBe(401)
  })
})

describe('a refused model call', () => {
  test('counts in the rate window, and the response says so', async () => {
    const tenant = await running()
    const answers = []
    for (let i = 0; i < limits.llm + 10; i++) answers.push(await call(tenant, 2, '{'))
    expect(answers[0]?.headers).toMatchObject({ 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '59' })
    expect(answers.map(({ status }) => status)).toEqual([...Array(limits.llm).fill(400), ...Array(10).fill(429)])
  })

  test('counts in one window for all generations of a user’s machine, and for the user’s next instance', async () => {
    const tenant = await running()
    const { userId, instance } = tenant
    for (let i = 0; i < limits.llm; i++) await call(tenant, 2, '{')
    const next: InstanceRecord = { ...instance, generation: 3, version: instance.version + 1 }
    expect(await world.ports.instances.save(next, instance)).toBe(true)
    expect((await call({ userId, instance: next }, 3, '{')).status).toBe(429)
    const deleted: InstanceRecord = { ...next, state: 'deleted', version: next.version + 1 }
    expect(await world.ports.instances.save(deleted, next)).toBe(true)
    const made = newInstance({ instanceId: world.nextId('ins'), userId }, 'basic', '1', world.clock.nowMs)
    const again: InstanceRecord = { ...made, state: 'running', generation: 4, deadlineMs: null }
    expect(await world.ports.instances.create(again)).toBe(true)
    expect((await call({ userId, instance: again }, 4, '{')).status).toBe(429)
    world.clock.nowMs += 2 * minuteMs
    expect((await call({ userId, instance: again }, 4, '{')).status).toBe(400)
  })

  test('costs one store request, and none once the window is full', async () => {
    const tenant = await running()
    expect((await counted(() => call(tenant, 2, '{'))).calls).toHaveLength(1)
    for (let i = 0; i < limits.llm; i++) await call(tenant, 2, '{')
    expect((await counted(() => call(tenant, 2, '{'))).calls).toHaveLength(0)
  })

  test('without money gets the same answer, however often it is repeated', async () => {
    const tenant = await world.tenant({ generation: 2 })
    for (let i = 0; i < limits.llm + 5; i++) {
      const { status, code, headers } = await call(tenant, 2)
      expect([status, code]).toEqual([402, 'wallet-empty'])
      expect(Number(headers['X-RateLimit-Remaining'])).toBe(Math.max(0, limits.llm - i - 1))
    }
  })

  test('without money gets that answer also after the agent was stopped for repeating itself', async () => {
    const tenant = await running()
    for (let i = 0; i < alikeLimit; i++) await call(tenant, 2)
    expect(await call(tenant, 2)).toMatchObject({ status: 429, code: 'repeated-calls' })
    const { available } = await world.ports.wallets.read(tenant.userId)
    const debit = { type: 'adjustment', description: 'End', at: '2026-11-20T12:00:00.000Z' } as const
    await world.ports.wallets.debitOnce(tenant.userId, { key: 'end', payment: null, amountMicros: available, ...debit })
    expect(await call(tenant, 2)).toMatchObject({ status: 402, code: 'wallet-empty' })
  })

  test('because of a spending limit or a suspension differs from one with an empty wallet', async () => {
    const tenant = await running()
    const { caps } = await world.ports.wallets.read(tenant.userId)
    await world.ports.wallets.setCaps(tenant.userId, { ...caps, day: 0 }, world.clock.nowMs)
    expect(await call(tenant, 2)).toMatchObject({ status: 402, code: 'spending-limit' })
    await world.ports.wallets.freeze(tenant.userId, 'fraud warning', world.clock.nowMs)
    expect(await call(tenant, 2)).toMatchObject({ status: 402, code: 'wallet-suspended' })
  })
})

describe('a reached spending limit', () => {
  const told = async ({ userId }: Tenant) =>
    (await world.ports.events.after(userId, 'evt_', 50)).filter(({ type }) => type === 'wallet.limit_reached')
  /** A tenant whose wallet allows no spending today. */
  async function capped(cap: 'day' | 'heartbeat' = 'day') {
    const tenant = await running()
    const { caps } = await world.ports.wallets.read(tenant.userId)
    await world.ports.wallets.setCaps(tenant.userId, { ...caps, [cap]: 0 }, world.clock.nowMs)
    return { ...tenant, caps }
  }

  test('leads to one event at the first refused call, however many are refused concurrently and later', async () => {
    const tenant = await capped()
    const refused = { status: 402, code: 'spending-limit' }
    for (const answer of await Promise.all(Array.from({ length: 5 }, () => call(tenant, 2))))
      expect(answer).toMatchObject(refused)
    for (const _ of [1, 2]) {
      world.clock.nowMs += minuteMs
      expect(await call(tenant, 2)).toMatchObject(refused)
    }
    const period = iso(world.clock.nowMs).slice(0, 10)
    expect(await told(tenant)).toMatchObject([{ data: { of: 'day', period, capMicros: 0 } }])
  })

  test('costs the next refusals nothing', async () => {
    const tenant = await capped()
    const { calls } = await counted(() => call(tenant, 2))
    expect((await counted(() => call(tenant, 2))).calls).toHaveLength(calls.length - 1)
  })

  test('leads to a new event with another amount, by trigger, and on the next day', async () => {
    const tenant = await capped('heartbeat')
    const { userId, caps } = tenant
    await call(tenant, 2)
    await world.ports.wallets.setCaps(userId, { ...caps, heartbeat: 1 }, world.clock.nowMs)
    await call(tenant, 2)
    world.clock.nowMs += dayMs
    await call(tenant, 2)
    world.clock.nowMs -= dayMs
    expect((await told(tenant)).map(({ data }) => [data.of, data.capMicros])).toEqual([
      ['heartbeat', 0],
      ['heartbeat', 1],
      ['heartbeat', 1],
    ])
  })

  test('still refuses when the store fails to record it, and sends the event later', async () => {
    const tenant = await capped()
    const { noteReached } = world.ports.wallets
    world.ports.wallets.noteReached = () => Promise.reject(new Error('the store is down'))
    expect(await call(tenant, 2)).toMatchObject({ status: 402, code: 'spending-limit' })
    world.ports.wallets.noteReached = noteReached
    expect(await told(tenant)).toEqual([])
    world.clock.nowMs += minuteMs
    await call(tenant, 2)
    expect(await told(tenant)).toHaveLength(1)
  })
})

const proofOf = async ({ userId, instance }: Tenant, promptId: string) =>
  world.ports.machineTokens.sign(
    turnClaims(
      { userId, instanceId: instance.id, generation: 2 },
      { trigger: 'chat', id: promptId },
      world.clock.nowMs,
    ),
  )

/** A prompt that the machine has leased. */
async function leased(tenant: Tenant) {
  const deps = { ...world.ports, bus: { publish: async () => {} } }
  await receiveMessage(deps, tenant.userId, { text: 'Hello', conversation: 'main', channel: 'web' }, world.clock.nowMs)
  const { prompt } = await world.ports.conversations.next(tenant.userId, 2, world.clock.nowMs, {
    prompts: true,
    tasks: false,
  })
  if (!prompt) throw new Error('no prompt')
  return prompt.id
}

const triggerOf = async ({ userId }: Tenant) =>
  (await world.ports.wallets.transactions(userId, { after: null, limit: 1 })).items[0]?.receipt?.trigger

describe('the proof of a turn', () => {
  test('is not a credential: it buys nothing and is not renewed', async () => {
    const tenant = await running()
    const proof = await proofOf(tenant, await leased(tenant))
    for (const headers of [{ Authorization: `Bearer ${proof}` }, { 'x-api-key': proof }]) {
      const answer = await ask({ method: 'POST', path: '/llm/proxy', headers, body: hello })
      expect([answer.status, answer.headers['X-Machine-Token']]).toEqual([401, undefined])
    }
  })

  test('proves its trigger while its prompt is open, and nothing after that', async () => {
    const tenant = await running()
    const promptId = await leased(tenant)
    const headers = { 'x-berth-turn': await proofOf(tenant, promptId) }
    expect((await call(tenant, 2, hello, headers)).status).toBe(200)
    expect(await triggerOf(tenant)).toBe('chat')
    await world.ports.conversations.close(tenant.userId, promptId, 'completed')
    world.clock.nowMs += 1_000
    expect((await call(tenant, 2, hello, headers)).status).toBe(200)
    expect(await triggerOf(tenant)).toBe('heartbeat')
  })

  test('proves nothing about another prompt', async () => {
    const [tenant, other] = [await running(), await running()]
    const headers = { 'x-berth-turn': await proofOf(other, await leased(other)) }
    await call(tenant, 2, hello, headers)
    expect(await triggerOf(tenant)).toBe('heartbeat')
  })

  describe('getMessageCost', () => {
    const costOf = async ({ userId }: Tenant, promptId: string) => {
      const path = `/chat/messages/${promptId.replace('prm_', 'msg_')}/cost`
      const { headers } = await world.session(userId)
      return (await world.areaHandler(chatArea)({ method: 'GET', path, headers })) as { status: number; body: string }
    }

    test('returns the costs of its turn and the turn’s sub-agents, and nothing else', async () => {
      const [tenant, other] = [await running(), await running()]
      const promptId = await leased(tenant)
      const headers = { 'x-berth-turn': await proofOf(tenant, promptId) }
      await call(tenant, 2, hello, headers)
      for (const child of ['researcher', 'researcher', 'writer'])
        await call(tenant, 2, hello, { ...headers, 'x-berth-child': child })
      // A call without its proof belongs to no turn, whatever name it carries.
      await call(tenant, 2, hello, { 'x-berth-child': 'researcher' })
      expect((await call(tenant, 2, hello, { ...headers, 'x-berth-child': 'a b' })).status).toBe(400)
      const { items } = await world.ports.wallets.transactions(tenant.userId, { after: null, limit: 10 })
      const spent = items.filter(({ receipt }) => receipt?.promptId === promptId)
      expect(spent).toHaveLength(4)
      const callMicros = -(spent[0]?.amountMicros ?? 0)
      expect(callMicros).toBeGreaterThan(0)
      const { cost, calls, isWhole } = JSON.parse((await costOf(tenant, promptId)).body)
      expect([cost.calls, cost.amountMicros, isWhole]).toEqual([4, 4 * callMicros, true])
      expect(calls).toEqual(expect.arrayContaining(spent))
      expect(calls).toHaveLength(4)
      expect(cost.models).toMatchObject([{ calls: 4, amountMicros: 4 * callMicros }])
      // Ledger entries of the same millisecond are in any order.
      expect(
        cost.children.toSorted((one: { calls: number }, other: { calls: number }) => other.calls - one.calls),
      ).toEqual([
        { child: 'researcher', calls: 2, amountMicros: 2 * callMicros },
        { child: 'writer', calls: 1, amountMicros: callMicros },
      ])
      expect(JSON.parse((await costOf(other, promptId)).body).cost).toMatchObject({ calls: 0, amountMicros: 0 })
    })
  })
})

describe('getTurnCost', () => {
  const costOf = async (tenant: Tenant, headers: Record<string, string> = {}, generation = 2) => {
    const sent = { ...(await world.machine(tenant, 'llm', generation)), ...headers }
    const { status, body } = await ask({ method: 'GET', path: '/llm/proxy/cost', headers: sent })
    return { status, ...JSON.parse(String(body)) }
  }
  const spent = async ({ userId }: Tenant) =>
    (await world.ports.wallets.transactions(userId, { after: null, limit: 10 })).items
      .filter(({ type }) => type === 'usage')
      .reduce((sum, { amountMicros }) => sum - amountMicros, 0)

  test('returns the ledger’s costs of this turn and of the month, and of no other turn or user', async () => {
    const [tenant, other] = [await running(), await running()]
    await call(tenant, 2)
    const before = await spent(tenant)
    const promptId = await leased(tenant)
    const headers = { 'x-berth-turn': await proofOf(tenant, promptId) }
    expect(await costOf(tenant, headers)).toMatchObject({ status: 200, turn: { calls: 0, amountMicros: 0 } })
    world.clock.nowMs += 1_000
    for (let i = 0; i < 2; i++) await call(tenant, 2, { messages: [{ role: 'user', content: `${i}` }] }, headers)
    await call(other, 2)
    const all = await spent(tenant)
    expect(all).toBeGreaterThan(before)
    expect(await costOf(tenant, headers)).toEqual({
      status: 200,
      turn: expect.objectContaining({ calls: 2, amountMicros: all - before, children: [] }),
      month: { calls: 3, amountMicros: all, inputTokens: 3_000, outputTokens: 30 },
      availableMicros: 100_000_000 - all,
    })
    expect(await costOf(other, headers)).toMatchObject({ turn: null, month: { calls: 1 } })
    expect(await costOf(tenant)).toMatchObject({ turn: null, month: { calls: 3 } })
    await world.ports.conversations.close(tenant.userId, promptId, 'completed')
    expect(await costOf(tenant, headers)).toMatchObject({ turn: null })
    expect(await costOf(tenant, headers, 1)).toMatchObject({ status: 401, error: 'unauthorized' })
  })

  test('also counts calls of a schedule’s prompt', async () => {
    const tenant = await running()
    const promptId = await leased(tenant)
    const headers = { 'x-berth-turn': await proofOf(tenant, promptId), 'x-berth-trigger': 'schedule' }
    await call(tenant, 2, hello, headers)
    expect((await costOf(tenant, headers)).turn).toMatchObject({ calls: 1 })
    expect(await triggerOf(tenant)).toBe('schedule')
  })
})
