import { processChat } from '../../../app/channels/process.ts'
import { minuteMs } from '../../../domain/time.ts'
import { onAlbumArriving } from '../../../lambdas/channel-jobs/on-album-arriving.ts'
import { type ChannelsWorld, openChannelsWorld } from './channels-world.ts'

let world: ChannelsWorld
beforeAll(async () => {
  world = await openChannelsWorld()
})
afterAll(() => world.close())

// https://github.com/openclaw/openclaw/issues/906, https://github.com/chenhg5/cc-connect/issues/1207
describe('an album', () => {
  const photo = { ref: 'tide', name: 'tide.txt', type: 'text/plain', bytes: 4 }
  const inAlbum = (text: string, change: object = {}) => world.message(text, { files: [photo], album: 'g1', ...change })
  const asked = async (userId: string) =>
    (await world.talk(userId)).map(({ text, attachments }) => [text, attachments?.length])

  test('in a direct chat is one message with all files, however often it is processed', async () => {
    const me = await world.linked('album')
    const from = [world.direct('album'), world.person('album')] as const
    for (const text of ['compare these', '', '']) await world.tell(...from, inAlbum(text))
    await world.say('album', 'And then?')
    await world.work()
    await world.work()
    expect(await asked(me.userId)).toEqual([
      ['compare these', 3],
      ['And then?', undefined],
    ])
  })

  test('is awaited while it is arriving', async () => {
    const me = await world.linked('album-arrives')
    const from = [world.direct('album-arrives'), world.person('album-arrives')] as const
    const { sleep } = world.clock
    const rest = ['', '']
    const waits: number[] = []
    world.clock.sleep = async (ms) => {
      waits.push(ms)
      const text = rest.pop()
      world.clock.nowMs += ms
      if (text !== undefined) await world.tell(...from, inAlbum(text))
    }
    const told: unknown[] = []
    const { publish } = world.ports.bus
    world.ports.bus.publish = async (type, userId, detail) => void told.push({ type, userId, ...detail })
    await world.tell(...from, inAlbum('compare these'))
    await world.say('album-arrives', 'And then?')
    const open = () => world.ports.inboundDeliveries.open(from[0], '')
    const [first, second] = await open()
    const happened = (id = '') => processChat(world.ports, from[0], id, world.clock.nowMs)
    await happened(first?.inbound.id)
    await happened(second?.inbound.id)
    expect([waits, await open(), await asked(me.userId)]).toEqual([[], [first, second], []])
    expect(told).toEqual([
      {
        type: 'album.arriving',
        userId: me.userId,
        album: { chat: { platform: 'telegram', id: from[0].id }, from: first?.inbound.id },
      },
    ])
    for (let runs = 0; told.length > 0 && runs < 9; runs++)
      await onAlbumArriving.run({ input: told.shift() as never, deps: world.ports as never, now: world.clock.nowMs }) // safe because the world has all ports
    world.clock.sleep = sleep
    world.ports.bus.publish = publish
    expect(await asked(me.userId)).toEqual([
      ['compare these', 3],
      ['And then?', undefined],
    ])
  })

  test('in an unlinked chat is not awaited', async () => {
    const from = [world.direct('album-nobody'), world.person('album-nobody')] as const
    await world.tell(...from, inAlbum('compare these'))
    await processChat(world.ports, from[0], '', world.clock.nowMs)
    expect(await world.ports.inboundDeliveries.open(from[0], '')).toEqual([])
  })

  test('in a group is addressed to the agent when one of its messages is', async () => {
    const me = await world.linked('album-group')
    const chat = { ...world.group, id: 'group-album' }
    world.platform.owners.add('person-album-group')
    await world.command('album-group', 'link', '', chat)
    await world.work()
    const [link] = (await world.ports.channelLinks.list(me.userId)).filter(({ kind }) => kind === 'group')
    const person = world.person('album-group')
    await world.tell(chat, person, inAlbum('', { addressed: false }))
    await world.tell(chat, world.person('somebody else'), inAlbum('not mine', { addressed: false }))
    await world.tell(chat, person, inAlbum('compare these'))
    await world.tell(chat, person, inAlbum('', { addressed: false }))
    await world.work()
    const [said] = await world.talk(me.userId, link?.conversation)
    expect([said?.text.split('\n').at(-1), said?.attachments?.length]).toEqual(['compare these', 3])
  })

  test('with a part that arrives after the prompt is prompted with the earlier part, and nothing is lost', async () => {
    const me = await world.linked('album-late')
    const from = [world.direct('album-late'), world.person('album-late')] as const
    for (const text of ['compare these', '']) await world.tell(...from, inAlbum(text))
    await world.work()
    await world.tell(...from, inAlbum(''))
    await world.work()
    expect(await asked(me.userId)).toEqual([
      ['compare these', 2],
      ['', 1],
    ])
  })

  test('with a first message stored by a dead run has its files once', async () => {
    const me = await world.linked('album-died')
    const from = [world.direct('album-died'), world.person('album-died')] as const
    for (const text of ['compare these', '']) await world.tell(...from, inAlbum(text))
    const { settle } = world.ports.inboundDeliveries
    world.ports.inboundDeliveries.settle = () => Promise.reject(new Error('died'))
    await world.work().catch(() => {})
    world.ports.inboundDeliveries.settle = settle
    world.clock.nowMs += minuteMs
    await world.tell(...from, inAlbum('', { files: [photo, photo] }))
    await world.work()
    await world.work()
    expect(await asked(me.userId)).toEqual([
      ['compare these', 2],
      ['', 2],
    ])
  })
})
