import { followEvents } from '../../../app/chat/follow-events.ts'
import type { OpenSocket } from '../../../app/ports/socket.ts'
import type { Event } from '../../../domain/chat/event.ts'
import { ulid } from '../../../domain/ids.ts'
import { streamLifeMs } from '../../../domain/lifetimes.ts'
import type { ReaderMessage } from '../../../domain/socket/message.ts'
import { iso } from '../../../domain/time.ts'

const start = Date.parse('2026-11-01T12:00:00.000Z')
const made = (ms: number, n: number): Event => ({
  id: `evt_${ulid(ms, new Uint8Array(16).fill(n))}`,
  type: 'wallet.credited',
  at: iso(ms),
  data: {},
})
const promptId = 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0'

/** The messages of a connection, null for silence; a function runs in between. */
type Script = readonly (ReaderMessage | null | (() => void))[]

/** A service that accepts this many connections, each of which follows its script and then ends. */
function world(connections: readonly Script[]) {
  let now = start
  const sent: { action?: string }[] = []
  const scripts = [...connections]
  const deps = {
    clock: { now: () => now, sleep: async () => {} },
    ids: { next: () => made(now, 9).id, random: () => '' },
    socketClient: {
      async connect(): Promise<OpenSocket | null> {
        const script = scripts.shift()
        if (!script) return null
        let open = true
        return {
          send: (message) => sent.push(message),
          close: () => {
            open = false
          },
          async *[Symbol.asyncIterator]() {
            for (const next of script) {
              if (!open) return
              if (typeof next === 'function') next()
              else yield next
              if (next === null) now += 15_000
            }
          },
        }
      },
    },
  }
  return { deps, sent }
}

async function follow(connections: readonly Script[], last: string | null = null, signal?: AbortSignal) {
  const { deps, sent } = world(connections)
  const seen: (Event | null)[] = []
  for await (const event of followEvents(deps, {}, last, () => true, signal)) seen.push(event)
  return { seen, ids: seen.flatMap((event) => event?.id ?? []), sent }
}

const events = (...list: Event[]): ReaderMessage => ({ type: 'events', events: list })
const upTo = made(start + 1_750, 0).id
const resumed: ReaderMessage = { type: 'resumed', upTo }
const text = (from: number, piece: string, draft = 1000): ReaderMessage => ({
  type: 'text',
  promptId,
  draft,
  from,
  text: piece,
})

describe('following a user’s events', () => {
  const [first, late, young] = [made(start, 1), made(start + 1_000, 2), made(start + 1_500, 3)]

  test('reports each event once, also one that is pushed after a younger one, or again', async () => {
    const { ids } = await follow([[resumed, events(first, young), events(late), events(young, first)]])
    expect(ids).toEqual([first.id, young.id, late.id])
  })

  test('continues after the id that a client names, and after a lost connection at the same position', async () => {
    const { ids, sent } = await follow(
      [
        [resumed, events(first)],
        [events(first, late), resumed],
      ],
      young.id,
    )
    expect(ids).toEqual([first.id, late.id])
    expect(sent).toEqual([
      { action: 'resume', after: young.id },
      { action: 'resume', after: upTo },
    ])
  })

  test('reports pushed events after the earlier events that a resume returns', async () => {
    const { ids } = await follow([[events(young), events(first, late), resumed]])
    expect(ids).toEqual([first.id, late.id, young.id])
  })

  test('continues from its start when no event has arrived', async () => {
    const { sent } = await follow([[{ type: 'resumed', upTo: first.id }], []])
    expect(sent).toEqual([
      { action: 'resume', after: null },
      { action: 'resume', after: first.id },
    ])
  })

  test('passes on silence, and ends before the platform ends it', async () => {
    const { seen } = await follow([[resumed, ...Array(1_000).fill(null)]])
    expect(seen.every((event) => event === null)).toBe(true)
    expect(seen.length * 15_000).toBeGreaterThanOrEqual(streamLifeMs)
    expect(seen.length * 15_000).toBeLessThan(15 * 60_000)
  })

  test('resumes over another connection when a resume gets no answer, even if many events are pushed', async () => {
    const unanswered = [events(late), null, text(0, 'High '), null, events(young), null, null]
    const { ids, sent, seen } = await follow([unanswered, [events(young), resumed, null]], first.id)
    expect(sent.filter((message) => message.action === 'resume')).toEqual(
      Array(2).fill({ action: 'resume', after: first.id }),
    )
    expect([ids.at(-1), seen.filter((event) => event === null).length]).toEqual([young.id, 3])
  })

  test('ends when it is no longer admitted', async () => {
    expect((await follow([])).seen).toEqual([])
  })

  test('keeps no connection open after its end', async () => {
    const over = new AbortController()
    const { ids } = await follow([[resumed, events(first), () => over.abort()], [events(late)]], null, over.signal)
    expect(ids).toEqual([first.id])
  })
})

describe('a growing reply', () => {
  const grown = async (...script: Script) => {
    const { seen, sent } = await follow([script])
    return { told: seen.map((event) => event?.data), sent }
  }

  test('is reported piece by piece, each from the end of the one before', async () => {
    const { told } = await grown(text(0, 'High '), text(5, 'tide'), text(3, 'h tide '))
    expect(told).toEqual([
      { promptId, draft: 1000, from: 0, text: 'High ' },
      { promptId, draft: 1000, from: 5, text: 'tide' },
      { promptId, draft: 1000, from: 9, text: ' ' },
    ])
  })

  test('is completed: missing text is requested, and reported in order when it arrives', async () => {
    const { told, sent } = await grown(text(0, 'one '), text(8, 'three'), text(4, 'two '))
    expect(told.map((data) => data?.text)).toEqual(['one ', 'two three'])
    expect(sent).toContainEqual({ action: 'missing', promptId, draft: 1000, from: 4 })
  })

  test('is restarted by another draft, and an older draft is dropped', async () => {
    const { told } = await grown(text(0, 'Let me see'), text(0, 'It is', 1001), text(10, ' …', 1000))
    expect(told.map((data) => data?.text)).toEqual(['Let me see', 'It is'])
  })

  test('is not reported beyond its final message', async () => {
    const reply: Event = { ...made(start, 1), type: 'message.sent', data: { promptId } }
    const { told } = await grown(resumed, text(0, 'a'), events(reply), text(1, 'b'))
    expect(told).toEqual([{ promptId, draft: 1000, from: 0, text: 'a' }, reply.data])
  })
})
