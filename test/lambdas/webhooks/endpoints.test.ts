import { plans } from '../../../domain/billing/plans.ts'
import { scopes } from '../../../domain/scopes.ts'
import { dayMs, hourMs, iso } from '../../../domain/time.ts'
import { openWebhooksWorld, type WebhooksWorld } from './webhooks-world.ts'

let world: WebhooksWorld
beforeAll(async () => {
  world = await openWebhooksWorld()
})
beforeEach(() => {
  for (const list of [world.received, world.published, world.mails]) list.length = 0
})
afterAll(() => world.close())

const [starter] = plans

test('the owner gets an e-mail when a session creates an endpoint, changes its URL or replaces its secret', async () => {
  const me = await world.owner(['*'], 'https://first.example.com/')
  await world.ask(me, 'PATCH', `/${me.id}`, { name: 'Another name', url: me.url })
  await world.ask(me, 'PATCH', `/${me.id}`, { url: 'https://second.example.com/' })
  await world.ask(me, 'POST', `/${me.id}/rotate`)
  expect(world.mails.map(({ to, subject }) => [to, subject])).toEqual(
    [
      'Events of your Berth account are sent to a new address',
      'A webhook endpoint of your Berth account has another address',
      'A webhook endpoint of your Berth account has a new secret',
    ].map((subject) => [`${me.userId.toLowerCase()}@example.com`, subject]),
  )
  expect(JSON.stringify(world.mails)).not.toContain(me.secret.slice(6, 20))
  const { headers } = await world.bearer([...scopes], me.userId)
  await world.ask({ headers }, 'POST', `/${me.id}/rotate`)
  expect(world.mails).toHaveLength(3)
})

describe('createWebhookEndpoint', () => {
  test('returns a secret once; the store has no secret', async () => {
    const me = await world.owner(['wallet.low', 'wallet.low', 'message.sent'])
    expect(me.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const { text, body } = await world.ask(me, 'GET', '')
    expect(body).toMatchObject({
      endpoints: [{ id: me.id, events: ['wallet.low', 'message.sent'], disabled: null, failingSince: null }],
      deliveriesAnHour: starter.webhookEndpoints.deliveriesAnHour,
    })
    const kept = JSON.stringify(await world.ports.webhooks.findEndpoint(me.userId, me.id))
    for (const shown of [text, kept]) {
      expect(shown).not.toContain('whsec_')
      expect(shown).not.toContain(me.secret.slice(6, 20))
    }
    const trail = await world.ports.audit.list(me.userId, { after: null, limit: 10 })
    expect(trail.items).toMatchObject([{ operation: 'createWebhookEndpoint', record: me.id }])
  })

  // https://github.com/growthbook/growthbook/issues/3252
  test('allows as many as the plan, however many concurrent requests there are', async () => {
    const me = await world.owner()
    const more = () =>
      world.newEndpoint(me).then(
        () => 'made',
        () => 'refused',
      )
    const made = await Promise.all(Array.from({ length: starter.webhookEndpoints.most + 2 }, more))
    expect(made.filter((each) => each === 'made')).toHaveLength(starter.webhookEndpoints.most - 1)
    expect((await world.ask(me, 'DELETE', `/${me.id}`)).status).toBe(200)
    expect((await world.ask(me, 'DELETE', `/${me.id}`)).status).toBe(404)
    expect(await more()).toBe('made')
    expect(await more()).toBe('refused')
  })

  test('requires an instance, its scope and the scope of each event type', async () => {
    const [me, bare] = [await world.tenant(), await world.session()]
    const body = { name: 'My log', url: 'https://example.com/', events: ['wallet.low', 'message.sent'] }
    const sent = async (headers: Record<string, string>, events = body.events) =>
      (await world.ask({ headers }, 'POST', '', { ...body, events })).status
    expect(await sent(bare.headers)).toBe(404)
    const holder = async (...scopes: Parameters<typeof world.bearer>[0] & object) =>
      (await world.bearer(scopes, me.userId)).headers
    expect(await sent(await holder('api:chat', 'mcp:*'))).toBe(403)
    expect(await sent(await holder('api:hooks', 'mcp:*'))).toBe(403)
    expect(await sent(await holder('api:hooks', 'api:chat'))).toBe(403)
    expect(await sent(await holder('api:hooks', 'api:chat', 'mcp:wallet.read'))).toBe(201)
    expect(await sent(await holder('api:hooks', 'api:chat', 'mcp:wallet.read'), ['*'])).toBe(403)
    expect(await sent(await holder(...scopes), ['*'])).toBe(201)
  })

  test.each([
    [{ url: 'http://example.com/' }],
    [{ url: 'https://user:pass@example.com/' }],
    [{ url: 'https://example.com:8080/' }],
    [{ url: 'https://127.0.0.1/' }],
    [{ url: 'https://2130706433/' }],
    [{ url: 'https://[::1]/' }],
    [{ url: 'https://localhost/' }],
    [{ url: 'https://metadata.google.internal/' }],
    [{ url: 'https://router/' }],
    [{ url: 'example.com' }],
    [{ url: 'https://example.com/#a' }],
    [{ url: `https://example.com/${'a'.repeat(2_000)}` }],
    [{ events: [] }],
    [{ events: ['wallet.exploded'] }],
    [{ events: ['webhook.test'] }],
    [{ name: '' }],
    [{ secretVersion: 2 }],
  ])('rejects %j', async (wrong) => {
    const { headers } = await world.session((await world.tenant()).userId)
    const body = { name: 'My log', url: 'https://example.com/', events: ['*'], ...wrong }
    expect((await world.ask({ headers }, 'POST', '', body)).status).toBe(400)
  })
})

describe('listWebhookEndpoints', () => {
  test('lists the user’s own endpoints', async () => {
    const [me, other] = [await world.owner(), await world.owner()]
    expect((await world.ask(me, 'GET', '')).text).not.toContain(other.id)
  })
})

describe('updateWebhookEndpoint', () => {
  test('changes the given fields and keeps the rest', async () => {
    const me = await world.owner(['wallet.low'])
    const { status, body } = await world.ask(me, 'PATCH', `/${me.id}`, { name: 'Other' })
    expect([status, body.endpoint]).toMatchObject([200, { name: 'Other', url: me.url, events: ['wallet.low'] }])
    await world.ask(me, 'PATCH', `/${me.id}`, { url: 'https://moved.example.com/x', events: ['*', 'wallet.low'] })
    expect(await world.shown(me)).toMatchObject({ name: 'Other', url: 'https://moved.example.com/x', events: ['*'] })
    expect((await world.ask(me, 'PATCH', `/${me.id}`, { url: 'https://10.0.0.1/' })).status).toBe(400)
  })

  test('stops deliveries to a disabled endpoint, and starts them again for an enabled one', async () => {
    const me = await world.owner()
    await world.ask(me, 'PATCH', `/${me.id}`, { enabled: false })
    expect(await world.shown(me)).toMatchObject({ disabled: 'owner' })
    await world.tell(me.userId)
    expect((await world.ask(me, 'POST', `/${me.id}/test`)).status).toBe(409)
    await world.ask(me, 'PATCH', `/${me.id}`, { enabled: true })
    await world.tell(me.userId)
    await world.send()
    expect(world.received).toHaveLength(1)
  })

  test('does not let a token redirect events that it may not read', async () => {
    const me = await world.owner(['message.sent'])
    const { headers } = await world.bearer(['api:hooks', 'mcp:wallet.read'], me.userId)
    const elsewhere = { url: 'https://evil.example.com/' }
    expect((await world.ask({ headers }, 'PATCH', `/${me.id}`, elsewhere)).status).toBe(403)
    // The waiting event has a type that the token may not read, so it is dropped once the endpoint is no longer
    // subscribed to it.
    world.answers.set(me.url, () => ({ status: 500, failure: null, latencyMs: 1, retryAfterSeconds: null }))
    await world.tell(me.userId, world.event('message.sent', { message: { text: 'private' } }))
    await world.send()
    const change = { ...elsewhere, events: ['wallet.low'] }
    expect((await world.ask({ headers }, 'PATCH', `/${me.id}`, change)).status).toBe(200)
    const [{ id }] = await world.deliveries(me)
    expect((await world.ask({ headers }, 'POST', `/${me.id}/deliveries/${id}/replay`)).status).toBe(409)
    await world.pass(dayMs)
    expect(world.received.filter(({ url }) => url !== me.url)).toEqual([])
    expect(await world.deliveries(me)).toMatchObject([{ state: 'failed', cancelled: 'not-subscribed' }])
  })
})

describe('deleteWebhookEndpoint', () => {
  test('also ends waiting deliveries', async () => {
    const me = await world.owner()
    world.answers.set(me.url, () => ({ status: 500, failure: null, latencyMs: 1, retryAfterSeconds: null }))
    await world.tell(me.userId)
    await world.send()
    const sent = world.received.length
    await world.ask(me, 'DELETE', `/${me.id}`)
    await world.pass(hourMs)
    expect(world.received).toHaveLength(sent)
    expect((await world.ask(me, 'GET', `/${me.id}/deliveries`)).status).toBe(404)
  })
})

describe('rotateWebhookSecret', () => {
  test('keeps both secrets valid for a day, then the new one alone', async () => {
    const me = await world.owner()
    const { status, body } = await world.ask(me, 'POST', `/${me.id}/rotate`)
    expect(status).toBe(201)
    expect(body.secret).not.toBe(me.secret)
    const sent = async () => {
      world.received.length = 0
      await world.tell(me.userId)
      await world.send()
      const [got] = world.received
      if (!got) throw new Error('nothing was sent')
      return [
        world.believes(me.secret, got),
        world.believes(body.secret, got),
        got.headers['webhook-signature']?.split(' ').length,
      ]
    }
    expect(await sent()).toEqual([true, true, 2])
    world.clock.nowMs += dayMs - 1_000
    expect(await sent()).toEqual([true, true, 2])
    world.clock.nowMs += 2_000
    expect(await sent()).toEqual([false, true, 1])
  })
})

describe('testWebhookEndpoint', () => {
  test('sends a test to any endpoint, whatever its event types, and lists it', async () => {
    const me = await world.owner(['wallet.low'])
    const { status, body } = await world.ask(me, 'POST', `/${me.id}/test`)
    expect([status, body.delivery]).toMatchObject([202, { type: 'webhook.test', state: 'pending', tries: [] }])
    await world.send()
    expect(world.received.map((got) => JSON.parse(got.body))).toEqual([
      { id: body.delivery.id, type: 'webhook.test', at: iso(world.clock.nowMs), data: {} },
    ])
    expect(await world.deliveries(me)).toMatchObject([{ id: body.delivery.id, state: 'delivered' }])
  })

  test('keeps its hourly count when the endpoint is deleted and created again', async () => {
    const me = await world.owner(['wallet.low'])
    const { deliveriesAnHour } = starter.webhookEndpoints
    for (let sent = 0; sent < deliveriesAnHour; sent++) await world.tell(me.userId)
    expect((await world.ask(me, 'DELETE', `/${me.id}`)).status).toBeLessThan(300)
    const next = await world.newEndpoint(me, ['wallet.low'])
    expect((await world.ask(me, 'POST', `/${next.id}/test`)).status).toBe(429)
  })

  // https://github.com/OpenHands/software-agent-sdk/issues/3122: the deliveries waiting for an endpoint grew without
  // limit.
  test('counts towards the daily limit of all endpoints, which parallel events cannot exceed', async () => {
    const me = await world.owner(['wallet.low'])
    const other = await world.newEndpoint(me, ['wallet.low'], 'https://other.example.com/')
    const { aDay, deliveriesAnHour } = starter.webhookEndpoints
    world.clock.nowMs += dayMs - (world.clock.nowMs % dayMs)
    for (let sent = 0; sent < aDay; sent += deliveriesAnHour * 2) {
      await Promise.all(Array.from({ length: deliveriesAnHour - 1 }, () => world.tell(me.userId)))
      world.clock.nowMs += hourMs
    }
    await Promise.all(Array.from({ length: 9 }, () => world.tell(me.userId)))
    const kept = async (id: string) =>
      (await world.ports.webhooks.deliveries(me.userId, id, { after: null, limit: aDay })).items.length
    expect((await kept(me.id)) + (await kept(other.id))).toBe(aDay)
    expect(await world.shown(me)).toMatchObject({ missedAt: expect.any(String) })
    const refused = await world.ask(me, 'POST', `/${me.id}/test`)
    expect([refused.status, refused.body.message]).toEqual([429, expect.stringContaining(`${aDay} deliveries`)])
    const [{ id: delivery }] = await world.deliveries(me)
    expect((await world.ask(me, 'POST', `/${me.id}/deliveries/${delivery}/replay`)).status).toBe(429)
    world.clock.nowMs += dayMs
    expect((await world.ask(me, 'POST', `/${me.id}/test`)).status).toBe(202)
  })

  test('counts towards the endpoint’s hourly limit', async () => {
    const me = await world.owner(['wallet.low'])
    const { deliveriesAnHour } = starter.webhookEndpoints
    for (let sent = 0; sent < deliveriesAnHour; sent++) await world.tell(me.userId)
    const { status, headers } = await world.ask(me, 'POST', `/${me.id}/test`)
    expect([status, Number(headers['Retry-After'])]).toEqual([429, expect.any(Number)])
    world.clock.nowMs += hourMs
    expect((await world.ask(me, 'POST', `/${me.id}/test`)).status).toBe(202)
  })
})

describe('listWebhookDeliveries', () => {
  test('lists deliveries by page, newest first, without their bodies', async () => {
    const me = await world.owner()
    const sent = Array.from({ length: 7 }, () => world.event('message.sent', { message: { text: 'private' } }))
    for (const each of sent) {
      await world.tell(me.userId, each)
      world.clock.nowMs += 1
    }
    const ids: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body, text } = await world.ask(me, 'GET', `/${me.id}/deliveries?limit=3${cursor && `&cursor=${cursor}`}`)
      expect(text).not.toContain('private')
      ids.push(...body.deliveries.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor
    }
    expect(ids).toEqual(sent.map(({ id }) => id).reverse())
    const other = await world.owner()
    expect((await world.ask(other, 'GET', `/${me.id}/deliveries`)).status).toBe(404)
  })
})

describe('replayWebhookDelivery', () => {
  test('resends the same body under the same id, to the current URL', async () => {
    const me = await world.owner()
    const happened = world.event()
    await world.tell(me.userId, happened)
    await world.send()
    await world.ask(me, 'PATCH', `/${me.id}`, { url: 'https://moved.example.com/' })
    const { status, body } = await world.ask(me, 'POST', `/${me.id}/deliveries/${happened.id}/replay`)
    expect([status, body.delivery]).toMatchObject([202, { id: happened.id, state: 'pending' }])
    await world.send()
    const [first, again] = world.received
    expect(again).toMatchObject({ url: 'https://moved.example.com/', body: first?.body })
    expect(again?.headers['webhook-id']).toBe(happened.id)
    const [listed] = await world.deliveries(me)
    expect(listed).toMatchObject({ state: 'delivered', nextTryAt: null })
    expect(listed.tries).toHaveLength(2)
  })

  test('retries a failed delivery for another day', async () => {
    const me = await world.owner()
    world.answers.set(me.url, () => ({ status: 500, failure: null, latencyMs: 1, retryAfterSeconds: null }))
    await world.tell(me.userId)
    await world.send()
    await world.pass(dayMs + hourMs)
    const [failed] = await world.deliveries(me)
    expect(failed).toMatchObject({ state: 'failed', nextTryAt: null })
    world.answers.delete(me.url)
    await world.ask(me, 'POST', `/${me.id}/deliveries/${failed.id}/replay`)
    await world.send()
    await world.pass(2 * hourMs)
    expect(await world.deliveries(me)).toMatchObject([{ state: 'delivered' }])
  })

  test('returns 404 for an unknown delivery, and for another user’s', async () => {
    const [me, other] = [await world.owner(), await world.owner()]
    await world.tell(other.userId)
    const [theirs] = await world.deliveries(other)
    for (const path of [`/${me.id}/deliveries/${theirs.id}/replay`, `/${other.id}/deliveries/${theirs.id}/replay`])
      expect((await world.ask(me, 'POST', path)).status).toBe(404)
  })
})
