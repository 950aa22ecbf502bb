import { empty, reduce, type State, shownIn, showsNewest, unanswered } from '../../dashboard/chat/conversation-state.ts'
import { linesOf } from '../../dashboard/chat/lines.ts'
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
const main = { id: 'main', asked: [] }
const start: State = { ...empty, id: 'main' }
const read = (state: State, messages: Message[], older: boolean) =>
  reduce(state, { ...main, is: 'read', messages, older, questions: [] })
const event = (type: 'message.sent' | 'message.received' | 'prompt.closed', data: Record<string, unknown>) => ({
  is: 'event' as const,
  event: { id: 'evt_1', type, at: '2026-11-20T12:00:00.000Z', data },
})

describe('a conversation in a page', () => {
  test('is loaded backwards page by page, without gaps or repeats', () => {
    let state = read(start, range(50, 60), true)
    state = reduce(state, { ...main, is: 'older', messages: range(40, 51), more: true })
    expect([state.prepended, state.older]).toEqual([true, true])
    state = reduce(state, { ...main, is: 'older', messages: range(30, 40), more: false })
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
    state = reduce(state, { ...main, is: 'moved', to: idOf(15), messages: range(10, 20), older: true, newer: true })
    state = reduce(state, event('message.sent', { message: said(100) }))
    expect([numbers(state).at(-1), unanswered(state)]).toEqual([19, undefined])
    state = reduce(state, { ...main, is: 'newer', messages: range(20, 30), more: true })
    expect(numbers(state).at(-1)).toBe(29)
    expect(numbers(read(state, range(92, 101), true))[0]).toBe(92)
  })

  test('ignores events for other conversations', () => {
    expect(reduce(start, { ...main, is: 'older', id: 'cnv_1', messages: range(1, 2), more: true })).toBe(start)
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
    const stopped = reduce(state, event('prompt.closed', { promptId, outcome: 'stopped' }))
    expect([stopped.messages[0]?.outcome, unanswered(stopped)]).toEqual(['stopped', undefined])
    expect(reduce(state, event('prompt.closed', { promptId: 'prm_2', outcome: 'failed' })).ended).toBeNull()
  })
})

describe('versions of a message', () => {
  /** 1, 2 and 3, then 4 as a new version of 2, and 5. */
  const five = [...range(1, 4), said(4, { replaces: idOf(2) }), said(5)]
  const shown = (state: State) => shownIn(state).map(({ text }) => text)

  test('show the newest, then the chosen one with what followed it, until the user sends a message', () => {
    const newest = read(start, five, false)
    expect([shown(newest), showsNewest(newest)]).toEqual([['1', '4', '5'], true])
    const chosen = reduce(newest, { is: 'version', version: idOf(2) })
    expect([shown(chosen), showsNewest(chosen)]).toEqual([['1', '2', '3'], false])
    const late = reduce(chosen, event('message.sent', { message: said(6, { role: 'agent', inReplyTo: idOf(3) }) }))
    expect(shown(late)).toEqual(['1', '2', '3', '6'])
    expect(shown(reduce(late, { is: 'asked' }))).toEqual(['1', '4', '5'])
  })

  test('turn to the version of a message that a link names', () => {
    const moved = reduce(start, { ...main, is: 'moved', to: idOf(3), messages: five, older: false, newer: false })
    expect(shown(moved)).toEqual(['1', '2', '3'])
  })

  test('stay while a reader reads on to messages that replace what is shown', () => {
    const part = { ...main, is: 'moved' as const, to: idOf(3), messages: range(1, 4), older: false, newer: true }
    const moved = reduce(start, part)
    const further = reduce(moved, { ...main, is: 'newer', messages: five.slice(3), more: false })
    expect([shown(further), showsNewest(further)]).toEqual([['1', '2', '3'], false])
  })
})

describe('the lines of a conversation', () => {
  const lines = (messages: Message[], asked: State['asked'] = []) =>
    linesOf({ messages, asked, outgoing: [], unanswered: undefined }).flatMap((line) =>
      line.is === 'message'
        ? [`${line.message.text}${line.question ? ` to ${line.question.text}` : ''}${line.outcome ?? ''}`]
        : line.is === 'asked'
          ? [line.question.text]
          : [],
    )
  const answer = (at: number, to: number) => said(at, { role: 'agent', inReplyTo: idOf(to) })

  test('name the message of a reply where the order does not say it', () => {
    const messages = [said(1), answer(2, 1), said(3), said(4), answer(5, 3), answer(6, 4)]
    expect(lines(messages)).toEqual(['1', '2', '3', '4', '5 to 3', '6'])
  })

  test('say how a message without a reply ended', () => {
    const stopped = { outcome: 'stopped' as const }
    expect(lines([said(1, stopped), said(2, stopped), answer(3, 2)])).toEqual(['1stopped', '2', '3'])
  })

  test('have questions in their place, and none of another branch', () => {
    const asked = (at: number, promptId: string | null) =>
      ({ id: idOf(at).replace('msg_', 'qst_'), promptId, text: `asked ${at}` }) as State['asked'][number] // safe because lines read no more
    const prompt = (at: number) => idOf(at).replace('msg_', 'prm_')
    const questions = [asked(2, prompt(1)), asked(3, prompt(9)), asked(5, null)]
    expect(lines([said(1), answer(4, 1)], questions)).toEqual(['1', 'asked 2', '4', 'asked 5'])
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
