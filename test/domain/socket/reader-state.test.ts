import { type Event, momentBefore, readUpTo } from '../../../domain/chat/event.ts'
import { ulid } from '../../../domain/ids.ts'
import type { TextPiece } from '../../../domain/socket/message.ts'
import { ReaderState } from '../../../domain/socket/reader-state.ts'
import { hourMs, iso, secondMs } from '../../../domain/time.ts'

const start = Date.parse('2026-11-01T12:00:00.000Z')
const promptId = 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0'
const piece: TextPiece = { promptId, draft: 1, from: 0, text: 'Hello' }

const eventAt = (ms: number, type: Event['type'] = 'wallet.charged', data: Event['data'] = {}): Event => ({
  id: `evt_${ulid(ms, new Uint8Array(16).fill(7))}`,
  type,
  at: iso(ms),
  data,
})
const tell = (reader: ReaderState, ...events: Event[]) => reader.receive({ type: 'events', events }).events
const grow = (reader: ReaderState, more: Partial<TextPiece> = {}) =>
  reader.receive({ type: 'text', ...piece, ...more }).grown
const resumed = (reader: ReaderState, upTo: string) => reader.receive({ type: 'resumed', upTo }).events

describe('the events of a reader', () => {
  const [first, late, young] = [0, 1, 2].map((seconds) => eventAt(start + seconds * secondMs)) as [Event, Event, Event] // safe because three are made

  test('are new once, in whatever order they come', () => {
    const reader = new ReaderState()
    expect(tell(reader, first, young)).toEqual([first, young])
    expect(tell(reader, late, young, late)).toEqual([late])
  })

  test('wait on a new connection for what happened earlier, and come in their order', () => {
    const reader = new ReaderState()
    reader.connected()
    expect([tell(reader, young), tell(reader, late, first)]).toEqual([[], []])
    expect(resumed(reader, young.id)).toEqual([first, late, young])
    expect(tell(reader, late)).toEqual([])
  })

  test('that waited are not lost with their connection: what it resumes after has not moved', () => {
    const reader = new ReaderState(first.id)
    reader.connected()
    tell(reader, young)
    reader.connected()
    expect(reader.upTo).toBe(first.id)
    tell(reader, late, young)
    expect(resumed(reader, young.id)).toEqual([late, young])
  })

  test('of hours are all new, however far what is complete has moved', () => {
    const reader = new ReaderState(first.id)
    reader.connected()
    const hours = [1, 2, 3].map((each) => eventAt(start + each * hourMs))
    tell(reader, ...hours)
    expect(resumed(reader, hours.at(-1)?.id ?? '')).toEqual(hours)
  })

  test('are not new again after they were forgotten', () => {
    const reader = new ReaderState()
    tell(reader, first)
    resumed(reader, eventAt(start + hourMs).id)
    expect(tell(reader, first)).toEqual([])
  })

  test('are asked for from where nothing is missing, which never moves back', () => {
    const reader = new ReaderState()
    expect(reader.upTo).toBeNull()
    resumed(reader, young.id)
    resumed(reader, first.id)
    expect(reader.upTo).toBe(young.id)
  })

  test('are complete to three seconds before the youngest that was read, or to where the reading began', () => {
    const minuteAgo = momentBefore(start - 60 * secondMs)
    expect(readUpTo(minuteAgo, young.id)).toBe(momentBefore(start + 2 * secondMs))
    expect(readUpTo(first.id, young.id)).toBe(first.id)
    expect(readUpTo(first.id, undefined)).toBe(first.id)
  })

  test('that are read instead are not waited for', () => {
    const reader = new ReaderState()
    reader.connected()
    reader.reset()
    expect(tell(reader, first)).toEqual([first])
    expect(reader.upTo).toBeNull()
  })
})

describe('the growing replies of a reader', () => {
  const withEvent = (event: Event): ReaderState => {
    const reader = new ReaderState()
    grow(reader)
    tell(reader, event)
    return reader
  }

  test('are told as what they grew by', () => {
    const reader = new ReaderState()
    expect(grow(reader)).toEqual(piece)
    expect(grow(reader)).toBeNull()
    expect(grow(reader, { from: 3, text: 'lo there' })).toEqual({ ...piece, from: 5, text: ' there' })
    expect(grow(reader, { from: 20, text: 'far' })).toBeNull()
    expect(reader.missing).toEqual([{ promptId, draft: 1, from: 11 }])
    expect(grow(reader, { draft: 2, text: 'Anew' })).toEqual({ ...piece, draft: 2, text: 'Anew' })
  })

  test.each(['message.sent', 'prompt.closed'] as const)('are over when %s has overtaken their text', (type) => {
    const reader = withEvent(eventAt(start, type, { promptId }))
    expect(grow(reader, { from: 5, text: ' there' })).toBeNull()
    expect([reader.texts, reader.missing]).toEqual([[], []])
  })

  test('are not ended by another prompt, or by another event of theirs', () => {
    expect(withEvent(eventAt(start, 'prompt.closed', { promptId: 'another' })).texts.at(-1)?.text).toBe('Hello')
    expect(withEvent(eventAt(start, 'wallet.charged', { promptId })).texts.at(-1)?.text).toBe('Hello')
  })

  test('are shown by the one that grew last', () => {
    const reader = withEvent(eventAt(start))
    grow(reader, { promptId: 'prm_2', text: 'Second' })
    grow(reader, { from: 5, text: '!' })
    expect(reader.texts.at(-1)?.text).toBe('Hello!')
  })
})
