import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { receiveWebhook } from '../../../app/channels/receive.ts'
import type { ChatPlatform } from '../../../app/ports/chat-platform.ts'
import type { Inbound } from '../../../domain/channels/inbound.ts'
import { limits } from '../../../domain/rates/rate-limits.ts'
import { counted } from '../../adapters/engine.ts'
import { openWorld, startMs, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ ports: ['channelLinks', 'inboundDeliveries', 'rates'] })
})
afterAll(() => world.close())

const happened = (id: string, change: Partial<Inbound> = {}): Inbound => ({
  id,
  chat: { platform: 'telegram', id: 'chat', kind: 'direct' },
  person: { id: 'p', name: 'Ada', bot: false },
  context: {},
  at: new Date(startMs).toISOString(),
  what: { kind: 'message', text: 'hello', files: [], addressed: true },
  ...change,
})

/** A platform that can only read a request: any other call would throw. */
const reads = (...inbound: Inbound[]): Pick<ChatPlatform, 'read'> => ({
  read: async () => ({ kind: 'inbound', inbound, answer: null }),
})

const request = { headers: {}, rawBody: '{}' }
const receive = (platform: Pick<ChatPlatform, 'read'>, nowMs = startMs) =>
  counted(() => receiveWebhook(world.ports, platform, request, nowMs))

test('a webhook is answered with 200 after two requests to the store, the second one a single write', async () => {
  const { calls, result } = await receive(reads(happened('1')))
  expect(calls.map(({ operation }) => operation)).toEqual(['UpdateItem', 'PutItem'])
  expect(result).toEqual({})
  expect((await receive(reads(happened('1')))).calls).toHaveLength(2)
  expect(await world.ports.inboundDeliveries.open({ platform: 'telegram', id: 'chat' }, '')).toHaveLength(1)
})

test('refused requests, bots’ messages and withdrawn messages cause no request to the store', async () => {
  const stranger = receive({ read: async () => ({ kind: 'refused', why: 'no secret' }) })
  await expect(stranger).rejects.toMatchObject({ code: 'unauthorized' })
  const bot = happened('2', { person: { id: 'b', name: 'Bot', bot: true } })
  const { calls } = await receive(reads(bot, happened('3', { what: { kind: 'deleted' } })))
  expect(calls).toEqual([])
})

test('messages of one person in many groups count together', async () => {
  const mallory = { id: 'mallory', name: 'Mallory', bot: false }
  const chats = Array.from({ length: 5 }, (_, i) => ({ platform: 'telegram', id: `-10${i}`, kind: 'group' }) as const)
  for (const [n, chat] of chats.entries())
    for (let i = 0; i < limits.chat; i++) await receive(reads(happened(`y${n}-${i}`, { chat, person: mallory })))
  const kept = await Promise.all(chats.map((chat) => world.ports.inboundDeliveries.open(chat, '')))
  const kinds = kept.flat().map(({ inbound }) => inbound.what.kind)
  expect(kinds.filter((kind) => kind === 'message')).toHaveLength(limits.chat)
})

test('removed chats are counted separately, even if the platform reports them under one id', async () => {
  const platformItself = { id: 'the bot', name: 'Discord', bot: false }
  const chats = Array.from(
    { length: limits.chat + 5 },
    (_, i) => ({ platform: 'discord', id: `gone${i}`, kind: 'group' }) as const,
  )
  for (const chat of chats)
    await receive(reads(happened('removed', { chat, person: platformItself, what: { kind: 'removed' } })))
  const kept = await Promise.all(chats.map((chat) => world.ports.inboundDeliveries.open(chat, '')))
  expect(kept.flat().map(({ inbound }) => inbound.what.kind)).toEqual(chats.map(() => 'removed'))
})

test('messages beyond the limit of a person in a chat are stored as one flood a minute', async () => {
  const chat = { platform: 'slack', id: 'T1/C1', kind: 'group' } as const
  for (let i = 0; i < limits.chat + 20; i++) await receive(reads(happened(`f${i}`, { chat })), startMs + i)
  const kinds = (await world.ports.inboundDeliveries.open(chat, '')).map(({ inbound }) => inbound.what.kind)
  expect(kinds.filter((kind) => kind === 'message')).toHaveLength(limits.chat)
  expect(kinds.filter((kind) => kind === 'flood')).toHaveLength(1)
})

// https://github.com/Michaelliv/mercury/issues/123, https://github.com/telegraf/telegraf-ratelimit/issues/4
test('a flood of one person affects neither others, nor that person’s own commands and buttons', async () => {
  const chat = { platform: 'telegram', id: '-1', kind: 'group' } as const
  const eve = { id: 'eve', name: 'Eve', bot: false }
  for (let i = 0; i < limits.chat + 4; i++) await receive(reads(happened(`e${i}`, { chat, person: eve })))
  await receive(reads(happened('o1', { chat })))
  await receive(reads(happened('e-stop', { chat, person: eve, what: { kind: 'command', name: 'stop', argument: '' } })))
  await receive(reads(happened('e-yes', { chat, person: eve, what: { kind: 'button', data: 'y', messageId: '1' } })))
  const kept = (await world.ports.inboundDeliveries.open(chat, '')).map(({ inbound }) => inbound)
  expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(['o1', 'e-stop', 'e-yes']))
  expect(kept.filter(({ what }) => what.kind === 'flood').map(({ person }) => person.id)).toEqual(['eve'])
})

// https://github.com/group-butler/GroupButler/issues/279
test('in a flood of many people in a group, the linked person is still heard, and one record a minute is stored', async () => {
  const chat = { platform: 'telegram', id: '-2', kind: 'group' } as const
  const link = {
    id: 'lnk_1',
    userId: 'usr_1',
    platform: 'telegram',
    kind: 'group',
    chat,
    person: 'Ada',
    personId: 'p',
    conversation: 'main',
    home: false,
    state: 'linked',
    createdAt: new Date(startMs).toISOString(),
  } as const
  await world.ports.channelLinks.add(link, null, null)
  for (let i = 0; i < limits.group + 9; i++)
    await receive(reads(happened(`m${i}`, { chat, person: { id: `many-${i}`, name: 'M', bot: false } })))
  await receive(reads(happened('owner', { chat })))
  const kept = (await world.ports.inboundDeliveries.open(chat, '')).map(({ inbound }) => inbound)
  expect(kept.map(({ id }) => id)).toContain('owner')
  expect(kept.filter(({ what }) => what.kind === 'flood')).toHaveLength(1)
  expect(kept).toHaveLength(limits.group + 2)
})
