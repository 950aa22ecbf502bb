import { empty, reduce, type State, unanswered } from '../../dashboard/chat/conversation-state.ts'
import { notYetTaken } from '../../dashboard/chat/outbox.ts'
import type { Message } from '../../domain/chat/message.ts'

const idOf = (at: number) => `msg_01KAHB2N3P4Q5R6S7T8V9W${String(at).padStart(4, '0')}`
const said = (at: number, more: Partial<Message> = {}): Message => ({
  id: idOf(at),
  role: 'user',
  text: `${at}`,
  conversation: 'main',
  channel: 'web',
  at: '2026-11-20T12:00:00.000Z',
  ...more,
})
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => said(from + at))
const numbers = ({ messages }: State) => messages.map(({ text }) => Number(text))
const start: State = { ...empty, id: 'main' }
const read = (state: State, messages: Message[], older: boolean) =>
  reduce(state, { is: 'read', id: 'main', messages, older, questions: [] })
const event = (type: 'message.sent' | 'message.received' | 'prompt.closed', data: Record<string, unknown>) => ({
  is: 'event' as const,
  event: { id: 'evt_1', type, at: '2026-11-20T12:00:00.000Z', data },
})

describe('a conversation in a page', () => {
  test('is loaded backwards page by page, without gaps or repeats', () => {
    let state = read(start, range(50, 60), true)
    state = reduce(state, { is: 'older', id: 'main', messages: range(40, 51), more: true })
    expect([state.prepended, state.older]).toEqual([true, true])
    state = reduce(state, { is: 'older', id: 'main', messages: range(30, 40), more: false })
    expect(numbers(state)).toEqual(range(30, 60).map(({ text }) => Number(text)))
    expect(reduce(state, event('message.sent', { message: said(60, { role: 'agent' }) })).prepended).toBe(false)
  })

  test('includes missed messages when they follow directly, and starts again when there may be a gap', () => {
    const known = { ...read(start, range(50, 60), true), older: false }
    expect(numbers(read(known, range(55, 65), true))).toEqual(range(50, 65).map(({ text }) => Number(text)))
    const apart = read(known, range(70, 80), true)
    expect([numbers(apart)[0], apart.older]).toEqual([70, true])
    expect(numbers(read(known, range(70, 80), false))[0]).toBe(50)
  })

  test('shows no newest messages while a part of its middle is shown', () => {
    let state = read(start, range(90, 100), true)
    state = reduce(state, { is: 'moved', id: 'main', messages: range(10, 20), older: true, newer: true })
    state = reduce(state, event('message.sent', { message: said(100) }))
    expect([numbers(state).at(-1), unanswered(state)]).toEqual([19, undefined])
    state = reduce(state, { is: 'newer', id: 'main', messages: range(20, 30), more: true })
    expect(numbers(state).at(-1)).toBe(29)
    expect(numbers(read(state, range(92, 101), true))[0]).toBe(92)
  })

  test('ignores events for other conversations', () => {
    expect(reduce(start, { is: 'older', id: 'cnv_1', messages: range(1, 2), more: true })).toBe(start)
    const other = event('message.sent', { message: said(1, { conversation: 'cnv_1' }) })
    expect(numbers(reduce(start, other))).toEqual([])
  })

  test('shows how a prompt ended, also when it ended before the page was opened', () => {
    const promptId = idOf(1).replace('msg_', 'prm_')
    const state = read(start, [said(1)], false)
    const failed = { how: 'failed', note: 'No key.' } as const
    expect(reduce(state, event('prompt.closed', { promptId, outcome: 'failed', note: 'No key.' })).ended).toEqual(
      failed,
    )
    const known = reduce(state, { is: 'remembered', promptId, activities: [], ended: failed })
    expect(known.ended).toEqual(failed)
    expect(reduce(known, { is: 'asked' }).ended).toBeNull()
    expect(reduce(state, event('prompt.closed', { promptId: 'prm_2', outcome: 'failed' })).ended).toBeNull()
  })
})

describe('messages on their way', () => {
  const going = (text: string, more: object = {}) => ({
    key: text,
    conversation: 'main',
    text,
    attachments: [],
    at: '2026-11-20T12:00:00.000Z',
    after: idOf(5),
    attempted: true,
    problem: null,
    ...more,
  })

  test('are shown until they are among the messages, each once', () => {
    const twice = [going('yes', { key: 'a' }), going('yes', { key: 'b' })]
    expect(notYetTaken(twice, [])).toHaveLength(2)
    expect(notYetTaken(twice, [said(6, { text: 'yes' })]).map(({ key }) => key)).toEqual(['b'])
    expect(notYetTaken(twice, [said(6, { text: 'yes' }), said(7, { text: 'yes' })])).toEqual([])
    expect(notYetTaken(twice, [said(4, { text: 'yes' }), said(6, { text: 'yes', role: 'agent' })])).toHaveLength(2)
    expect(notYetTaken([going('yes', { attempted: false })], [said(6, { text: 'yes' })])).toHaveLength(1)
  })
})
