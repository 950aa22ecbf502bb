import { PlatformError } from '../../../app/ports/chat-platform.ts'
import { lines } from '../../../domain/channels/lines.ts'
import { minuteMs } from '../../../domain/time.ts'
import { type ChannelsWorld, openChannelsWorld } from './channels-world.ts'

let world: ChannelsWorld
beforeAll(async () => {
  world = await openChannelsWorld()
})
afterAll(() => world.close())

const origin = 'http://localhost'

describe('listChannels', () => {
  test('lists the user’s own chats, without the platform’s ids', async () => {
    const me = await world.linked('lister')
    const { body, text } = await world.request({ path: '/channels', headers: me.headers as Record<string, string> })
    expect(body.channels).toMatchObject([{ platform: 'telegram', kind: 'direct', person: 'lister', home: true }])
    expect(body.platforms).toEqual([{ platform: 'telegram', name: '@test', startUrl: 'https://chat.example/test' }])
    expect(text).not.toContain('chat-lister')
  })
})

describe('updateChannel', () => {
  test('makes one chat the home chat, and no other', async () => {
    const me = await world.linked('homes')
    const { userId } = me
    const headers = me.headers as Record<string, string>
    await world.command('homes-2', 'start', await world.newCode(headers))
    await world.work()
    const [first, second] = await world.ports.channelLinks.list(userId)
    for (const chosen of [second, first, second]) {
      const sent = { method: 'PATCH', path: `/channels/${chosen?.id}`, headers, body: { home: true } }
      expect((await world.request(sent)).body.channel).toMatchObject({ id: chosen?.id, home: true })
      const homes = (await world.ports.channelLinks.list(userId)).filter(({ home }) => home)
      expect(homes.map(({ id }) => id)).toEqual([chosen?.id])
    }
    await world.observe(me, { kind: 'message', key: 'h', text: 'Here?' })
    await world.work()
    expect(world.textsIn(world.direct('homes-2')).at(-1)).toBe('Here?')
  })
})

describe('deleteChannel', () => {
  test('unlinks a chat: its messages reach nobody, and nothing is sent there', async () => {
    const me = await world.linked('leaver')
    const headers = me.headers as Record<string, string>
    const [link] = await world.ports.channelLinks.list(me.userId)
    const gone = { method: 'DELETE', path: `/channels/${link?.id}`, headers }
    expect((await world.request(gone)).status).toBe(200)
    expect((await world.request(gone)).status).toBe(404)
    await world.say('leaver', 'still there?')
    await world.observe(me, { kind: 'message', key: 'x', text: 'nobody hears' })
    await world.work()
    expect(world.textsIn(world.direct('leaver')).at(-1)).toBe(lines.stranger(origin))
    expect((await world.talk(me.userId)).map(({ text }) => text)).toEqual(['nobody hears'])
  })
})

describe('listChannelDeliveries', () => {
  test('shows inbound and outgoing deliveries, and the reason for a failure', async () => {
    const me = await world.linked('deliveries')
    const headers = me.headers as Record<string, string>
    await world.say('deliveries', 'hello')
    await world.work()
    const prompt = await world.take(me)
    world.platform.failures.push(new PlatformError('refused', 'the platform refuses it'))
    await world.observe(me, { kind: 'reply', promptId: prompt?.id, text: 'Hello yourself.' })
    await world.work()
    const { body } = await world.request({ path: '/channels/deliveries', headers })
    expect(body.deliveries[0]).toMatchObject({ direction: 'out', state: 'failed', text: 'Hello yourself.' })
    expect(body.deliveries[0].reason).toBe('the platform refuses it')
    expect(body.deliveries.map(({ direction }: { direction: string }) => direction)).toContain('in')
    const first = await world.request({ path: '/channels/deliveries?limit=2', headers })
    const cursor = encodeURIComponent(first.body.nextCursor)
    const second = await world.request({ path: `/channels/deliveries?limit=2&cursor=${cursor}`, headers })
    const ids = [...first.body.deliveries, ...second.body.deliveries].map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(body.deliveries.slice(0, ids.length).map(({ id }: { id: string }) => id))
  })
})

describe('replayChannelDelivery', () => {
  test('resends a failed message once, and only the user’s own', async () => {
    const [me, other] = [await world.linked('replay'), await world.linked('replay-other')]
    const headers = me.headers as Record<string, string>
    await world.say('replay', 'hello')
    await world.work()
    const prompt = await world.take(me)
    world.platform.failures.push(new PlatformError('refused', 'no'))
    await world.observe(me, { kind: 'reply', promptId: prompt?.id, text: 'At last.' })
    await world.work()
    const { body } = await world.request({ path: '/channels/deliveries', headers })
    const replay = { method: 'POST', path: `/channels/deliveries/${body.deliveries[0].id}/replay` }
    const theirs = await world.request({ ...replay, headers: other.headers as Record<string, string> })
    expect(theirs.status).toBe(404)
    expect((await world.request({ ...replay, headers })).status).toBe(202)
    await world.work()
    expect((await world.request({ ...replay, headers })).status).toBe(409)
    expect(world.textsIn(world.direct('replay')).filter((text) => text === 'At last.')).toHaveLength(1)
  })

  test('prompts the agent once for a message whose file could not be downloaded', async () => {
    const me = await world.linked('refetch')
    const headers = me.headers as Record<string, string>
    const file = { ref: 'tide', name: 'tide.txt', type: 'text/plain' }
    for (let i = 0; i < 5; i++) world.platform.failures.push(new PlatformError('unavailable', 'down'))
    await world.tell(world.direct('refetch'), world.person('refetch'), world.message('look', { files: [file] }))
    for (let i = 0; i < 5; i++) {
      await world.work()
      world.clock.nowMs += 15 * minuteMs
    }
    expect(await world.talk(me.userId)).toEqual([])
    const { body } = await world.request({ path: '/channels/deliveries', headers })
    const [failed] = body.deliveries.filter(({ state }: { state: string }) => state === 'failed')
    expect(failed).toMatchObject({ direction: 'in', reason: 'down' })
    const replay = { method: 'POST', path: `/channels/deliveries/${failed.id}/replay`, headers }
    expect((await world.request(replay)).status).toBe(202)
    await world.work()
    expect((await world.talk(me.userId)).map(({ text }) => text)).toEqual(['look'])
  })
})
