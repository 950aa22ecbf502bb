import { checkPushAddress, maxDevices, pushLifeMs } from '../../../domain/notifications/device.ts'
import { dayMs, hourMs, minuteMs } from '../../../domain/time.ts'
import { addPushDevice } from '../../../lambdas/notifications/add-push-device.ts'
import { closedIpv4, hostileUrls } from '../../adapters/web/hostile-urls.ts'
import { newSubscriber } from '../../push-service/subscriber.ts'
import { type NotificationsWorld, openNotificationsWorld } from './notifications-world.ts'

let world: NotificationsWorld
beforeAll(async () => {
  world = await openNotificationsWorld()
})
beforeEach(() => {
  world.published.length = 0
  world.net.busDown = false
})
afterAll(() => world.close())

type Person = Awaited<ReturnType<NotificationsWorld['person']>>

const devices = async (me: Person) => (await me.ask({ path: '/notifications/settings' })).body.devices
const asked = (id = world.nextId('qst')) => world.event('question.asked', { questionId: id, text: 'A secret?' })
const longReply = () =>
  world.event('message.sent', {
    promptId: 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0',
    message: { text: 'x', conversation: 'main' },
  })

describe('a push', () => {
  test('reaches each signed-in browser of its user, encrypted, and contains only the kind and the page', async () => {
    const [me, other] = [await world.person(), await world.person()]
    const [first, second, foreign] = [await world.browser(me), await world.browser(me), await world.browser(other)]
    const happened = asked()
    await world.tell(me.userId, happened)
    await world.send()
    const payload = { id: happened.id.replace('evt_', 'ntf_'), kind: 'question-asked', page: '/' }
    expect([world.pushed(first), world.pushed(second), world.pushed(foreign)]).toEqual([[payload], [payload], []])
    const [message] = world.pushService.messages(first.endpoint)
    expect(message?.headers).toMatchObject({
      ttl: String(pushLifeMs / 1000),
      urgency: 'high',
      topic: happened.id.slice(4),
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
    })
    expect(message?.body.toString('latin1')).not.toMatch(/question|secret/)
    expect(() => second.open(message?.body ?? Buffer.alloc(0))).toThrow()
  })

  test('is sent once when the stream repeats its event, and by the sweep after an outage of the bus', async () => {
    const me = await world.person()
    const to = await world.browser(me)
    const happened = asked()
    await Promise.all([world.tell(me.userId, happened), world.tell(me.userId, happened)])
    await world.send()
    await world.tell(me.userId, happened)
    await world.send()
    expect(world.pushService.answered(to.endpoint)).toEqual([201])
    world.net.busDown = true
    await world.tell(me.userId, asked())
    world.net.busDown = false
    await world.send()
    expect(world.pushService.answered(to.endpoint)).toEqual([201])
    await world.pass(2 * minuteMs)
    expect(world.pushService.answered(to.endpoint)).toEqual([201, 201])
  })

  test('about a long reply is sent when no page is open, unless its group is switched off', async () => {
    const me = await world.person()
    const to = await world.browser(me)
    const close = await world.openPage(me)
    await world.tell(me.userId, longReply())
    await world.send()
    expect(world.pushed(to)).toEqual([])
    await world.tell(me.userId, asked())
    await world.send()
    expect(world.pushed(to)).toHaveLength(1)
    await close()
    const again = longReply()
    await world.tell(me.userId, { ...again, data: { ...again.data, promptId: 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ1' } })
    await world.send()
    expect(world.pushed(to)).toHaveLength(2)
    await me.ask({ method: 'PUT', path: '/notifications/settings', body: { muted: ['push.chat', 'mail.money'] } })
    await world.tell(me.userId, asked())
    await world.tell(me.userId, world.event('wallet.empty'))
    await world.send()
    expect(world.pushed(to).map(({ kind }) => kind)).toEqual(['question-asked', 'reply-ended', 'wallet-empty'])
  })

  test('is not sent to a browser whose session has ended', async () => {
    const me = await world.person()
    const to = await world.browser(me)
    await world.ports.sessions.close(me.userId, me.sessionId)
    await world.tell(me.userId, asked())
    await world.send()
    await world.pass(hourMs)
    expect(world.pushService.answered(to.endpoint)).toEqual([])
  })

  test.each([404, 410])('with status %i removes the browser, and nothing more is sent', async (status) => {
    const me = await world.person()
    const to = await world.browser(me)
    if (status === 410) world.pushService.end(to.endpoint)
    else world.pushService.script(to.endpoint, { status })
    await world.tell(me.userId, asked())
    await world.send()
    expect(await devices(me)).toEqual([])
    await world.tell(me.userId, asked())
    await world.send()
    await world.pass(dayMs)
    expect(world.pushService.answered(to.endpoint)).toEqual([status])
  })

  test('with status 429 or 5xx is retried at the stated time, and does not count as lost', async () => {
    const me = await world.person()
    const to = await world.browser(me)
    const busy = { status: 429, headers: { 'retry-after': '1200' } }
    world.pushService.script(to.endpoint, busy, { status: 503 }, { status: 500 })
    const startMs = world.clock.nowMs
    await world.tell(me.userId, asked())
    await world.send()
    expect(world.pushService.answered(to.endpoint)).toEqual([429])
    expect((await devices(me))[0].failingSince).not.toBeNull()
    await world.pass(19 * minuteMs)
    expect(world.pushService.answered(to.endpoint)).toEqual([429])
    await world.pass(2 * hourMs)
    expect(world.pushService.answered(to.endpoint)).toEqual([429, 503, 500, 201])
    expect((await devices(me))[0].failingSince).toBeNull()
    const [message] = world.pushService.messages(to.endpoint)
    expect(Number(message?.headers.ttl)).toBeLessThan((pushLifeMs - 19 * minuteMs) / 1000)
    expect(world.clock.nowMs - startMs).toBeLessThan(pushLifeMs)
  })

  test.each([400, 401, 403, 413])('with status %i is not retried', async (status) => {
    const me = await world.person()
    const to = await world.browser(me)
    world.pushService.script(to.endpoint, { status })
    await world.tell(me.userId, asked())
    await world.send()
    await world.pass(dayMs)
    expect(world.pushService.answered(to.endpoint)).toEqual([status])
  })

  test('waits while the stage’s own key cannot be read, and does not count against the browser', async () => {
    const me = await world.person()
    const to = await world.browser(me)
    const { pushMessages } = world.ports
    const { publicKey, seal } = pushMessages
    const down = () => Promise.reject(new Error('no secret'))
    Object.assign(pushMessages, { publicKey: down, seal: down })
    await world.tell(me.userId, asked())
    await world.send().catch(() => {})
    await world.pass(10 * minuteMs).catch(() => {})
    Object.assign(pushMessages, { publicKey, seal })
    expect((await devices(me))[0].failingSince).toBeNull()
    await world.pass(hourMs)
    expect(world.pushService.answered(to.endpoint)).toEqual([201])
  })

  test('to a permanently failing service is dropped after some hours, and the browser after some days', async () => {
    const me = await world.person()
    const to = await world.browser(me)
    world.pushService.script(to.endpoint, ...Array.from({ length: 200 }, () => ({ status: 500 })))
    await world.tell(me.userId, asked())
    await world.send()
    await world.pass(dayMs)
    const tries = world.pushService.answered(to.endpoint).length
    expect(tries).toBeGreaterThan(2)
    expect(tries).toBeLessThanOrEqual(6)
    for (let i = 0; i < 12; i++) {
      await world.tell(me.userId, asked())
      await world.send()
      await world.pass(dayMs / 2)
    }
    expect(await devices(me)).toEqual([])
    const before = world.pushService.answered(to.endpoint).length
    await world.tell(me.userId, asked())
    await world.send()
    await world.pass(dayMs)
    expect(world.pushService.answered(to.endpoint)).toHaveLength(before)
  })
})

describe('addPushDevice', () => {
  const add = (me: Person, body: object) => me.ask({ operation: addPushDevice, body })

  test('lists a browser by name, once however often it subscribes, and marks the current one', async () => {
    const me = await world.person()
    const { open: _, ...subscriber } = newSubscriber('https://push.example.com/send/1')
    const agent = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0' }
    for (let i = 0; i < 3; i++)
      expect((await me.ask({ operation: addPushDevice, body: subscriber, headers: agent })).status).toBe(201)
    const { open: __, ...rekeyed } = newSubscriber(subscriber.endpoint)
    await add(me, rekeyed)
    const [known] = await world.ports.pushDevices.list(me.userId)
    expect(known?.p256dh).toBe(rekeyed.p256dh)
    const list = await devices(me)
    expect(list).toMatchObject([{ current: true, failingSince: null }])
    // The keys for its pushes stay inside the service.
    expect(JSON.stringify(list)).not.toContain('push.example.com')
  })

  test('accepts up to the limit, also concurrently', async () => {
    const me = await world.person()
    const bodies = Array.from({ length: maxDevices + 3 }, (_, i) => {
      const { open: __, ...subscriber } = newSubscriber(`https://push.example.com/send/${i}`)
      return subscriber
    })
    const statuses = (await Promise.all(bodies.map((body) => add(me, body)))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(maxDevices)
    expect(statuses.filter((status) => status === 409)).toHaveLength(3)
    // A known browser is renewed although the list is full.
    const [kept] = await world.ports.pushDevices.list(me.userId)
    const { endpoint = '', p256dh = '', auth = '' } = kept ?? {}
    expect((await add(me, { endpoint, p256dh, auth })).status).toBe(201)
    const [{ id }] = await devices(me)
    expect((await me.ask({ method: 'DELETE', path: `/notifications/devices/${id}` })).status).toBe(200)
    const { open: __, ...subscriber } = newSubscriber('https://push.example.com/send/next')
    expect((await add(me, subscriber)).status).toBe(201)
  })

  test('removes browsers with ended sessions to make room', async () => {
    const me = await world.person()
    const add10 = Array.from({ length: maxDevices }, (_, i) => newSubscriber(`https://push.example.com/send/${i}`))
    for (const { open: _, ...body } of add10) await add(me, body)
    const ended = await world.session(me.userId)
    const devices = await world.ports.pushDevices.list(me.userId)
    await world.ports.sessions.close(me.userId, ended.record.id)
    for (const device of devices.slice(0, 3))
      await world.ports.pushDevices.save(me.userId, { ...device, sessionId: ended.record.id }, maxDevices)
    const { open: _, ...subscriber } = newSubscriber('https://push.example.com/send/next')
    expect((await add(me, subscriber)).status).toBe(201)
    const left = await world.ports.pushDevices.list(me.userId)
    expect(left.map(({ sessionId }) => sessionId)).toEqual(left.map(() => me.sessionId))
    expect(left).toHaveLength(maxDevices - 2)
  })

  test('rejects invalid keys', async () => {
    const me = await world.person()
    const { endpoint, p256dh, auth } = newSubscriber('https://push.example.com/send/1')
    const offCurve = Buffer.from(p256dh, 'base64url')
    offCurve[40] = (offCurve[40] ?? 0) ^ 1
    for (const wrong of [
      { p256dh: offCurve.toString('base64url') },
      { p256dh: `${p256dh}AAAA` },
      { p256dh: 'x' },
      { auth: `${auth}AAAA` },
      { auth: '' },
      { endpoint: `https://push.example.com/${'x'.repeat(1_000)}` },
    ])
      expect((await add(me, { endpoint, p256dh, auth, ...wrong })).status).toBe(400)
    expect(await devices(me)).toEqual([])
  })

  test('rejects an address that is visibly not public', async () => {
    const me = await world.person()
    const { p256dh, auth } = newSubscriber('')
    for (const endpoint of [
      'http://10.0.0.1/',
      'https://169.254.169.254/',
      'https://db.internal/',
      'file:///etc/passwd',
    ])
      expect((await add(me, { endpoint, p256dh, auth })).body).toMatchObject({
        details: { endpoint: [expect.stringContaining('public')] },
      })
    const through = [...hostileUrls(''), ...closedIpv4.map((address) => `https://${address}/`)].filter((address) => {
      try {
        return checkPushAddress(address, false) !== ''
      } catch {
        return false
      }
    })
    // Hosts that need a name server are checked at connection time: test/adapters/web/public-request.test.ts.
    expect(through.filter((address) => !/[a-z]\.[a-z]+(:\d+)?\//.test(address))).toEqual([])
    expect(await devices(me)).toEqual([])
  })
})

describe('removePushDevice', () => {
  test('removes a browser, and its pending pushes are not sent', async () => {
    const [me, other] = [await world.person(), await world.person()]
    const to = await world.browser(me)
    expect((await other.ask({ method: 'DELETE', path: `/notifications/devices/${to.id}` })).status).toBe(404)
    await world.tell(me.userId, asked())
    const { body } = await me.ask({ method: 'DELETE', path: `/notifications/devices/${to.id}` })
    expect(body.device.id).toBe(to.id)
    await world.send()
    await world.pass(hourMs)
    expect(world.pushService.answered(to.endpoint)).toEqual([])
    expect((await me.ask({ method: 'DELETE', path: `/notifications/devices/${to.id}` })).status).toBe(404)
  })
})

describe('getNotificationSettings', () => {
  test('returns the stage’s public key, always the same', async () => {
    const [first, second] = [await world.person(), await world.person()]
    const key = async (me: Person) => (await me.ask({ path: '/notifications/settings' })).body.publicKey
    expect(Buffer.from(await key(first), 'base64url')).toHaveLength(65)
    expect(await key(first)).toBe(await key(second))
  })
})
