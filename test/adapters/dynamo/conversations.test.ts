import { remove } from '../../../adapters/dynamo/calls.ts'
import { conversations } from '../../../adapters/dynamo/chat/conversations.ts'
import { events } from '../../../adapters/dynamo/chat/events.ts'
import type { Conversations } from '../../../app/ports/chat.ts'
import { type Conversation, newConversation } from '../../../domain/chat/conversation.ts'
import { leaseMs, type Message, type TurnTrigger } from '../../../domain/chat/message.ts'
import type { MessageLimits } from '../../../domain/chat/message-limits.ts'
import { promptIdOf } from '../../../domain/chat/names.ts'
import { ulid } from '../../../domain/ids.ts'
import { dayMs, hourMs, iso } from '../../../domain/time.ts'
import { counted, type Engine, type Fault, inject, startEngine } from '../engine.ts'

let engine: Engine
let port: Conversations
beforeAll(async () => {
  engine = await startEngine()
  port = conversations(engine.env)
})
afterAll(() => engine.stop())

const now = Date.parse('2026-11-20T12:00:00.000Z')
let made = 0
const fresh = (prefix: string) => `${prefix}_${ulid(now + ++made, new Uint8Array(16))}`

const message = (text: string, role: Message['role'] = 'user'): Message => ({
  id: fresh('msg'),
  role,
  text,
  conversation: 'main',
  channel: 'web',
  at: iso(now),
})

async function receive(userId: string, text: string, conversation = 'main'): Promise<string> {
  const received = { ...message(text), conversation }
  await port.receive(userId, received, 'chat')
  return promptIdOf(received.id)
}

/** A conversation next to the main one. */
async function start(userId: string, more: Partial<Conversation> = {}): Promise<string> {
  const id = fresh('cnv')
  await port.start(userId, newConversation({ id, title: null, startedBy: 'user', createdAt: iso(now), ...more }))
  return id
}

const lease = async (userId: string, generation: number, nowMs: number) =>
  (await port.next(userId, generation, nowMs, { prompts: true, tasks: false })).prompt

const faults: Fault[] = ['before', 'after', 'throttled', 'conflict']

describe('unanswered input', () => {
  const roomy = { waiting: 1_000, waitingBytes: 1e9, aDay: 1_000, bytesADay: 1e9 }
  const send = async (
    userId: string,
    limits: MessageLimits,
    text = 'hello',
    at = now,
    trigger: TurnTrigger = 'chat',
  ) => {
    const received = { ...message(text), at: iso(at) }
    await port.receive(userId, received, trigger, [], undefined, limits)
    return received.id
  }
  const full = { code: 'conflict', message: expect.stringMatching(/wait for an answer.*Resume.*stop some/) }
  const fullToday = { code: 'conflict', message: expect.stringContaining('after 00:00 UTC') }

  it('is limited per user in the write itself, however many messages arrive at once and from any channel', async () => {
    const userId = fresh('usr')
    const limits = { ...roomy, waiting: 3 }
    const sent = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => send(userId, limits, 'hello', now, i % 2 ? 'chat' : 'schedule')),
    )
    const taken = sent.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    expect(taken).toHaveLength(3)
    for (const each of sent) if (each.status === 'rejected') expect(each.reason).toMatchObject(full)
    expect((await port.messages(userId, { conversation: 'main', after: null, limit: 50 })).items).toHaveLength(3)
    expect(await send(fresh('usr'), limits)).toEqual(expect.any(String))
  })

  it('frees its place when it is answered or stopped, and a repeated message counts once', async () => {
    const userId = fresh('usr')
    const limits = { ...roomy, waiting: 2 }
    const first = await send(userId, limits)
    const again = { ...message('again'), at: iso(now) }
    for (let i = 0; i < 3; i++) await port.receive(userId, again, 'chat', [], undefined, limits)
    await expect(send(userId, limits)).rejects.toMatchObject(full)
    await port.stop(userId, first, now)
    await port.stop(userId, first, now)
    await send(userId, limits)
    await expect(send(userId, limits)).rejects.toMatchObject(full)
    const leased = await lease(userId, 1, now)
    await port.close(userId, leased?.id ?? '', 'completed')
    await port.close(userId, leased?.id ?? '', 'completed')
    await send(userId, limits)
    await expect(send(userId, limits)).rejects.toMatchObject(full)
  })

  it('is limited by the bytes of its texts', async () => {
    const userId = fresh('usr')
    const limits = { ...roomy, waitingBytes: 100 }
    const first = await send(userId, limits, 'ä'.repeat(30))
    await expect(send(userId, limits, 'x'.repeat(41))).rejects.toMatchObject(full)
    await send(userId, limits, 'x'.repeat(40))
    await port.stop(userId, first, now)
    await send(userId, limits, 'x'.repeat(60))
  })

  it('from people is limited per day by the plan, even when everything was answered', async () => {
    const userId = fresh('usr')
    const limits = { ...roomy, aDay: 2, bytesADay: 1_000 }
    for (let i = 0; i < 2; i++) await port.stop(userId, await send(userId, limits), now)
    await expect(send(userId, limits)).rejects.toMatchObject(fullToday)
    // The plan limits the messages of schedules and hooks.
    await send(userId, limits, 'hello', now, 'schedule')
    const tomorrow = now + dayMs
    await send(userId, limits, 'x'.repeat(900), tomorrow)
    await expect(send(userId, limits, 'x'.repeat(101), tomorrow)).rejects.toMatchObject(fullToday)
    await send(userId, limits, 'x'.repeat(100), tomorrow)
  })

  it('is recounted once an hour, because an earlier release ended some input without lowering the count', async () => {
    const userId = fresh('usr')
    const limits = { ...roomy, waiting: 2 }
    const [lost] = [await send(userId, limits), await send(userId, limits)]
    await remove(engine.env.table('conversations'), { userId, item: promptIdOf(lost) })
    await send(userId, limits)
    await expect(send(userId, limits)).rejects.toMatchObject(full)
    await expect(send(userId, limits, 'hello', now + 2 * hourMs)).rejects.toMatchObject(full)
  })
})

describe('leasing', () => {
  it('returns the oldest prompt, one at a time per conversation', async () => {
    const userId = fresh('usr')
    const [first, second, other] = [
      await receive(userId, 'one'),
      await receive(userId, 'two'),
      await receive(userId, 'three', await start(userId)),
    ]
    expect(await port.openPrompt(userId, first)).toBeNull()
    const leased = await lease(userId, 1, now)
    expect(leased).toMatchObject({ id: first, text: 'one', attempt: 1, leaseExpiresAt: iso(now + leaseMs) })
    expect(await port.openPrompt(userId, first)).toEqual(leased)
    expect(await lease(userId, 1, now)).toMatchObject({ id: other })
    expect(await lease(userId, 1, now)).toBeNull()
    expect(await port.close(userId, first, 'completed')).toBe(true)
    expect(await lease(userId, 1, now)).toMatchObject({ id: second })
    expect(await lease(fresh('usr'), 1, now)).toBeNull()
  })

  it('gives a prompt to one of many concurrent requests', async () => {
    const userId = fresh('usr')
    await receive(userId, 'one')
    await receive(userId, 'two')
    const leases = await Promise.all(Array.from({ length: 10 }, () => lease(userId, 1, now)))
    expect(leases.filter((leased) => leased !== null)).toHaveLength(1)
  })

  it('returns a prompt again after its lease, unless the lease was renewed', async () => {
    const userId = fresh('usr')
    const id = await receive(userId, 'one')
    await lease(userId, 1, now)
    expect(await port.renewLease(userId, id, 1, now + leaseMs - 1)).toMatchObject({ id, attempt: 1 })
    expect(await lease(userId, 1, now + leaseMs)).toBeNull()
    expect(await lease(userId, 1, now + 2 * leaseMs)).toMatchObject({ id, attempt: 2 })
  })

  it('gives a prompt to the next generation at once, and never back', async () => {
    const userId = fresh('usr')
    const id = await receive(userId, 'one')
    await lease(userId, 1, now)
    expect(await lease(userId, 2, now)).toMatchObject({ id, attempt: 2 })
    expect(await port.renewLease(userId, id, 1, now)).toBeNull()
    expect(await lease(userId, 1, now + 2 * leaseMs)).toBeNull()
  })

  it.each(faults)('loses and duplicates nothing when a request fails with "%s"', async (fault) => {
    const userId = fresh('usr')
    inject(fault)
    const id = await receive(userId, 'one')
    for (const nth of [0, 1]) {
      inject(fault, nth)
      expect(await lease(userId, nth + 1, now)).toMatchObject({ id, attempt: nth + 1 })
    }
    const reply = message('done', 'agent')
    inject(fault)
    expect(await port.reply(userId, id, reply)).toEqual(reply)
    inject(fault, 1)
    expect(await port.close(userId, id, 'completed')).toBe(true)
    expect(
      (await port.messages(userId, { conversation: 'main', after: null, limit: 9 })).items.map(({ text }) => text),
    ).toEqual(['one', 'done'])
  })
})

describe('replying', () => {
  it('happens once per prompt, in one request; later replies return the first', async () => {
    const userId = fresh('usr')
    const id = await receive(userId, 'question')
    await lease(userId, 1, now)
    const first = message('answer', 'agent')
    const { result, calls } = await counted(() => port.reply(userId, id, first))
    expect([result, calls.length]).toEqual([first, 1])
    const others = await Promise.all(
      Array.from({ length: 5 }, (_, i) => port.reply(userId, id, message(`again ${i}`, 'agent'))),
    )
    expect(others).toEqual(Array.from({ length: 5 }, () => first))
    await port.close(userId, id, 'completed')
    expect(await port.reply(userId, id, message('late', 'agent'))).toEqual(first)
    expect(
      (await port.messages(userId, { conversation: 'main', after: null, limit: 9 })).items.map(({ text }) => text),
    ).toEqual(['question', 'answer'])
  })

  it('is a conflict after the prompt was closed without a reply, and not-found for an unknown prompt', async () => {
    const userId = fresh('usr')
    const id = await receive(userId, 'question')
    await lease(userId, 1, now)
    expect(await port.close(userId, id, 'failed')).toBe(true)
    expect(await port.close(userId, id, 'completed')).toBe(false)
    await expect(port.close(userId, fresh('prm'), 'completed')).rejects.toMatchObject({ code: 'not-found' })
    expect(await port.openPrompt(userId, id)).toBeNull()
    expect(await port.renewLease(userId, id, 1, now)).toBeNull()
    await expect(port.reply(userId, id, message('late', 'agent'))).rejects.toMatchObject({ code: 'conflict' })
    await expect(port.reply(userId, fresh('prm'), message('x', 'agent'))).rejects.toMatchObject({ code: 'not-found' })
    const stranger = await receive(fresh('usr'), 'mine')
    await expect(port.reply(userId, stranger, message('x', 'agent'))).rejects.toMatchObject({ code: 'not-found' })
    await expect(port.reply(userId, '../wallet', message('x', 'agent'))).rejects.toMatchObject({ code: 'not-found' })
    expect((await port.messages(userId, { conversation: 'main', after: null, limit: 9 })).items).toHaveLength(1)
  })

  it('closes a prompt once when many close it at once, including a concurrent reply', async () => {
    const userId = fresh('usr')
    const id = await receive(userId, 'question')
    const reply = port.reply(userId, id, message('answer', 'agent')).catch((error: unknown) => error)
    const closed = await Promise.all(Array.from({ length: 6 }, () => port.close(userId, id, 'completed')))
    await reply
    expect(closed.filter(Boolean)).toHaveLength(1)
  })
})

describe('messages', () => {
  it('are listed oldest first: the newest page, or the messages after a given one', async () => {
    const userId = fresh('usr')
    for (const text of ['a', 'b', 'c', 'd', 'e']) await receive(userId, text)
    const texts = async (after: string | null, limit: number) => {
      const page = await port.messages(userId, { conversation: 'main', after, limit })
      return { texts: page.items.map(({ text }) => text), next: page.next, ids: page.items.map(({ id }) => id) }
    }
    const newest = await texts(null, 3)
    expect(newest).toMatchObject({ texts: ['c', 'd', 'e'], next: newest.ids[0] })
    const all = await texts(null, 10)
    const after = await texts(all.ids[0] ?? '', 2)
    expect(after).toMatchObject({ texts: ['b', 'c'], next: all.ids[2] })
    expect(await texts(after.next, 2)).toMatchObject({ texts: ['d', 'e'], next: null })
    expect(await texts(all.ids[4] ?? '', 2)).toMatchObject({ texts: [], next: null })
    expect(await texts('prm_', 2)).toMatchObject({ texts: [] })
    expect(await port.messages(fresh('usr'), { conversation: 'main', after: null, limit: 2 })).toEqual({
      items: [],
      next: null,
    })
  })

  it('keep every field', async () => {
    const userId = fresh('usr')
    const id = await receive(userId, 'question')
    const reply: Message = { ...message('answer', 'agent'), inReplyTo: fresh('msg') }
    await port.reply(userId, id, reply)
    expect((await port.messages(userId, { conversation: 'main', after: null, limit: 1 })).items).toEqual([reply])
  })
})

describe('conversations', () => {
  const textsIn = async (userId: string, conversation: string) =>
    (await port.messages(userId, { conversation, after: null, limit: 9 })).items.map(({ text }) => text)

  it('hold only their own messages', async () => {
    const userId = fresh('usr')
    const id = await start(userId)
    await receive(userId, 'here')
    const prompt = await receive(userId, 'there', id)
    await port.reply(userId, prompt, { ...message('answer there', 'agent'), conversation: id })
    expect([await textsIn(userId, 'main'), await textsIn(userId, id)]).toEqual([['here'], ['there', 'answer there']])
    expect(await textsIn(fresh('usr'), id)).toEqual([])
  })

  it('take their title from the first message, and leave the archive with the next message', async () => {
    const userId = fresh('usr')
    const id = await start(userId)
    await receive(userId, `Plan the trip to Lisbon and to ${'all '.repeat(9)}its towns\nplease`, id)
    const title = 'Plan the trip to Lisbon and to all all all all all all all…'
    expect((await port.list(userId, { after: null, limit: 9 })).items).toMatchObject([
      { id, title, lastMessageAt: iso(now) },
    ])
    expect(await port.change(userId, id, { archived: true })).toMatchObject({ title, archived: true })
    await receive(userId, 'and back', id)
    expect((await port.list(userId, { after: null, limit: 9 })).items).toMatchObject([{ title, archived: false }])
  })

  it('that do not exist accept no message, no prompt and no unprompted message', async () => {
    const userId = fresh('usr')
    const others = await start(fresh('usr'))
    await expect(receive(userId, 'lost', others)).rejects.toMatchObject({ code: 'not-found' })
    const unasked = { ...message('psst', 'agent'), conversation: others }
    await expect(port.say(userId, 'k', unasked, null, now)).rejects.toMatchObject({ code: 'not-found' })
    expect(await port.openSince(userId, 0)).toBe(false)
    expect((await port.everyMessage(userId, { after: null, limit: 9 })).items).toEqual([])
    expect((await port.list(userId, { after: null, limit: 9 })).items).toEqual([])
    // The rejected message has not used up its key.
    const said = message('psst', 'agent')
    expect(await port.say(userId, 'k', said, null, now)).toEqual(said)
    expect(await port.change(userId, others, { title: 'mine' })).toBeNull()
  })

  it.each(faults)('start once with the first unprompted message, also after a fault %s', async (fault) => {
    const userId = fresh('usr')
    const say = () => {
      const id = fresh('cnv')
      const opened = {
        id,
        title: 'Tides',
        startedBy: 'agent',
        archived: false,
        pinned: false,
        unread: true,
        model: null,
      } as const
      const said = { ...message('High tide at ten.', 'agent'), conversation: id }
      return port.say(userId, 'once', said, { ...opened, createdAt: iso(now), lastMessageAt: iso(now) }, now)
    }
    inject(fault)
    const first = await say()
    expect(await say()).toEqual(first)
    const { items } = await port.list(userId, { after: null, limit: 9 })
    expect(items).toMatchObject([{ id: first.conversation, title: 'Tides', startedBy: 'agent' }])
    expect(await textsIn(userId, first.conversation)).toEqual(['High tide at ten.'])
  })

  it('are listed page by page, latest start first; so are the messages of all conversations', async () => {
    const userId = fresh('usr')
    const ids = [await start(userId), await start(userId), await start(userId)]
    const page = await port.list(userId, { after: null, limit: 2 })
    expect(page.items.map(({ id }) => id)).toEqual([ids[2], ids[1]])
    const rest = await port.list(userId, { after: page.next, limit: 2 })
    expect([rest.items.map(({ id }) => id), rest.next]).toEqual([[ids[0]], null])
    for (const conversation of [...ids, 'main'])
      for (const text of ['a', 'b']) await receive(userId, text, conversation)
    const said: string[] = []
    for (let after: string | null = null; ; ) {
      const { items, next } = await port.everyMessage(userId, { after, limit: 3 })
      said.push(...items.map(({ conversation, text }) => `${ids.indexOf(conversation)}${text}`))
      if (next === null) break
      after = next
    }
    expect(said).toEqual(['0a', '0b', '1a', '1b', '2a', '2b', '-1a', '-1b'])
  })
})

describe('events', () => {
  it('are listed in order, from the beginning or after a given one', async () => {
    const log = events(engine.env)
    const userId = fresh('usr')
    const data = { text: 'é', nothing: null, list: [1, 'two', { three: true }] }
    await log.record(userId, 'message.received', data)
    await new Promise((resolve) => setTimeout(resolve, 5))
    await log.record(userId, 'message.sent', {})
    const recent = await log.after(userId, 'evt_', 10)
    expect(recent.map(({ type }) => type)).toEqual(['message.received', 'message.sent'])
    expect(recent[0]?.data).toEqual(data)
    expect(await log.after(userId, recent[0]?.id ?? '', 10)).toEqual(recent.slice(1))
    expect(await log.after(userId, 'evt_', 1)).toEqual(recent.slice(0, 1))
    expect(await log.after(userId, recent[1]?.id ?? '', 10)).toEqual([])
    expect(await log.after(fresh('usr'), 'evt_', 10)).toEqual([])
  })
})
