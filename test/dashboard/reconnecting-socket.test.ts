import fc from 'fast-check'
import { ReconnectingSocket, type SentMessage } from '../../dashboard/data/reconnecting-socket.ts'
import { type Event, momentBefore, readUpTo } from '../../domain/chat/event.ts'
import { ulid } from '../../domain/ids.ts'
import type { ReaderMessage, TextPiece } from '../../domain/socket/message.ts'
import { ReaderState } from '../../domain/socket/reader-state.ts'
import { hourMs, iso, minuteMs, secondMs } from '../../domain/time.ts'
import { seeded } from '../counts.ts'
import { piecesOf } from '../growing-text.ts'

const start = Date.parse('2026-11-01T12:00:00.000Z')
const promptId = 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0'

let count = 0
function eventAt(ms: number, type: Event['type'] = 'wallet.charged', data: Event['data'] = {}): Event {
  count++
  const random = Uint8Array.from({ length: 16 }, (_, at) => (count >> (5 * (15 - at))) & 31)
  return { id: `evt_${ulid(ms, random)}`, type, at: iso(ms), data }
}

/** The fate of one push on its way. */
type Fate = 'lost' | 'doubled' | number

/** The service, a network and a page, on their own clock. */
class World {
  nowMs = start
  readonly reader = new ReaderState()
  readonly sent: { atMs: number; message: SentMessage }[] = []
  readonly connectedAt: number[] = []
  readonly told: string[] = []
  readonly seen: Event[] = []
  readonly events: Event[] = []
  asked = 0
  /** Whether handshakes are accepted; whether the service answers messages. */
  lets = true
  answers = true
  text: TextPiece | null = null
  #connection: number | null = null
  #connections = 0
  readonly #todo: { atMs: number; run: () => void }[] = []
  readonly socket: ReconnectingSocket

  constructor(resumedMs = 0) {
    this.socket = new ReconnectingSocket(this.reader, resumedMs, {
      connect: () => {
        const made = ++this.#connections
        this.#connection = made
        this.connectedAt.push(this.nowMs)
        this.after(50, () => {
          if (this.#connection !== made) return
          if (this.lets) this.socket.opened(this.nowMs)
          else this.cut()
        })
      },
      disconnect: () => {
        this.#connection = null
      },
      send: (message) => {
        this.sent.push({ atMs: this.nowMs, message })
        if (this.answers) this.#answer(message)
      },
      checkSession: () => {
        this.asked++
      },
      opened: (missed) => this.told.push(missed ? 'missed' : 'open'),
      closed: () => this.told.push('closed'),
      random: () => 0.5,
    })
  }

  after(ms: number, run: () => void): void {
    this.#todo.push({ atMs: this.nowMs + ms, run })
  }

  /** Delivers a message over the open connection in 30 ms, or never. */
  push(message: ReaderMessage, fate: Fate = 30): void {
    const over = this.#connection
    if (fate === 'lost' || !this.socket.isOpen) return
    const deliver = () => {
      if (this.#connection !== over) return
      this.seen.push(...this.reader.receive(message).events)
      this.socket.received(message, this.nowMs)
    }
    this.after(typeof fate === 'number' ? fate : 30, deliver)
    if (fate === 'doubled') this.after(400, deliver)
  }

  record(event: Event, fate?: Fate): void {
    this.events.push(event)
    this.push({ type: 'events', events: [event] }, fate)
  }

  cut(): void {
    if (this.#connection === null) return
    this.#connection = null
    this.socket.closed(this.nowMs)
  }

  run(untilMs: number): void {
    for (;;) {
      const todoMs = Math.min(...this.#todo.map(({ atMs }) => atMs))
      const nextMs = Math.min(todoMs, this.socket.nextMs ?? Number.POSITIVE_INFINITY)
      if (nextMs > untilMs) break
      this.nowMs = Math.max(this.nowMs, nextMs)
      if (todoMs === nextMs) {
        const [first] = this.#todo.splice(
          this.#todo.findIndex(({ atMs }) => atMs === todoMs),
          1,
        )
        first?.run()
      } else this.socket.tick(this.nowMs)
    }
    this.nowMs = untilMs
  }

  resumes(): (string | null)[] {
    return this.sent.flatMap(({ message }) => (message.action === 'resume' ? [message.after] : []))
  }

  /** As the service does: `app/socket/receive.ts`. */
  #answer(message: SentMessage): void {
    if (message.action === 'ping') return
    if (this.text)
      for (const piece of piecesOf(this.text.text, message.action === 'missing' ? message.from : 0))
        this.push({ type: 'text', ...this.text, ...piece })
    if (message.action === 'missing') return
    const from = message.after ?? momentBefore(this.nowMs)
    const events = this.events.filter(({ id }) => id > from)
    if (events.length > 0) this.push({ type: 'events', events })
    const youngest = events.map(({ id }) => id).toSorted()
    this.push({ type: 'resumed', upTo: readUpTo(from, youngest.at(-1)) })
  }
}

function opened(): World {
  const world = new World()
  world.socket.connect(world.nowMs)
  world.run(start + secondMs)
  return world
}

describe('a reconnecting socket', () => {
  test('asks on its first connection for events from now on, and makes the pages load earlier data', () => {
    const world = opened()
    expect([world.told, world.resumes()]).toEqual([['missed'], [null]])
  })

  test('resumes a broken connection after the last complete event, and reloads nothing', () => {
    const world = opened()
    const event = eventAt(world.nowMs)
    world.record(event)
    world.run(world.nowMs + 25 * minuteMs)
    world.cut()
    world.run(world.nowMs + 5 * secondMs)
    expect(world.told).toEqual(['missed', 'closed', 'open'])
    expect(world.resumes().at(-1)).toBe(momentBefore(start + secondMs))
  })

  test('makes the pages reload after hours', () => {
    const world = opened()
    world.cut()
    world.nowMs += 3 * hourMs
    world.run(world.nowMs + 5 * secondMs)
    expect([world.told, world.resumes()]).toEqual([
      ['missed', 'closed', 'missed'],
      [null, null],
    ])
  })

  test('reconnects with pauses from one second to thirty, and checks on each refusal whether the session is over', () => {
    const world = new World()
    world.lets = false
    world.socket.connect(world.nowMs)
    world.run(start + 5 * minuteMs)
    const pauses = world.connectedAt.slice(1).map((ms, at) => ms - (world.connectedAt[at] ?? 0) - 50)
    expect(pauses.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * 750))
    expect(world.asked).toBe(world.told.length)
    expect(new Set(world.told)).toEqual(new Set(['closed']))
  })

  test('makes the pauses longer after a short connection, and short again after a long one', () => {
    const world = opened()
    for (let i = 0; i < 4; i++) {
      world.cut()
      world.run(world.nowMs + 10 * secondMs)
    }
    const before = world.connectedAt.length
    world.cut()
    world.run(world.nowMs + 11 * secondMs)
    expect(world.connectedAt.length).toBe(before)
    world.run(world.nowMs + 3 * minuteMs)
    world.cut()
    world.run(world.nowMs + secondMs)
    expect(world.connectedAt.length).toBe(before + 2)
    expect(world.asked).toBe(0)
  })

  test('renews its connection before the two hours are over, which no page notices', () => {
    const world = opened()
    world.run(start + 6 * hourMs)
    const ages = world.connectedAt.slice(1).map((ms, at) => ms - (world.connectedAt[at] ?? 0))
    expect(ages.length).toBe(3)
    for (const age of ages) expect(age).toBeLessThan(115 * minuteMs)
    expect(world.told).toEqual(['missed', 'open', 'open', 'open'])
  })

  test('gives up a handshake, or a resume, without an answer', () => {
    const world = opened()
    world.answers = false
    world.run(start + 21 * minuteMs)
    expect(world.told.slice(0, 3)).toEqual(['missed', 'closed', 'open'])
  })

  test('runs three functions an hour while nothing happens, and is never idle for ten minutes', () => {
    const world = opened()
    const before = world.sent.length
    world.run(start + hourMs + minuteMs)
    const sent = world.sent.slice(before)
    expect(sent.filter(({ message }) => message.action !== 'ping').length).toBeLessThanOrEqual(3)
    const times = [start, ...sent.map(({ atMs }) => atMs)]
    for (const [at, ms] of times.slice(1).entries()) expect(ms - (times[at] ?? 0)).toBeLessThan(10 * minuteMs)
  })

  test('asks once a minute, and no longer, while an expected reply does not arrive', () => {
    const world = opened()
    const before = world.sent.length
    world.socket.awaitReply(world.nowMs + 5 * minuteMs, world.nowMs)
    world.run(world.nowMs + 30 * secondMs)
    world.push({ type: 'text', promptId, draft: 1, from: 0, text: 'It' })
    world.run(start + 15 * minuteMs)
    const asked = world.sent.slice(before).filter(({ message }) => message.action === 'resume')
    expect(asked.map(({ atMs }) => Math.round((atMs - start) / secondMs))).toEqual([91, 151, 211, 271])
  })

  test('requests missing text once it is late', () => {
    const world = opened()
    const piece = { type: 'text', promptId, draft: 1 } as const
    world.push({ ...piece, from: 0, text: 'one ' })
    world.push({ ...piece, from: 8, text: 'three' }, 40)
    world.run(world.nowMs + 300)
    world.push({ ...piece, from: 4, text: 'two ' }, 10)
    world.run(world.nowMs + secondMs)
    expect(world.sent.filter(({ message }) => message.action === 'missing')).toEqual([])
    expect(world.reader.texts.at(-1)?.text).toBe('one two three')
    world.push({ ...piece, from: 20, text: 'five' })
    world.run(world.nowMs + secondMs)
    expect(world.sent.at(-1)?.message).toEqual({ action: 'missing', promptId, draft: 1, from: 13 })
  })
})

const fate = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 2_000 }) },
  { weight: 1, arbitrary: fc.constantFrom('lost' as const, 'doubled' as const) },
)
const happening = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ is: fc.constant('event' as const), fate, lateMs: fc.integer({ min: 0, max: 2_900 }) }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      is: fc.constant('text' as const),
      fate,
      more: fc.string({ minLength: 1, unit: 'grapheme' }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('draft' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant('cut' as const), refusedMs: fc.integer({ min: 0, max: 60_000 }) }),
  },
)
const pause = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 90_000 }))
const history = fc.array(fc.record({ afterMs: pause, what: happening }), {
  maxLength: 60,
})

test('each event is handled once and the shown text is the sent text, whatever pushes are lost, doubled or reordered', () => {
  fc.assert(
    fc.property(history, (steps) => {
      const world = opened()
      const before = world.events.length
      for (const { afterMs, what } of steps) {
        world.run(world.nowMs + afterMs)
        if (what.is === 'event') world.record(eventAt(world.nowMs - what.lateMs), what.fate)
        else if (what.is === 'text') {
          const told = world.text ?? { promptId, draft: 1, from: 0, text: '' }
          world.text = { ...told, text: told.text + what.more }
          world.push({ type: 'text', ...told, from: told.text.length, text: what.more }, what.fate)
        } else if (what.is === 'draft' && world.text)
          world.text = { ...world.text, draft: world.text.draft + 1, text: '' }
        else if (what.is === 'cut') {
          world.lets = false
          world.cut()
          world.run(world.nowMs + what.refusedMs)
          world.lets = true
        }
        const { text: shown, draft } = world.reader.texts[0] ?? { text: '', draft: 0 }
        if (draft === world.text?.draft) expect(world.text.text.startsWith(shown)).toBe(true)
      }
      world.run(world.nowMs + 30 * minuteMs)
      expect(world.seen.map(({ id }) => id).sort()).toEqual(
        world.events
          .slice(before)
          .map(({ id }) => id)
          .sort(),
      )
      if (world.text?.text) expect(world.reader.texts.at(-1)?.text).toBe(world.text.text)
    }),
    seeded(10_000, 1_000),
  )
})
