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

  test('are new once, in any order of arrival', () => {
    const reader = new ReaderState()
    expect(tell(reader, first, young)).toEqual([first, young])
    expect(tell(reader, late, young, late)).toEqual([late])
  })

  test('wait on a new connection for earlier events, and arrive in order', () => {
    const reader = new ReaderState()
    reader.connected()
    expect([tell(reader, young), tell(reader, late, first)]).toEqual([[], []])
    expect(resumed(reader, young.id)).toEqual([first, late, young])
    expect(tell(reader, late)).toEqual([])
  })

  test('that wait are not lost with their connection, because its resume position has not moved', () => {
    const reader = new ReaderState(first.id)
    reader.connected()
    tell(reader, young)
    reader.connected()
    expect(reader.upTo).toBe(first.id)
    tell(reader, late, young)
    expect(resumed(reader, young.id)).toEqual([late, young])
  })

  test('from several hours are all new, however far the resume position has moved', () => {
    const reader = new ReaderState(first.id)
    reader.connected()
    const hours = [1, 2, 3].map((each) => eventAt(start + each * hourMs))
    tell(reader, ...hours)
    expect(resumed(reader, hours.at(-1)?.id ?? '')).toEqual(hours)
  })

  test('are not new again after the reader forgot them', () => {
    const reader = new ReaderState()
    tell(reader, first)
    resumed(reader, eventAt(start + hourMs).id)
    expect(tell(reader, first)).toEqual([])
  })

  test('are requested from the last complete position, which never moves back', () => {
    const reader = new ReaderState()
    expect(reader.upTo).toBeNull()
    resumed(reader, young.id)
    resumed(reader, first.id)
    expect(reader.upTo).toBe(young.id)
  })

  test('are complete until three seconds before the newest one, or until the start of the reading', () => {
    const minuteAgo = momentBefore(start - 60 * secondMs)
    expect(readUpTo(minuteAgo, young.id)).toBe(momentBefore(start + 2 * secondMs))
    expect(readUpTo(first.id, young.id)).toBe(first.id)
    expect(readUpTo(first.id, undefined)).toBe(first.id)
  })

  test('are not awaited when they are read instead', () => {
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

  test('are sent as the added text', () => {
    const reader = new ReaderState()
    expect(grow(reader)).toEqual(piece)
    expect(grow(reader)).toBeNull()
    expect(grow(reader, { from: 3, text: 'lo there' })).toEqual({ ...piece, from: 5, text: ' there' })
    expect(grow(reader, { from: 20, text: 'far' })).toBeNull()
    expect(reader.missing).toEqual([{ promptId, draft: 1, from: 11 }])
    expect(grow(reader, { draft: 2, text: 'Anew' })).toEqual({ ...piece, draft: 2, text: 'Anew' })
  })

  test.each(['message.sent', 'prompt.closed'] as const)('end when %s has overtaken their text', (type) => {
    const reader = withEvent(eventAt(start, type, { promptId }))
    expect(grow(reader, { from: 5, text: ' there' })).toBeNull()
    expect([reader.texts, reader.missing]).toEqual([[], []])
  })

  test('continue after events of another prompt, and after other events of their own', () => {
    expect(withEvent(eventAt(start, 'prompt.closed', { promptId: 'another' })).texts.at(-1)?.text).toBe('Hello')
    expect(withEvent(eventAt(start, 'wallet.charged', { promptId })).texts.at(-1)?.text).toBe('Hello')
  })

  test('are shown by the last one that grew', () => {
    const reader = withEvent(eventAt(start))
    grow(reader, { promptId: 'prm_2', text: 'Second' })
    grow(reader, { from: 5, text: '!' })
    expect(reader.texts.at(-1)?.text).toBe('Hello!')
  })
})
