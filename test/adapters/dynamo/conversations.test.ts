import { conversations } from '../../../adapters/dynamo/chat/conversations.ts'
import { events } from '../../../adapters/dynamo/chat/events.ts'
import type { Conversations } from '../../../app/chat/ports.ts'
import { leaseMs, type Message } from '../../../domain/chat/message.ts'
import { ulid } from '../../../domain/ids.ts'
import { iso } from '../../../domain/time.ts'
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
  channel: 'web',
  at: iso(now),
})

async function receive(userId: string, text: string, conversation = 'web'): Promise<string> {
  const received = message(text)
  const id = fresh('prm')
  const { channel, at } = received
  await port.receive(userId, received, {
    id,
    kind: 'message',
    messageId: received.id,
    conversation,
    channel,
    trigger: 'chat',
    text,
    at,
  })
  return id
}

const lease = async (userId: string, generation: number, nowMs: number) =>
  (await port.next(userId, generation, nowMs, { prompts: true, tasks: false })).prompt

const faults: Fault[] = ['before', 'after', 'throttled', 'conflict']

describe('leasing', () => {
  it('hands out the oldest prompt, and in one conversation one at a time', async () => {
    const userId = fresh('usr')
    const [first, second, other] = [
      await receive(userId, 'one'),
      await receive(userId, 'two'),
      await receive(userId, 'three', 'telegram:1'),
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

  it('hands a prompt to one of many who ask at once', async () => {
    const userId = fresh('usr')
    await receive(userId, 'one')
    await receive(userId, 'two')
    const leases = await Promise.all(Array.from({ length: 10 }, () => lease(userId, 1, now)))
    expect(leases.filter((one) => one !== null)).toHaveLength(1)
  })

  it('hands it out again when its time is up, unless it was renewed', async () => {
    const userId = fresh('usr')
    const id = await receive(userId, 'one')
    await lease(userId, 1, now)
    expect(await port.renewLease(userId, id, 1, now + leaseMs - 1)).toMatchObject({ id, attempt: 1 })
    expect(await lease(userId, 1, now + leaseMs)).toBeNull()
    expect(await lease(userId, 1, now + 2 * leaseMs)).toMatchObject({ id, attempt: 2 })
  })

  it('hands it to the next generation at once, and never back', async () => {
    const userId = fresh('usr')
    const id = await receive(userId, 'one')
    await lease(userId, 1, now)
    expect(await lease(userId, 2, now)).toMatchObject({ id, attempt: 2 })
    expect(await port.renewLease(userId, id, 1, now)).toBeNull()
    expect(await lease(userId, 1, now + 2 * leaseMs)).toBeNull()
  })

  it.each(faults)('loses and doubles nothing when a request meets "%s"', async (fault) => {
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
    expect((await port.messages(userId, { after: null, limit: 9 })).items.map(({ text }) => text)).toEqual([
      'one',
      'done',
    ])
  })
})

describe('replying', () => {
  it('happens once a prompt, in one call; later replies answer the first', async () => {
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
    expect((await port.messages(userId, { after: null, limit: 9 })).items.map(({ text }) => text)).toEqual([
      'question',
      'answer',
    ])
  })

  it('is a conflict after a close without one, and not-found for what never was', async () => {
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
    expect((await port.messages(userId, { after: null, limit: 9 })).items).toHaveLength(1)
  })

  it('closes once when many close at once, a reply in between included', async () => {
    const userId = fresh('usr')
    const id = await receive(userId, 'question')
    const reply = port.reply(userId, id, message('answer', 'agent')).catch((error: unknown) => error)
    const closed = await Promise.all(Array.from({ length: 6 }, () => port.close(userId, id, 'completed')))
    await reply
    expect(closed.filter(Boolean)).toHaveLength(1)
  })
})

describe('messages', () => {
  it('come oldest first: the newest page, or what follows a message', async () => {
    const userId = fresh('usr')
    for (const text of ['a', 'b', 'c', 'd', 'e']) await receive(userId, text)
    const texts = async (after: string | null, limit: number) => {
      const page = await port.messages(userId, { after, limit })
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
    expect(await port.messages(fresh('usr'), { after: null, limit: 2 })).toEqual({ items: [], next: null })
  })

  it('keep every field', async () => {
    const userId = fresh('usr')
    const id = await receive(userId, 'question')
    const reply: Message = { ...message('answer', 'agent'), inReplyTo: fresh('msg'), costMicros: 12 }
    await port.reply(userId, id, reply)
    expect((await port.messages(userId, { after: null, limit: 1 })).items).toEqual([reply])
  })
})

describe('events', () => {
  it('follow one another, from the beginning or from a known one', async () => {
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
