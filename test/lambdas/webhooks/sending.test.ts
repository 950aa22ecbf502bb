import { dayMs, hourMs, minuteMs, secondMs } from '../../../domain/time.ts'
import { waitsMs } from '../../../domain/webhooks/delivery.ts'
import { unwantedEvent, webhookDelivery } from '../../../lib/reports/counts.ts'
import { counted, unitsOf } from '../../adapters/engine.ts'
import { openWebhooksWorld, silence, status, type WebhooksWorld } from './webhooks-world.ts'

let world: WebhooksWorld
beforeAll(async () => {
  world = await openWebhooksWorld()
})
beforeEach(() => {
  for (const list of [world.received, world.published, world.mails]) list.length = 0
  world.net.busDown = false
  world.answers.clear()
})
afterAll(() => world.close())

const sentTo = (url: string) => world.received.filter((got) => got.url === url).length

describe('an event', () => {
  test('is sent to each subscribed endpoint of its user, signed, in the form of the event stream', async () => {
    const me = await world.owner(['wallet.low'])
    const other = { ...me, ...(await world.newEndpoint(me, ['message.sent'], 'https://other.example.com/')) }
    const foreign = await world.owner()
    const happened = world.event('wallet.low', { balanceMicros: 5 })
    await world.tell(me.userId, happened)
    await world.send()
    expect(world.received).toHaveLength(1)
    const [got] = world.received
    if (!got) throw new Error('nothing was sent')
    expect(JSON.parse(got.body)).toEqual(happened)
    expect([got.url, got.headers['webhook-id']]).toEqual([me.url, happened.id])
    expect(world.believes(me.secret, got)).toBe(true)
    expect(world.believes(other.secret, got)).toBe(false)
    expect(world.believes(me.secret, { ...got, body: got.body.replace('5', '6') })).toBe(false)
    expect(await world.deliveries(foreign)).toEqual([])
    expect(await world.deliveries(me)).toEqual([
      expect.objectContaining({ id: happened.id, type: 'wallet.low', state: 'delivered', cancelled: null }),
    ])
  })

  test('is delivered once when the stream repeats it', async () => {
    const me = await world.owner()
    const happened = world.event()
    await Promise.all([world.tell(me.userId, happened), world.tell(me.userId, happened)])
    await world.send()
    await world.tell(me.userId, happened)
    await world.send()
    await world.pass(hourMs)
    expect(world.received).toHaveLength(1)
  })

  test('is sent by the sweep when the bus is down', async () => {
    const me = await world.owner()
    world.net.busDown = true
    await world.tell(me.userId)
    world.net.busDown = false
    await world.send()
    expect(world.received).toEqual([])
    await world.pass(2 * minuteMs)
    expect(world.received).toHaveLength(1)
  })

  test.each([0, 30_000])(
    'costs as much as the cost page says, with or without a subscription: %i bytes of text',
    async (length) => {
      const cost = async (userId: string) => {
        const happened = world.event('wallet.low', { text: 'x'.repeat(length) })
        const { calls } = await counted(async () => {
          await world.tell(userId, happened)
          await world.send()
        })
        const units = unitsOf(calls)
        const kib = Math.floor(JSON.stringify(happened).length / 1024)
        return { reads: units.reads, writes: units.writes - kib * webhookDelivery.writesPerKib }
      }
      const [me, nobody] = [await world.owner(), await world.tenant()]
      const { reads, writes } = webhookDelivery
      expect(await cost(me.userId)).toEqual({ reads, writes })
      expect(await cost(nobody.userId)).toMatchObject({ reads: unwantedEvent.units })
    },
  )

  test('for a closed account is sent to nobody', async () => {
    const me = await world.owner()
    await world.ports.users.scheduleErasure(me.userId, new Date(world.clock.nowMs).toISOString(), world.clock.nowMs)
    await world.tell(me.userId)
    expect(await world.ports.webhooks.deliveries(me.userId, me.id, { after: null, limit: 9 })).toMatchObject({
      items: [],
    })
  })

  test('above the hourly limit is not sent, and the endpoint’s owner sees that', async () => {
    const me = await world.owner()
    const { deliveriesAnHour } = (await world.ask(me, 'GET', '')).body
    for (let told = 0; told < deliveriesAnHour + 3; told++) await world.tell(me.userId)
    await world.send()
    expect(world.received).toHaveLength(deliveriesAnHour)
    expect((await world.shown(me)).missedAt).not.toBeNull()
  })

  test('is not sent to endpoints of erased accounts, because their records are deleted', async () => {
    const me = await world.owner()
    await world.tell(me.userId)
    const { erasure } = await import('../../../adapters/dynamo/account/erasure.ts')
    await erasure(world.env).deletePersonalData(me.userId)
    await world.send()
    await world.pass(hourMs)
    expect(world.received).toEqual([])
    expect(await world.ports.webhooks.endpoints(me.userId)).toEqual([])
  })
})

describe('a failed delivery', () => {
  test('is retried at once and after each wait, for a day, under one id, and then given up', async () => {
    const me = await world.owner()
    world.answers.set(me.url, () => status(500))
    const startMs = world.clock.nowMs
    await world.tell(me.userId)
    await world.send()
    await world.pass(dayMs + 2 * hourMs)
    const [{ state, tries, nextTryAt, id }] = await world.deliveries(me)
    expect([state, nextTryAt, tries.length]).toEqual(['failed', null, waitsMs.length + 1])
    expect(new Set(world.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]))
    expect(new Set(world.received.map(({ body }) => body)).size).toBe(1)
    expect(world.received.every((got) => world.believes(me.secret, got))).toBe(true)
    const waited = world.received.map(({ atMs }) => atMs - startMs)
    expect(waited[0]).toBe(0)
    expect(waited[1]).toBeGreaterThanOrEqual(5 * secondMs)
    expect(waited[1]).toBeLessThan(6 * secondMs)
    expect(waited.at(-1)).toBeGreaterThan(22 * hourMs)
    expect(waited.at(-1)).toBeLessThan(dayMs)
    const steps = world.received.slice(1).map(({ atMs }, i) => atMs - (world.received[i]?.atMs ?? 0))
    for (const [i, step] of steps.entries()) expect(step).toBeGreaterThanOrEqual(waitsMs[i] ?? 0)
  })

  test('is not retried before the endpoint’s stated time, and neither is any other', async () => {
    const me = await world.owner()
    world.answers.set(me.url, () => status(429, 1_200))
    const startMs = world.clock.nowMs
    await world.tell(me.userId)
    await world.send()
    await world.tell(me.userId)
    await world.send()
    expect(world.received).toHaveLength(1)
    world.answers.delete(me.url)
    await world.pass(hourMs)
    expect(world.received).toHaveLength(3)
    for (const { atMs } of world.received.slice(1)) expect(atMs - startMs).toBeGreaterThanOrEqual(1_200_000)
  })

  test('with a stated wait of more than a day is given up', async () => {
    const me = await world.owner()
    world.answers.set(me.url, () => status(503, 86_400))
    await world.tell(me.userId)
    world.clock.nowMs += secondMs
    await world.send()
    expect(await world.deliveries(me)).toMatchObject([{ state: 'failed' }])
  })

  test('pauses its endpoint after three in a row, first for a minute, then longer; all are sent after its recovery', async () => {
    const me = await world.owner()
    world.answers.set(me.url, () => silence)
    for (let told = 0; told < 20; told++) await world.tell(me.userId)
    await world.send()
    // Four requests were running at once.
    expect(world.received.length).toBeLessThanOrEqual(4)
    await world.pass(4 * hourMs)
    expect(world.received.length).toBeLessThan(40)
    world.answers.delete(me.url)
    const states = async () => (await world.deliveries(me)).map(({ state }: { state: string }) => state)
    await world.pass(2 * hourMs)
    // A request that a busy machine lets time out is repeated after some hours.
    if ((await states()).includes('pending')) await world.pass(24 * hourMs)
    expect(await states()).toEqual(Array.from({ length: 20 }, () => 'delivered'))
    expect(await world.shown(me)).toMatchObject({ failingSince: null, disabled: null })
  })

  test('delays no other endpoint', async () => {
    const me = await world.owner(['*'], 'https://dead.example.com/')
    const { url } = await world.newEndpoint(me, ['*'], 'https://alive.example.com/')
    let answer = () => {}
    world.answers.set(
      me.url,
      () =>
        new Promise((done) => {
          answer = () => done(silence)
        }),
    )
    for (let told = 0; told < 9; told++) await world.tell(me.userId)
    const sending = world.send()
    while (world.received.filter((got) => got.url === url).length < 1) await new Promise(setImmediate)
    const [alive] = await world.ports.webhooks.endpoints(me.userId)
    expect(alive).toBeDefined()
    const tick = setInterval(() => answer(), 1)
    await sending
    clearInterval(tick)
    expect(world.received.filter((got) => got.url === url)).toHaveLength(9)
  })
})

describe('a failing endpoint', () => {
  test('is disabled after three days of failures, in one write with one e-mail', async () => {
    const me = await world.owner(['*'], 'https://lost.example.com/')
    world.answers.set(me.url, () => status(500))
    for (let day = 0; day < 3; day++) {
      await world.tell(me.userId)
      await world.tell(me.userId)
      await world.send()
      expect(await world.shown(me)).toMatchObject({ disabled: null })
      await world.pass(dayMs)
    }
    await world.tell(me.userId)
    await world.tell(me.userId)
    await world.send()
    await world.pass(2 * hourMs)
    expect(await world.shown(me)).toMatchObject({ disabled: 'failing' })
    const sent = world.received.length
    await world.runOutbox()
    await world.pass(dayMs)
    await world.runOutbox()
    expect(world.mails.slice(1)).toEqual([
      expect.objectContaining({
        to: `${me.userId.toLowerCase()}@example.com`,
        subject: 'Your webhook endpoint “My log” was disabled',
        text: expect.stringContaining('for three days'),
      }),
    ])
    expect(world.received).toHaveLength(sent)
    const states = new Set((await world.deliveries(me)).map(({ state }: { state: string }) => state))
    expect(states).toEqual(new Set(['failed']))
    // Its owner signs in and enables it, and its failure count starts again.
    const signedIn = { ...me, ...(await world.session(me.userId)) }
    expect((await world.ask(signedIn, 'PATCH', `/${me.id}`, { enabled: true })).status).toBe(200)
    expect(await world.shown(me)).toMatchObject({ disabled: null, failingSince: null })
    await world.tell(me.userId)
    await world.send()
    expect(await world.shown(me)).toMatchObject({ disabled: null })
  })

  test('is disabled at once by a 410, and its waiting deliveries are given up', async () => {
    const me = await world.owner(['*'], 'https://gone.example.com/')
    world.answers.set(me.url, () => status(410))
    for (let told = 0; told < 9; told++) await world.tell(me.userId)
    // Several senders get a 410 at the same time.
    world.published.push({ userId: me.userId, due: world.published.splice(0).flatMap(({ due }) => due) })
    await world.send()
    expect(await world.shown(me)).toMatchObject({ disabled: 'gone' })
    expect(sentTo(me.url)).toBeLessThanOrEqual(4)
    await world.pass(dayMs)
    expect(sentTo(me.url)).toBeLessThanOrEqual(4)
    expect(new Set((await world.deliveries(me)).map(({ state }: { state: string }) => state))).toEqual(
      new Set(['failed']),
    )
    await world.runOutbox()
    expect(world.mails.slice(1).map(({ text }) => text)).toEqual([expect.stringContaining('410')])
  })
})

describe('concurrent senders', () => {
  test('take each delivery once', async () => {
    const me = await world.owner()
    for (let told = 0; told < 12; told++) await world.tell(me.userId)
    world.published.push(
      ...world.published.map((each) => ({ ...each })),
      ...world.published.map((each) => ({ ...each })),
    )
    await Promise.all([world.send(), world.send(), world.send(), world.send()])
    expect(world.received).toHaveLength(12)
  })

  test('leave deliveries without enough time to the sweep', async () => {
    const me = await world.owner()
    world.answers.set(me.url, () => {
      world.clock.nowMs += 9 * secondMs
      return status(200)
    })
    const due: (typeof world.published)[number]['due'] = []
    for (let told = 0; told < 30; told++) await world.tell(me.userId)
    for (const each of world.published.splice(0)) due.push(...each.due)
    world.published.push({ userId: me.userId, due })
    await world.send()
    expect(world.received.length).toBeLessThan(12)
    world.answers.delete(me.url)
    await world.pass(5 * minuteMs)
    expect(world.received).toHaveLength(30)
  })
})
