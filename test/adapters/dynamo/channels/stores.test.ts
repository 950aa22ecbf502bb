import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Ports } from '../../../../adapters/ports.ts'
import { type Part, PartRefused } from '../../../../app/ports/part.ts'
import { type InboundDelivery, newInboundDelivery, type Outgoing, ready } from '../../../../domain/channels/delivery.ts'
import type { Chat } from '../../../../domain/channels/inbound.ts'
import { type LinkRecord, maxGuessesPerHour } from '../../../../domain/channels/link.ts'
import { maxLinks } from '../../../../domain/channels/link-limits.ts'
import { shardOf, shards, ulid } from '../../../../domain/ids.ts'
import { dayMs, hourMs, iso, minuteMs } from '../../../../domain/time.ts'
import { memoryPorts } from '../../../app/channels/simulation/memory-ports.ts'
import type { World } from '../../../world.ts'
import { everyItem, openChannelWorld } from './stores.ts'

const now = Date.parse('2026-11-20T12:00:00.000Z')

type Kept = Pick<Ports, 'channelLinks' | 'inboundDeliveries' | 'outgoingMessages' | 'deliveryLog' | 'conversations'>

let world: World
beforeAll(async () => {
  world = await openChannelWorld()
})
afterAll(() => world.close())

let made = 0
const nextId = (prefix: 'usr' | 'msg' | 'lnk' | 'cnv'): string => {
  const number = ++made
  return `${prefix}_${ulid(
    now,
    Uint8Array.from({ length: 16 }, (_, i) => (i < 9 ? 0 : (number >> (5 * (15 - i))) & 31)),
  )}`
}
const newChat = (kind: Chat['kind'] = 'direct'): Chat => ({ platform: 'telegram', id: `chat-${++made}`, kind })

const newGuesser = () => ({ platform: 'telegram', personId: `person-${++made}` }) as const

function linkOf(chat: Chat, userId = nextId('usr'), more: Partial<LinkRecord> = {}): LinkRecord {
  const names = { personId: `person-${chat.id}`, person: 'Ada', conversation: 'main' }
  return {
    id: nextId('lnk'),
    userId,
    platform: chat.platform,
    kind: chat.kind,
    chat,
    ...names,
    home: false,
    state: 'linked',
    createdAt: iso(now + made),
    ...more,
  }
}

function happened(chat: Chat, id: string, text = 'hello', at = now): InboundDelivery {
  const person = { id: 'p', name: 'Ada', bot: false }
  const what = { kind: 'message' as const, text, files: [], addressed: true }
  return newInboundDelivery({ id, chat, person, context: { thread: '7' }, at: iso(at), what }, nextId('msg'), at)
}

const to = (userId: string, chat: Chat) => ({ userId, chat, context: {} })

const openReply = (userId: string, chat: Chat, key: string): Outgoing => ({
  ...to(userId, chat),
  key,
  state: 'open',
  draft: 'begun',
  revision: 0,
  failures: 0,
  reason: null,
  dueAt: now + 10 * minuteMs,
  createdAt: iso(now),
})

const everyShard = async <T>(due: (shard: number) => Promise<T[]>): Promise<T[]> =>
  (await Promise.all(Array.from({ length: shards }, (_, shard) => due(shard)))).flat()

/** A write that stores a message in the same transaction; false when it was done before. */
const messageOf = (id: string) =>
  ({ id, role: 'user', text: 'hello', conversation: 'main', channel: 'telegram', at: iso(now) }) as const

describe.each(['memory', 'DynamoDB'])('the stores of channels over %s', (kind) => {
  let kept: Kept
  beforeAll(() => {
    kept = kind === 'memory' ? memoryPorts().ports : world.ports
  })

  describe('linked chats', () => {
    it('a code links one chat once, also with two concurrent attempts', async () => {
      const { channelLinks } = kept
      const userId = nextId('usr')
      await channelLinks.addCode(userId, `CODE${made}`, now + hourMs)
      const code = `CODE${made}`
      const [a, b] = [newChat(), newChat()]
      expect(await channelLinks.findCode(code, newGuesser(), now)).toBe(userId)
      const added = await Promise.all([a, b].map((chat) => channelLinks.add(linkOf(chat, userId), code, null)))
      expect(added.filter(Boolean)).toHaveLength(1)
      expect(await channelLinks.findCode(code, newGuesser(), now)).toBeNull()
      expect(await channelLinks.list(userId)).toHaveLength(1)
    })

    it('a code expires; wrong codes are counted for an hour per person', async () => {
      const { channelLinks } = kept
      const [guesser, code] = [newGuesser(), `LATE${++made}`]
      await channelLinks.addCode(nextId('usr'), code, now + hourMs)
      expect(await channelLinks.findCode(code, guesser, now + hourMs)).toBeNull()
      const guess = (by: typeof guesser, at: number) => channelLinks.findCode('WRONG', by, at)
      for (let i = 0; i < maxGuessesPerHour; i++) expect(await guess(guesser, now)).toBeNull()
      await expect(guess(guesser, now)).rejects.toMatchObject({ code: 'rate-limited' })
      expect(await guess(newGuesser(), now)).toBeNull()
      expect(await guess(guesser, now + hourMs)).toBeNull()
    })

    it('a chat and a person are linked once, up to the user’s limit; an unlinked chat frees its place', async () => {
      const { channelLinks } = kept
      const userId = nextId('usr')
      const links = Array.from({ length: maxLinks }, () => linkOf(newChat(), userId))
      for (const link of links) expect(await channelLinks.add(link, null, null)).toBe(true)
      const [first] = links
      if (!first) throw new Error('no links')
      expect(await channelLinks.add(linkOf(newChat(), userId), null, null)).toBe(false)
      expect(await channelLinks.add(linkOf(first.chat), null, null)).toBe(false)
      expect(await channelLinks.add(linkOf(newChat(), nextId('usr'), { personId: first.personId }), null, null)).toBe(
        false,
      )
      expect(await channelLinks.remove(nextId('usr'), first.id)).toBeNull()
      expect(await channelLinks.remove(userId, first.id)).toEqual(first)
      expect(await channelLinks.remove(userId, first.id)).toBeNull()
      expect(await channelLinks.find(first.chat)).toBeNull()
      expect(await channelLinks.ofPerson('telegram', first.personId)).toBeNull()
      expect(await channelLinks.add(linkOf(newChat(), userId), null, null)).toBe(true)
      expect(await channelLinks.add(linkOf(newChat(), userId), null, null)).toBe(false)
    })

    it('a link is found by chat, person and user, and has one home chat', async () => {
      const { channelLinks } = kept
      const userId = nextId('usr')
      const [direct, group] = [linkOf(newChat(), userId), linkOf(newChat('group'), userId)]
      for (const link of [direct, group]) await channelLinks.add(link, null, null)
      expect(await channelLinks.find(direct.chat)).toEqual(direct)
      expect(await channelLinks.ofPerson('telegram', direct.personId)).toEqual(direct)
      expect(await channelLinks.ofPerson('telegram', group.personId)).toBeNull()
      expect(await channelLinks.chooseHome(userId, 'lnk_other')).toBeNull()
      await channelLinks.chooseHome(userId, direct.id)
      expect(await channelLinks.chooseHome(userId, group.id)).toEqual({ ...group, home: true })
      const homes = (await channelLinks.list(userId)).map(({ id, home }) => [id, home])
      expect(Object.fromEntries(homes)).toEqual({ [direct.id]: false, [group.id]: true })
      expect(await channelLinks.change(userId, direct.id, { state: 'lost' })).toMatchObject({ state: 'lost' })
      expect((await channelLinks.find(direct.chat))?.state).toBe('lost')
      expect(await channelLinks.change(nextId('usr'), direct.id, { state: 'linked' })).toBeNull()
    })
  })

  it('a link moves to another chat once, completely, and never to a chat that has a link', async () => {
    const { channelLinks } = kept
    const userId = nextId('usr')
    const [link, other] = [linkOf(newChat('group'), userId), linkOf(newChat('group'))]
    for (const each of [link, other]) await channelLinks.add(each, null, null)
    expect(await channelLinks.move(link, other.chat.id)).toBeNull()
    expect(await channelLinks.find(link.chat)).toEqual(link)
    const to = newChat('group')
    const both = await Promise.all([channelLinks.move(link, to.id), channelLinks.move(link, to.id)])
    const moved = { ...link, chat: to, formerChatId: link.chat.id }
    expect(both.filter(Boolean)).toEqual([moved])
    expect(await channelLinks.list(userId)).toEqual([moved])
    for (const chat of [link.chat, to]) expect(await channelLinks.find(chat)).toEqual(moved)
    await channelLinks.change(userId, link.id, { state: 'lost' })
    expect(await channelLinks.find(link.chat)).toEqual({ ...moved, state: 'lost' })
    expect(await channelLinks.move(link, newChat('group').id)).toBeNull()
    await channelLinks.remove(userId, link.id)
    for (const chat of [link.chat, to]) expect(await channelLinks.find(chat)).toBeNull()
    expect(await channelLinks.find(other.chat)).toEqual(other)
  })

  it('a linked chat stores its platform’s retry time; an unlinked chat stores nothing', async () => {
    const { channelLinks } = kept
    const link = linkOf(newChat(), nextId('usr'))
    await channelLinks.add(link, null, null)
    await channelLinks.wait(link.chat, now + 5_000)
    expect(await channelLinks.find(link.chat)).toEqual({ ...link, waitUntilMs: now + 5_000 })
    const stranger = newChat()
    await channelLinks.wait(stranger, now)
    expect(await channelLinks.find(stranger)).toBeNull()
  })

  describe('an inbound delivery', () => {
    it('is searched from the oldest open one, without reading a week of settled ones', async () => {
      const { inboundDeliveries } = kept
      const chat = newChat()
      const ids = Array.from({ length: 60 }, (_, i) => String(i + 100))
      for (const id of ids) await inboundDeliveries.add(happened(chat, id))
      for (const id of ids.slice(1))
        await inboundDeliveries.settle(happened(chat, id), { state: 'ignored', userId: null })
      const open = async (from: string) => (await inboundDeliveries.open(chat, from)).map(({ inbound }) => inbound.id)
      expect(await open('159')).toEqual([])
      expect(await open('100')).toEqual(['100'])
    })

    it('is stored once, also with two concurrent attempts, and found in the order of events', async () => {
      const { inboundDeliveries } = kept
      const chat = newChat()
      for (const id of ['003', '001', '002']) expect(await inboundDeliveries.add(happened(chat, id))).toBe(true)
      const again = await Promise.all([happened(chat, '004'), happened(chat, '004')].map(inboundDeliveries.add))
      expect(again.filter(Boolean)).toHaveLength(1)
      expect((await inboundDeliveries.open(chat, '')).map(({ inbound }) => inbound.id)).toEqual([
        '001',
        '002',
        '003',
        '004',
      ])
      expect((await inboundDeliveries.find(chat, '003'))?.inbound.context).toEqual({ thread: '7' })
      expect(await inboundDeliveries.find(newChat(), '003')).toBeNull()
    })

    it('is settled once, and its reply is written once under its key', async () => {
      const { inboundDeliveries, outgoingMessages } = kept
      const [chat, userId] = [newChat(), nextId('usr')]
      const [a, b] = [happened(chat, '1'), happened(chat, '2')]
      for (const delivery of [a, b]) await inboundDeliveries.add(delivery)
      const line = (text: string) => ready(to(userId, chat), 'line#edited', { text }, now)
      expect(await inboundDeliveries.settle(a, { state: 'ignored', reason: 'an edit', userId }, line('first'))).toBe(
        true,
      )
      expect(await inboundDeliveries.settle(a, { state: 'done', userId }, line('again'))).toBe(false)
      expect(await inboundDeliveries.settle(b, { state: 'done', userId: null }, line('second'))).toBe(true)
      expect((await outgoingMessages.find(userId, 'line#edited'))?.final).toEqual({ text: 'first' })
      expect(await inboundDeliveries.find(chat, '1')).toMatchObject({ state: 'ignored', reason: 'an edit', userId })
      expect((await inboundDeliveries.find(chat, '2'))?.userId).toBeUndefined()
      expect(await inboundDeliveries.open(chat, '')).toEqual([])
    })

    it('is due after its own time, then after each failure, and its own user alone can retry it', async () => {
      const { inboundDeliveries } = kept
      const [chat, userId] = [newChat(), nextId('usr')]
      const delivery = happened(chat, '1')
      await inboundDeliveries.add(delivery)
      const isDue = async (at: number) =>
        (await everyShard((shard) => inboundDeliveries.due(shard, at))).filter((due) => due.chat.id === chat.id).length
      expect([await isDue(now + minuteMs - 1), await isDue(now + minuteMs)]).toEqual([0, 1])
      await inboundDeliveries.fail(delivery, 'down', now + hourMs, userId)
      expect(await inboundDeliveries.find(chat, '1')).toMatchObject({
        failures: 1,
        reason: 'down',
        state: 'received',
        dueAt: now + hourMs,
      })
      expect([await isDue(now + hourMs - 1), await isDue(now + hourMs)]).toEqual([0, 1])
      expect(await inboundDeliveries.retry(userId, delivery, now)).toBe(false)
      await inboundDeliveries.fail(delivery, 'gone', null, userId)
      expect([(await inboundDeliveries.find(chat, '1'))?.state, await isDue(now + dayMs)]).toEqual(['failed', 0])
      expect(await inboundDeliveries.settle(delivery, { state: 'done', userId })).toBe(false)
      expect(await inboundDeliveries.retry(nextId('usr'), delivery, now)).toBe(false)
      expect(await inboundDeliveries.retry(userId, delivery, now)).toBe(true)
      expect([await isDue(now), (await inboundDeliveries.open(chat, ''))[0]?.failures]).toEqual([1, 0])
    })

    it('is listed as context since the last request to the agent', async () => {
      const { inboundDeliveries } = kept
      const chat = newChat('group')
      const all = ['1', '2', '3', '4', '5'].map((id) => happened(chat, id, `text ${id}`))
      for (const delivery of all) await inboundDeliveries.add(delivery)
      const [, second, , , fifth] = all
      if (!second || !fifth) throw new Error('too few')
      await inboundDeliveries.settle(second, { state: 'done', userId: null })
      const ids = async (most: number) =>
        (await inboundDeliveries.before(fifth.inbound, most)).map(({ inbound }) => inbound.id)
      expect([await ids(20), await ids(1)]).toEqual([['3', '4'], ['4']])
    })
  })

  describe('an outgoing message', () => {
    const receive = (userId: string, id: string, ...also: Part[]) =>
      kept.conversations.receive(userId, messageOf(id), 'chat', [], undefined, undefined, ...also)

    it('is written in the same transaction as its cause, or not at all', async () => {
      const { outgoingMessages } = kept
      const [chat, userId, id] = [newChat(), nextId('usr'), nextId('msg')]
      await receive(userId, id, outgoingMessages.entry(openReply(userId, chat, 'prm_1')))
      expect(await outgoingMessages.find(userId, 'prm_1')).toMatchObject({ state: 'open', draft: 'begun' })
      await receive(userId, id, outgoingMessages.entry(openReply(userId, chat, 'prm_2')))
      await receive(userId, id, outgoingMessages.finalContent(userId, 'prm_1', { text: 'end' }, now))
      expect(await outgoingMessages.find(userId, 'prm_2')).toBeNull()
      expect((await outgoingMessages.find(userId, 'prm_1'))?.state).toBe('open')
      await receive(userId, nextId('msg'), outgoingMessages.finalContent(userId, 'prm_1', { text: 'end' }, now))
      const ended = await outgoingMessages.find(userId, 'prm_1')
      expect(ended).toMatchObject({ state: 'sending', final: { text: 'end' }, dueAt: now, revision: 0, chat })
      expect(ended?.draft).toBeUndefined()
      const unknown = outgoingMessages.finalContent(userId, 'prm_9', { text: '' }, now)
      await expect(receive(userId, nextId('msg'), unknown)).rejects.toBeInstanceOf(PartRefused)
      expect(unknown.isWritten).toBe(false)
    })

    const begun = async (key = 'prm_1') => {
      const [chat, userId] = [newChat(), nextId('usr')]
      await receive(userId, nextId('msg'), kept.outgoingMessages.entry(openReply(userId, chat, key)))
      const message = await kept.outgoingMessages.find(userId, key)
      if (!message) throw new Error('it is not kept')
      return { userId, chat, message }
    }

    it('grows only while it is open', async () => {
      const { outgoingMessages } = kept
      const { userId } = await begun()
      await outgoingMessages.grow(userId, 'prm_1', 'more')
      expect((await outgoingMessages.openReplies(userId)).map(({ draft }) => draft)).toEqual(['more'])
      await outgoingMessages.replace(userId, 'prm_1', { text: 'stopped' }, now)
      await outgoingMessages.grow(userId, 'prm_1', 'late')
      await outgoingMessages.grow(userId, 'prm_2', 'of nothing')
      const found = await outgoingMessages.find(userId, 'prm_1')
      expect([found?.draft, found?.final, found?.revision]).toEqual([undefined, { text: 'stopped' }, 1])
      expect(await outgoingMessages.find(userId, 'prm_2')).toBeNull()
      expect(await outgoingMessages.openReplies(userId)).toEqual([])
    })

    it('has one sender at a time, which records its progress', async () => {
      const { outgoingMessages } = kept
      const { userId, message } = await begun()
      expect(await outgoingMessages.sent(userId, 'prm_1')).toMatchObject({
        messageIds: [],
        finished: 0,
        heldUntilMs: 0,
      })
      const tries = await Promise.all([1, 2, 3].map(() => outgoingMessages.hold(message, now, now + minuteMs)))
      const [held] = tries.filter((hold) => hold !== null)
      expect([tries.filter((hold) => hold !== null).length, held?.heldUntilMs]).toEqual([1, now + minuteMs])
      if (!held) throw new Error('nobody has it')
      await outgoingMessages.recordSent(message, held, { ...held, messageIds: ['a'] })
      expect(await outgoingMessages.hold(message, now + minuteMs - 1, now + hourMs)).toBeNull()
      const later = await outgoingMessages.hold(message, now + minuteMs, now + 2 * minuteMs)
      expect(later?.messageIds).toEqual(['a'])
      await expect(outgoingMessages.recordSent(message, held, held)).rejects.toThrow('somebody else')
      if (!later) throw new Error('it is held for ever')
      await outgoingMessages.recordSent(message, later, { ...later, finished: 1, heldUntilMs: 0 })
      expect(await outgoingMessages.hold(message, now, now + 1)).toMatchObject({ finished: 1, messageIds: ['a'] })
    })

    it('is completed only if its text is unchanged since the sender read it', async () => {
      const { outgoingMessages } = kept
      const { userId } = await begun()
      await outgoingMessages.replace(userId, 'prm_1', { text: 'one' }, now)
      const read = await outgoingMessages.find(userId, 'prm_1')
      if (!read) throw new Error('it is gone')
      await outgoingMessages.replace(userId, 'prm_1', { text: 'two' }, now)
      const sent = { state: 'sent', failures: 0, reason: null, dueAt: null } as const
      expect(await outgoingMessages.settle(read, sent)).toBe(false)
      const again = await outgoingMessages.find(userId, 'prm_1')
      if (!again) throw new Error('it is gone')
      expect([again.state, again.dueAt, again.final]).toEqual(['sending', now, { text: 'two' }])
      expect(await outgoingMessages.settle(again, sent)).toBe(true)
      expect(await outgoingMessages.settle(again, sent)).toBe(false)
      expect((await outgoingMessages.find(userId, 'prm_1'))?.dueAt).toBeUndefined()
    })

    it('is due at its time; only a failed message can be retried', async () => {
      const { outgoingMessages } = kept
      const { userId } = await begun()
      const isDue = async (at: number) =>
        (await everyShard((shard) => outgoingMessages.due(shard, at))).filter((due) => due.userId === userId).length
      expect([await isDue(now), await isDue(now + 10 * minuteMs)]).toEqual([0, 1])
      await outgoingMessages.replace(userId, 'prm_1', { text: 'end' }, now)
      expect(await outgoingMessages.due(shardOf(userId), now)).toContainEqual({ userId, key: 'prm_1' })
      const message = await outgoingMessages.find(userId, 'prm_1')
      if (!message) throw new Error('it is gone')
      await outgoingMessages.settle(message, { state: 'sending', failures: 1, reason: 'down', dueAt: now + hourMs })
      expect([await isDue(now + hourMs - 1), await isDue(now + hourMs)]).toEqual([0, 1])
      expect(await outgoingMessages.retry(userId, 'prm_1', now)).toBe(false)
      await outgoingMessages.settle(message, { state: 'failed', failures: 2, reason: 'gone', dueAt: null })
      expect([await isDue(now + dayMs), (await outgoingMessages.find(userId, 'prm_1'))?.reason]).toEqual([0, 'gone'])
      expect(await outgoingMessages.retry(userId, 'prm_1', now)).toBe(true)
      expect([await isDue(now), (await outgoingMessages.find(userId, 'prm_1'))?.failures]).toEqual([1, 0])
    })
  })

  it('is listed in its user’s deliveries, newest first, page by page', async () => {
    const { inboundDeliveries, deliveryLog } = kept
    const [chat, userId] = [newChat(), nextId('usr')]
    for (let i = 1; i <= 5; i++) {
      const delivery = happened(chat, String(i), `text ${i}`, now + i * minuteMs)
      await inboundDeliveries.add(delivery)
      const line = i === 3 ? ready(to(userId, chat), 'line#x', { text: 'said' }, now + 3.5 * minuteMs) : null
      await inboundDeliveries.settle(delivery, { state: 'done', userId: i === 5 ? null : userId }, line)
    }
    const seen: string[] = []
    let after: string | null = null
    do {
      const page = await deliveryLog.list(userId, { after, limit: 2 })
      expect(page.items.length).toBeLessThanOrEqual(2)
      seen.push(...page.items.map((item) => ('in' in item ? item.in.inbound.id : item.out.key)))
      after = page.next
    } while (after !== null)
    expect(seen).toEqual(['4', 'line#x', '3', '2', '1'])
  })
})

describe('over DynamoDB', () => {
  it('a chat’s items expire by themselves and are deleted with the account, including the count of links', async () => {
    const { ports } = world
    const { channelLinks, inboundDeliveries, outgoingMessages } = ports
    const [chat, userId] = [newChat(), nextId('usr')]
    await channelLinks.add(linkOf(chat, userId), null, null)
    const delivery = happened(chat, '1')
    await inboundDeliveries.add(delivery)
    await inboundDeliveries.settle(
      delivery,
      { state: 'done', userId },
      ready(to(userId, chat), 'line#y', { text: 'said' }, now),
    )
    const line = await outgoingMessages.find(userId, 'line#y')
    if (!line) throw new Error('it is not kept')
    await outgoingMessages.hold(line, now, now + minuteMs)
    const mine = async () => (await everyItem(world)).filter((item) => JSON.stringify(item).includes(userId))
    const items = await mine()
    expect(items.map(({ item }) => item?.S?.split(/[#_]/)[0]).sort()).toEqual([
      'in',
      'link',
      'link',
      'link',
      'links',
      'out',
      'sent',
    ])
    const ends = items
      .filter(({ item }) => /^(in|out|sent)#/.test(item?.S ?? ''))
      .map(({ ttl }) => Number(ttl?.N) * 1000)
    expect(ends).toEqual([now + 7 * dayMs, now + 7 * dayMs, now + 7 * dayMs])
    await ports.erasure.deletePersonalData(userId)
    expect(await mine()).toEqual([])
  })
})
