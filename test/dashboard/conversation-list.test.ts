import {
  type ConversationList,
  type Listed,
  shownTitle,
  titleFits,
  withEvent,
} from '../../dashboard/conversations/list.ts'
import { newConversation } from '../../domain/chat/conversation.ts'

const at = '2026-11-20T12:00:00.000Z'
const listed = (id: string, more: Partial<Listed> = {}): Listed =>
  newConversation({ id, title: null, startedBy: 'user', createdAt: at, ...more })
const list: ConversationList = {
  conversations: [listed('cnv_b', { title: 'Tides', archived: true, pinned: true }), listed('cnv_a')],
  main: { unread: false, model: null },
  isWhole: true,
}
const message = (type: 'message.sent' | 'message.received', conversation: string, text = 'When is it warm?') =>
  withEvent(list, { type, data: { message: { id: 'msg_1', conversation, text, at } } })

describe('an event changes the list of conversations', () => {
  test('a message of the agent marks its conversation and restores it from the archive', () => {
    expect(message('message.sent', 'cnv_b').conversations).toEqual([
      listed('cnv_b', { title: 'Tides', pinned: true, unread: true, lastMessageAt: at }),
      list.conversations[1],
    ])
    expect(message('message.sent', 'main')).toMatchObject({ main: { unread: true } })
    expect(message('message.sent', 'cnv_unknown')).toBe(list)
  })

  test('the first message of the user names its conversation', () => {
    const [, named] = message('message.received', 'cnv_a').conversations
    expect(named).toEqual(listed('cnv_a', { title: 'When is it warm?', lastMessageAt: at }))
  })

  test('a deleted conversation leaves the list', () => {
    const { conversations } = withEvent(list, { type: 'conversation.deleted', data: { conversationId: 'cnv_b' } })
    expect(conversations).toEqual([list.conversations[1]])
  })

  test('a changed conversation replaces its line, and a new one comes first', () => {
    const change = (conversation: Listed) =>
      withEvent(list, { type: 'conversation.changed', data: { conversation } }).conversations.map(({ id }) => id)
    expect([change(listed('cnv_a', { title: 'x' })), change(listed('cnv_c'))]).toEqual([
      ['cnv_b', 'cnv_a'],
      ['cnv_c', 'cnv_b', 'cnv_a'],
    ])
  })
})

describe('a title', () => {
  test.each([null, '', '   ', '\u200b\u200d', '\u202e', '\u0301'])('of nothing visible (%j) is replaced', (title) => {
    expect(shownTitle({ title })).toBe('New conversation')
  })

  test('loses the characters that turn or hide other titles', () => {
    expect(shownTitle({ title: '\u202etxt.exe' })).toBe('txt.exe')
    expect(shownTitle({ title: 'مرحبا بالعالم' })).toBe('مرحبا بالعالم')
  })

  test('fits words in any order, without case and accents', () => {
    expect(titleFits('Voyage à São Paulo', 'SAO voy')).toBe(true)
    expect(titleFits('Voyage à São Paulo', 'rio')).toBe(false)
    expect(titleFits('Tides', '  ')).toBe(true)
  })
})
