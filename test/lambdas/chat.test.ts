import { applyPaymentEvent } from '../../app/billing/apply-event.ts'
import { newCheckout } from '../../domain/billing/checkout.ts'
import { messageLimits } from '../../domain/chat/message-limits.ts'
import { minuteMs } from '../../domain/time.ts'
import { chatArea } from '../../lambdas/chat/index.ts'
import { type KeptText, sentMessage, stoppedMessage } from '../../lib/reports/counts.ts'
import { counted, type Units, unitsOf } from '../adapters/engine.ts'
import { openWorld, type Tenant, type World } from '../world.ts'

let world: World
let published: string[]
beforeAll(async () => {
  world = await openWorld({
    areas: [chatArea],
    ports: ['checkouts', 'gracePeriods', 'payments', 'mail'],
    replace: () => ({ bus: { publish: async (_, userId) => void published.push(userId) } }),
  })
})
beforeEach(() => {
  published = []
})
afterAll(() => world.close())

const asleep = () => world.tenant({ state: 'paused', desiredState: 'paused', reason: 'idle' })
const send = async ({ userId }: Tenant, text = 'Hello') =>
  world.request({
    method: 'POST',
    path: '/chat/messages',
    body: { text },
    headers: (await world.session(userId)).headers,
  })
const wantedState = async ({ userId }: Tenant) => (await world.ports.instances.find(userId))?.desiredState
const credit = ({ userId }: Tenant) =>
  world.ports.wallets.creditOnce(userId, 'gift', 5_000_000, 'adjustment', 'Gift', '2026-11-20T12:00:00.000Z')

describe('a message to a sleeping agent', () => {
  test('wakes it when the wallet can pay for a reply', async () => {
    const tenant = await asleep()
    await credit(tenant)
    expect(await send(tenant)).toMatchObject({ status: 202, body: { waiting: null } })
    expect(await wantedState(tenant)).toBe('running')
  })

  test('is stored without waking it when the wallet is empty, and the response says why', async () => {
    const tenant = await asleep()
    const { status, body } = await send(tenant)
    expect([status, body.waiting.error]).toEqual([202, 'wallet-empty'])
    expect(body.waiting.message).toContain('wallet page')
    expect([await wantedState(tenant), published]).toEqual(['paused', []])
    expect(await world.ports.conversations.openSince(tenant.userId, 0)).toBe(true)
  })

  test('wakes it after a top-up', async () => {
    const tenant = await asleep()
    await send(tenant)
    const { userId } = tenant
    const id = world.nextId('chk')
    await world.ports.checkouts.create(
      newCheckout(id, { userId, kind: 'topup', amountMicros: 5_000_000 }, world.clock.nowMs),
    )
    await world.ports.checkouts.setSession(userId, id, 'cs_1')
    const paid = { kind: 'topup-paid', userId, checkoutId: id, sessionId: 'cs_1', paymentId: 'pi_1' } as const
    await applyPaymentEvent(
      world.ports,
      { ...paid, amountMicros: 5_000_000, createdSeconds: 1 } as never,
      world.clock.nowMs,
    ) // safe because it has the fields that are read
    expect([await wantedState(tenant), published]).toEqual(['running', [userId]])
  })
})

describe('the conversation', () => {
  test('is read page by page, backwards and forwards', async () => {
    const tenant = await world.tenant()
    const { headers } = await world.session(tenant.userId)
    const texts = ['a', 'b', 'c', 'd', 'e']
    for (const text of texts) {
      world.clock.nowMs += 1
      await send(tenant, text)
    }
    const page = async (query: object) => (await world.request({ path: '/chat/messages', query, headers })).body
    const textsOf = ({ messages, more }: { messages: { text: string }[]; more: boolean }) => [
      messages.map(({ text }) => text).join(''),
      more,
    ]
    const newest = await page({ limit: '2' })
    const middle = await page({ limit: '2', before: newest.messages[0].id })
    const oldest = await page({ limit: '2', before: middle.messages[0].id })
    expect([newest, middle, oldest].map(textsOf)).toEqual([
      ['de', true],
      ['bc', true],
      ['a', false],
    ])
    expect(textsOf(await page({ limit: '2', after: oldest.messages[0].id }))).toEqual(['bc', true])
    expect(textsOf(await page({ limit: '2', after: middle.messages[1].id }))).toEqual(['de', false])
    expect(textsOf(await page({ limit: '5' }))).toEqual(['abcde', false])
    const both = await page({ before: newest.messages[0].id, after: oldest.messages[0].id })
    expect([both.error, Object.keys(both.details)]).toEqual(['validation', ['before']])
  })
})

describe('searchMessages finds', () => {
  const search = async ({ userId }: Tenant, query: Record<string, string>) =>
    (await world.request({ path: '/chat/search', query, headers: (await world.session(userId)).headers })).body
  const say = async (tenant: Tenant, text: string, conversation = 'main') => {
    world.clock.nowMs += 1
    const { headers } = await world.session(tenant.userId)
    await world.request({ method: 'POST', path: '/chat/messages', body: { text, conversation }, headers })
  }
  const texts = ({ found }: { found: { excerpt: string }[] }) => found.map(({ excerpt }) => excerpt)

  test('messages in all conversations or in one, newest first, and none of other users', async () => {
    const [ada, bob] = [await world.tenant(), await world.tenant()]
    const { headers } = await world.session(ada.userId)
    const started = await world.request({ method: 'POST', path: '/chat/conversations', body: {}, headers })
    const { id } = started.body.conversation
    await say(ada, 'The tide is low', id)
    await say(ada, 'The first tide')
    await say(ada, 'No water')
    await say(ada, 'The second TIDE')
    await say(bob, 'A tide of another')
    expect(texts(await search(ada, { text: 'tide' }))).toEqual(['The second TIDE', 'The first tide', 'The tide is low'])
    expect(texts(await search(ada, { text: 'tide', conversation: id }))).toEqual(['The tide is low'])
    expect(texts(await search(ada, { text: 'tide', conversation: 'main' }))).toHaveLength(2)
    expect(await search(ada, { text: 'whale' })).toMatchObject({ found: [], nextCursor: null })
    expect((await search(ada, { text: ' a ' })).error).toBe('validation')
  })

  test('old messages, page by page, each once', async () => {
    const tenant = await world.tenant()
    const { conversations } = world.ports
    for (let at = 0; at < 1_102; at++)
      await conversations.receive(
        tenant.userId,
        {
          id: world.nextId('msg'),
          role: 'user',
          text: at % 11 === 0 ? `tide ${at}` : 'x',
          conversation: 'main',
          channel: 'web',
          at: '2026-11-20T12:00:00.000Z',
        },
        'chat',
      )
    const found: string[] = []
    let cursor: string | null = null
    let pages = 0
    do {
      const page: { found: { excerpt: string }[]; nextCursor: string | null; searchedTo: string } = await search(
        tenant,
        {
          text: 'tide',
          ...(cursor && { cursor }),
        },
      )
      found.push(...texts(page))
      cursor = page.nextCursor
      pages++
    } while (cursor)
    expect(found).toEqual(Array.from({ length: 101 }, (_, at) => `tide ${1_100 - at * 11}`))
    expect(pages).toBeLessThanOrEqual(4)
  })
})

test.each([
  ['Hello', 1],
  ['ä'.repeat(16_000), 32_000],
])('a message takes at most the calculated number of store units: %#', async (text, bytes) => {
  const tenant = await world.tenant({ state: 'running' })
  await credit(tenant)
  const { headers } = await world.session(tenant.userId)
  const sent = { method: 'POST', path: '/chat/messages', body: { text }, headers }
  const { result, calls } = await counted(() => world.request(sent))
  expect(result.status).toBe(202)
  const stop = { method: 'POST', path: '/chat/messages/{id}/stop', parameters: { id: result.body.message.id }, headers }
  const stopped = await counted(() => world.request(stop))
  expect(stopped.result.status).toBe(200)
  const kib = bytes / 1024
  const most = (of: KeptText, readsPerKib = 0) => ({
    reads: of.reads + Math.ceil(kib * readsPerKib),
    writes: of.writes + Math.ceil(kib) * of.writesPerKib,
  })
  expect(within(unitsOf(calls), most(sentMessage))).toBe(true)
  expect(within(unitsOf(stopped.calls), most(stoppedMessage, stoppedMessage.readsPerKib))).toBe(true)
})

const within = (units: Units, most: Units): boolean => units.reads <= most.reads && units.writes <= most.writes

test('a message above the limit of waiting ones is a conflict with the next step, from any number of tokens', async () => {
  const tenant = await world.tenant({ state: 'paused', desiredState: 'paused', reason: 'user' })
  const tokens = await Promise.all(Array.from({ length: 6 }, () => world.bearer(['api:chat'], tenant.userId)))
  const seen: Record<number, number> = {}
  for (let i = 0; i < 20; i++) {
    await Promise.all(
      tokens.map(async ({ headers }) => {
        const body = { text: 'x'.repeat(32_000) }
        const answer = await world.request({ method: 'POST', path: '/chat/messages', body, headers })
        seen[answer.status] = (seen[answer.status] ?? 0) + 1
        if (answer.status === 409) expect(answer.body).toMatchObject({ error: 'conflict' })
        if (answer.status === 409) expect(answer.body.message).toContain('Resume the agent')
      }),
    )
    // All of the user's tokens together may write 30 times a minute.
    if (i % 5 === 4) world.clock.nowMs += 2 * minuteMs
  }
  const most = Math.floor(messageLimits('starter').waitingBytes / 32_000)
  expect(seen).toEqual({ 202: most, 409: 120 - most })
})
