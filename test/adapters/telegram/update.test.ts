import type { Update } from '@grammyjs/types'
import fc from 'fast-check'
import type * as z from 'zod'
import { readUpdate } from '../../../adapters/telegram/update.ts'
import type { update } from '../../../adapters/telegram/wire.ts'
import { inbound } from '../../../domain/channels/inbound.ts'
import { cases, seeded } from '../../counts.ts'

const bot = { id: 100, username: 'Berth_Bot' }
const now = Date.UTC(2026, 10, 23)
const date = 1_795_392_000
const ada = { id: 7, is_bot: false, first_name: 'Ada', last_name: 'L' }
const direct = { id: 7, type: 'private', first_name: 'Ada' } as const
const group = { id: -1_000_000_000_001, type: 'supergroup', title: 'Lab' } as const

const read = (news: object) => readUpdate({ update_id: 1, ...news }, bot, now)
const message = (more: object, chat: object = direct) => ({
  message: { message_id: 5, date, chat, from: ada, ...more },
})
const what = (news: object) => read(news).inbound?.what
const command = { type: 'bot_command', offset: 0, length: 6 }
const file = { file_id: 'f1', file_unique_id: 'u1', file_size: 12 }

describe('an update from Telegram', () => {
  test('is a message of a person in a chat, at a time', () => {
    expect(read(message({ text: 'Hello' }))).toEqual({
      inbound: {
        id: '001795392000.000000000005',
        chat: { platform: 'telegram', id: '7', kind: 'direct' },
        person: { id: '7', name: 'Ada L', bot: false },
        context: {},
        at: '2026-11-23T00:00:00.000Z',
        what: { kind: 'message', text: 'Hello', files: [], addressed: true },
      },
      answer: null,
    })
  })

  // https://github.com/openclaw/openclaw/issues/906
  test('names the album of a photo', () => {
    const photo = [{ file_id: 'F1', file_unique_id: 'U1', width: 90, height: 90 }]
    const first = message(
      {
        media_group_id: 'g1',
        photo,
        caption: '@Berth_Bot compare',
        caption_entities: [{ type: 'mention', offset: 0, length: 10 }],
      },
      group,
    )
    expect(what(first)).toMatchObject({ album: 'g1', addressed: true, files: [{ ref: 'F1' }] })
    expect(what(message({ media_group_id: 'g1', photo }, group))).toMatchObject({ album: 'g1', addressed: false })
    expect(what(message({ photo }, group))).not.toHaveProperty('album')
  })

  test('has the same id under any update id, and sorts by time and then by message', () => {
    const ids = [{ update_id: 1 }, { update_id: 99 }].map(
      (event) => readUpdate({ ...event, ...message({ text: 'a' }) }, bot, now + event.update_id)?.inbound?.id,
    )
    expect(new Set(ids).size).toBe(1)
    const later = [
      message({ text: 'a', message_id: 9 }),
      message({ text: 'a', message_id: 10 }),
      { edited_message: { ...message({ text: 'b', message_id: 10 }).message, edit_date: date } },
      message({ text: 'a', message_id: 11, date: date + 1 }),
      {
        callback_query: {
          id: '5',
          from: ada,
          data: 'y',
          message: message({ message_id: 2, edit_date: date + 2 }).message,
        },
      },
      { my_chat_member: { chat: direct, from: ada, date: date + 3, new_chat_member: { user: ada, status: 'kicked' } } },
    ].map((news) => read(news).inbound?.id ?? '')
    expect(later.toSorted()).toEqual(later)
    expect(new Set(later).size).toBe(6)
  })

  test.each([
    ['text in a group', { text: 'a' }, false],
    ['a mention', { text: 'hey @berth_BOT', entities: [{ type: 'mention', offset: 4, length: 10 }] }, true],
    [
      'a mention of another bot',
      { text: '@berth_bott', entities: [{ type: 'mention', offset: 0, length: 11 }] },
      false,
    ],
    ['the name without an entity', { text: '@berth_bot' }, false],
    [
      'a mention in a caption',
      { caption: '@berth_bot', document: file, caption_entities: [{ type: 'mention', offset: 0, length: 10 }] },
      true,
    ],
    [
      'a mention without a name',
      { text: 'you', entities: [{ type: 'text_mention', offset: 0, length: 3, user: { id: 100 } }] },
      true,
    ],
    ['a reply to the bot', { text: 'a', reply_to_message: { from: { id: 100 } } }, true],
    ['a reply to another member', { text: 'a', reply_to_message: { from: { id: 8 } } }, false],
  ])('with %s is addressed to the bot or not', (_, more, addressed) => {
    expect(read(message(more, group)).inbound).toMatchObject({
      chat: { id: '-1000000000001', kind: 'group', title: 'Lab' },
      context: { message: '5' },
      what: { kind: 'message', addressed },
    })
  })

  // https://github.com/botman/driver-telegram/pull/128, https://github.com/tdlib/telegram-bot-api/issues/447
  test.each([
    ['a topic', { message_thread_id: 4, is_topic_message: true }, { thread: '4' }],
    ['a reply without topics', { message_thread_id: 4 }, {}],
    ['a reply in the general topic', { message_thread_id: 4, is_topic_message: false }, {}],
    ['the general topic itself', { message_thread_id: 1, is_topic_message: true }, {}],
  ])('from %s is answered in its topic or in none', (_, more, context) => {
    const press = { id: '42', from: ada, data: 'yes', message: { ...message(more, group).message } }
    expect(read(message({ text: 'a', ...more }, group)).inbound?.context).toEqual({ message: '5', ...context })
    expect(read({ callback_query: press }).inbound?.context).toEqual(context)
  })

  test.each([
    ['/start AB12', 'start', 'AB12'],
    ['/Status', 'status', ''],
    ['/topup@berth_bot  20\neuro ', 'topup', '20\neuro'],
  ])('with the text %s is a command', (text, name, argument) => {
    expect(what(message({ text, entities: [command] }))).toEqual({ kind: 'command', name, argument })
  })

  test.each([
    ['for another bot', '/status@other_bot'],
    ['of an unknown form', '/etc/passwd is a file'],
  ])('with a command %s is text', (_, text) => {
    expect(what(message({ text, entities: [command] }, group))).toMatchObject({
      kind: 'message',
      text,
      addressed: false,
    })
    expect(what(message({ text }))).toMatchObject({ kind: 'message', text })
  })

  test('from a pressed button carries the button’s data, and the press is acknowledged', () => {
    const { inbound: found, answer } = read({
      callback_query: {
        id: '42',
        from: ada,
        data: 'yes',
        message: { message_id: 3, date, chat: group, message_thread_id: 4, is_topic_message: true },
      },
    })
    expect(found).toMatchObject({ what: { kind: 'button', data: 'yes', messageId: '3' }, context: { thread: '4' } })
    expect(answer).toEqual({ method: 'answerCallbackQuery', callback_query_id: '42' })
    expect(read({ callback_query: { id: '43', from: ada, game_short_name: 'g' } })).toMatchObject({ inbound: null })
  })

  test('from a stopped draft is the stop command, however often it arrives', () => {
    const stopped = { stopped_message_generation: { chat: direct, draft_id: 9 } }
    expect(what(stopped)).toEqual({ kind: 'command', name: 'stop', argument: '' })
    expect(readUpdate({ update_id: 1, ...stopped }, bot, now + 9_000)?.inbound?.id).toBe(read(stopped).inbound?.id)
  })

  test('carries files with their names and types, and a photo in its largest size', () => {
    const photo = [100, 800].map((width) => ({ file_id: `p${width}`, file_unique_id: 'u', width, height: width }))
    expect(what(message({ photo, caption: 'See' }))).toMatchObject({
      text: 'See',
      files: [{ ref: 'p800', name: 'photo-5.jpg', type: 'image/jpeg' }],
    })
    const document = { ...file, file_name: 'a.pdf', mime_type: 'application/pdf' }
    expect(what(message({ document }))).toMatchObject({ text: '', files: [{ ref: 'f1', name: 'a.pdf', bytes: 12 }] })
    for (const kind of ['video', 'audio', 'voice', 'video_note', 'document'])
      expect(what(message({ [kind]: file }))).toMatchObject({ files: [{ ref: 'f1' }] })
  })

  test('without text is described in words', () => {
    const location = { latitude: 1.5, longitude: 2 }
    expect(what(message({ location }))).toMatchObject({ text: '1.5, 2' })
    expect(what(message({ venue: { title: 'Bar', address: 'Road 1', location } }))).toMatchObject({
      text: 'Bar, Road 1, 1.5, 2',
    })
    expect(what(message({ contact: { phone_number: '+1', first_name: 'Bob' } }))).toMatchObject({ text: 'Bob +1' })
    expect(what(message({ sticker: { emoji: '🎉' } }))).toMatchObject({ text: '🎉' })
  })

  // https://github.com/openclaw/openclaw/issues/1339, https://github.com/chenhg5/cc-connect/issues/1207
  test('shows the addresses and names behind its formatting, in captions too', () => {
    const entities = [
      { type: 'text_link', offset: 15, length: 7, url: 'https://example.com/a/b?c=1' },
      { type: 'text_mention', offset: 23, length: 6, user: { ...ada, first_name: 'Grace', last_name: undefined } },
      { type: 'text_link', offset: 0, length: 400, url: 'https://beyond.example' },
    ]
    const text = 'Summarise this article please'
    const expected = 'Summarise this article (https://example.com/a/b?c=1) please (Grace)'
    expect(what(message({ text, entities: entities }))).toMatchObject({ text: expected })
    expect(what(message({ caption: text, caption_entities: entities, document: file }))).toMatchObject({
      text: expected,
    })
    const plain = { type: 'text_link', offset: 0, length: 19, url: 'https://example.com' }
    expect(what(message({ text: 'https://example.com', entities: [plain] }))).toMatchObject({
      text: 'https://example.com',
    })
    const called = { type: 'text_mention', offset: 3, length: 3, user: ada }
    expect(what(message({ text: '🎉 Ada', entities: [called] }))).toMatchObject({ text: '🎉 Ada (Ada L)' })
  })

  const eve = { id: 9, is_bot: false, first_name: 'Eve' }
  test.each([
    ['a user', { type: 'user', date: 1, sender_user: eve }, 'Eve'],
    ['a user with a hidden name', { type: 'hidden_user', date: 1, sender_user_name: 'Mallory' }, 'Mallory'],
    ['a group', { type: 'chat', date: 1, sender_chat: group, author_signature: 'admin' }, 'Lab, admin'],
    [
      'a channel',
      { type: 'channel', date: 1, chat: { id: -5, type: 'channel', title: 'News' }, message_id: 3 },
      'News',
    ],
  ])('with a forward of %s has no words of its own, whatever it contains', (_, forward_origin, by) => {
    const text = '/pause @berth_bot'
    const entities = [command, { type: 'mention', offset: 7, length: 10 }]
    const said = { kind: 'message', text: '', files: [], pointed: [{ how: 'forwarded', by, text }] }
    expect(what(message({ text, entities, forward_origin }))).toEqual({ ...said, addressed: true })
    expect(what(message({ text, entities, forward_origin }, group))).toEqual({ ...said, addressed: false })
    expect(what(message({ document: file, caption: 'See', forward_origin }))).toMatchObject({
      text: '',
      files: [{ ref: 'f1' }],
      pointed: [{ how: 'forwarded', by, text: 'See' }],
    })
    expect(what(message({ document: file, forward_origin }))).toMatchObject({ pointed: [{ text: '(document)' }] })
  })

  // https://github.com/openclaw/openclaw/issues/906, https://github.com/nullclaw/nullclaw/issues/916
  test.each([
    ['the bot', { from: { id: 100, is_bot: true }, text: 'At 14:05.' }, {}, { how: 'own', by: '', text: 'At 14:05.' }],
    [
      'a quoted part',
      { from: eve, text: 'At 14:05.' },
      { quote: { text: '14:05', position: 3 } },
      { by: 'Eve', text: '14:05' },
    ],
    ['a caption', { from: eve, caption: 'See' }, {}, { how: 'answered', by: 'Eve', text: 'See' }],
    ['a poll', { from: eve, poll: { question: 'Tea?', options: [{ text: 'Yes' }] } }, {}, { text: 'Poll: Tea? (Yes)' }],
    ['a file', { from: eve, document: file }, {}, { text: '(document)' }],
  ])('that is a reply includes the quoted message: %s', (_, answered, more, expected) => {
    const news = message({ text: 'what?', reply_to_message: answered, ...more }, group)
    expect(what(news)).toMatchObject({ text: 'what?', pointed: [expected] })
  })

  test('that replies to a file includes the file, and for another chat Telegram’s description of it', () => {
    const files = [{ ref: 'f1', pointed: true }]
    expect(what(message({ text: 'what?', reply_to_message: { from: eve, document: file } }))).toMatchObject({ files })
    const origin = { type: 'channel', date: 1, chat: { id: -5, type: 'channel', title: 'News' }, message_id: 3 }
    const outside = (external_reply: object, more: object = {}) =>
      what(message({ text: 'what?', external_reply: { origin, ...external_reply }, ...more }))
    expect(outside({}, { quote: { text: '14:05', position: 0 } })).toMatchObject({
      pointed: [{ how: 'answered', by: 'News', text: '14:05' }],
    })
    expect(outside({ document: file })).toMatchObject({ files, pointed: [{ text: '(document)' }] })
    expect(outside({ link_preview_options: { url: 'https://example.com' } })).toMatchObject({
      pointed: [{ text: 'https://example.com' }],
    })
    const topic = { from: eve, forum_topic_created: { name: 'Pumps' } }
    expect(what(message({ text: 'a', reply_to_message: topic }))).toEqual(what(message({ text: 'a' })))
  })

  test.each([
    ['a poll', { poll: { question: 'Tea?', options: [{ text: 'Yes' }, { text: 'No' }] } }, 'Poll: Tea? (Yes / No)'],
    [
      'a checklist',
      {
        checklist: {
          title: 'Trip',
          tasks: [
            { id: 1, text: 'Bags', completion_date: 5 },
            { id: 2, text: 'Map' },
          ],
        },
      },
      'Checklist: Trip ([x] Bags; [ ] Map)',
    ],
    ['a story', { story: { id: 1, chat: { id: 9, type: 'private', first_name: 'Eve' } } }, 'Story of Eve'],
    ['dice', { dice: { emoji: '🎲', value: 4 } }, '🎲 4'],
    ['a game', { game: { title: 'Snake' } }, 'Game: Snake'],
    ['an invoice', { invoice: { title: 'Tea', description: 'Green' } }, 'Invoice: Tea, Green'],
    ['a giveaway', { giveaway: { prize_description: 'Tea' } }, 'Giveaway Tea'],
    ['a sticker without an emoji', { sticker: {} }, 'Sticker'],
    [
      'rich text',
      { rich_message: { blocks: [{ type: 'paragraph', text: ['A ', { text: 'b' }] }, { text: 'c' }] } },
      'A b\nc',
    ],
  ])('with %s is put into words', (_, more, text) => {
    expect(what(message(more))).toMatchObject({ text })
  })

  test.each(['', ' \n', '\u200b\u2060', '\u3164'])('with a text that shows nothing is ignored: %j', (text) => {
    expect(what(message({ text }))).toBeUndefined()
  })

  test('cuts quoted text between two characters', () => {
    const found = what(message({ text: 'a', reply_to_message: { from: eve, text: '🎉'.repeat(5_000) } }))
    const [answered] = found?.kind === 'message' ? (found.pointed ?? []) : []
    expect(answered?.text.length).toBeLessThanOrEqual(8_000)
    expect(answered?.text.isWellFormed()).toBe(true)
    expect(answered?.text.endsWith('🎉…')).toBe(true)
  })

  test.each([
    [
      'a block by the user',
      { my_chat_member: { chat: direct, from: ada, date, new_chat_member: { status: 'kicked' } } },
    ],
    [
      'the removal from a group',
      { my_chat_member: { chat: group, from: ada, date, new_chat_member: { status: 'left' } } },
    ],
  ])('about %s removes the bot', (_, news) => {
    expect(what(news)).toEqual({ kind: 'removed' })
  })

  // https://github.com/tucnak/telebot/issues/187, https://github.com/aiogram/aiogram/issues/1000
  test('about a group that became a supergroup names the old and the new chat, whichever chat sends it', () => {
    const old = { id: -354277871, type: 'group', title: 'Lab' }
    const anonymous = { id: 1087968824, is_bot: true, first_name: 'Group' }
    const moved = { from: String(old.id), to: String(group.id) }
    const news = [
      [message({ migrate_to_chat_id: group.id }, old), old],
      [message({ migrate_from_chat_id: old.id }, group), group],
      [message({ migrate_from_chat_id: old.id, from: anonymous, sender_chat: group }, group), group],
      [message({ migrate_from_chat_id: old.id, from: anonymous }, group), group],
    ] as const
    for (const [told, chat] of news)
      expect(read(told).inbound).toMatchObject({
        chat: { id: String(chat.id), kind: 'group' },
        person: { id: String(chat.id), bot: false },
        what: { kind: 'removed', moved },
      })
  })

  test('in a private chat moves nothing', () => {
    expect(what(message({ migrate_to_chat_id: group.id }))).toBeUndefined()
  })

  test.each([
    [
      'its addition to a group',
      { my_chat_member: { chat: group, from: ada, date, new_chat_member: { status: 'member' } } },
    ],
    ['a new member', message({ new_chat_members: [ada] }, group)],
    ['a channel’s post in a group', message({ text: 'a' }, { ...group, type: 'channel' })],
    ['a channel’s own update', { channel_post: message({ text: 'a' }).message }],
    ['a message without a sender', message({ text: 'a', from: undefined })],
    ['an empty message', message({ text: ' ' })],
    ['a future kind of update', { telepathy: {} }],
    ['an invalid update', { update_id: 'x' }],
  ])('about %s is ignored', (_, news) => {
    expect(read(news)).toEqual({ inbound: null, answer: null })
  })

  test('from a bot is marked as such, and one on behalf of a chat has no known sender', () => {
    expect(read(message({ text: 'a', from: { ...ada, is_bot: true } })).inbound?.person).toMatchObject({ bot: true })
    const anonymous = { id: 1_087_968_824, is_bot: true, first_name: 'Group' }
    expect(read(message({ text: 'a', from: anonymous, sender_chat: group }, group)).inbound?.person).toEqual({
      id: '-1000000000001',
      name: 'Lab',
      bot: false,
    })
  })

  test('matches Telegram’s published types', () => {
    // This compiles only while the schema accepts everything that Telegram sends.
    const fits = (sent: Update): z.input<typeof update> => sent
    expect(fits).toBeInstanceOf(Function)
  })

  test('in any shape is read without an error, in the contract’s shape', () => {
    const field = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.double(), fc.boolean(), fc.constant(null))
    const any = fc.oneof(field, fc.array(field, { maxLength: 3 }), fc.dictionary(fc.string(), field, { maxKeys: 3 }))
    const or = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 6, arbitrary }, { weight: 1, arbitrary: any })
    const id = or(fc.maxSafeInteger())
    const person = or(
      fc.record({ id, is_bot: or(fc.boolean()), first_name: or(fc.string({ unit: 'binary' })) }, { requiredKeys: [] }),
    )
    const place = or(
      fc.record({
        id,
        type: or(fc.constantFrom('private', 'group', 'supergroup', 'channel')),
        title: or(fc.string({ maxLength: 300 })),
      }),
    )
    const looks = or(
      fc.array(
        or(
          fc.record({
            type: or(fc.constantFrom('mention', 'bot_command', 'text_link', 'text_mention')),
            offset: or(fc.nat(9)),
            length: or(fc.nat(9)),
            url: or(fc.webUrl()),
            user: person,
          }),
        ),
      ),
    )
    const words = or(fc.string({ unit: 'binary', maxLength: 20 }))
    const origin = or(
      fc.record({ type: words, sender_user: person, chat: place, author_signature: words }, { requiredKeys: ['type'] }),
    )
    const kept = or(
      fc.record(
        { file_id: or(fc.string()), file_name: or(fc.string({ maxLength: 400 })), file_size: id },
        { requiredKeys: [] },
      ),
    )
    const sent = or(
      fc.record(
        {
          message_id: id,
          date: or(fc.oneof(fc.nat(), fc.maxSafeNat())),
          chat: place,
          from: person,
          sender_chat: place,
          text: or(
            fc.oneof(fc.string({ unit: 'binary' }), fc.constant(`/${'x'.repeat(5_000)} ${'\ud83d'.repeat(5_000)}`)),
          ),
          entities: looks,
          document: kept,
          photo: or(fc.array(kept)),
          edit_date: id,
          message_thread_id: id,
          forward_origin: origin,
          reply_to_message: or(
            fc.record({ from: person, text: words, photo: or(fc.array(kept)) }, { requiredKeys: [] }),
          ),
          external_reply: or(fc.record({ origin, document: kept }, { requiredKeys: [] })),
          quote: or(fc.record({ text: words })),
          poll: or(fc.record({ question: words, options: or(fc.array(or(fc.record({ text: words })))) })),
          rich_message: any,
        },
        { requiredKeys: [] },
      ),
    )
    const pressed = or(
      fc.record({ id: or(fc.string()), from: person, message: sent, data: or(fc.string({ maxLength: 200 })) }),
    )
    const member = or(
      fc.record({
        chat: place,
        from: person,
        date: id,
        new_chat_member: or(fc.record({ status: fc.constantFrom('left', 'x') })),
      }),
    )
    const updates = or(
      fc.record(
        {
          update_id: id,
          message: sent,
          edited_message: sent,
          callback_query: pressed,
          my_chat_member: member,
          stopped_message_generation: or(fc.record({ chat: place, draft_id: id })),
        },
        { requiredKeys: ['update_id'] },
      ),
    )
    let kinds = 0
    fc.assert(
      fc.property(updates, (json) => {
        const { inbound: found } = readUpdate(json, bot, now)
        if (found === null) return
        kinds += 1
        expect(inbound.parse(found)).toEqual(found)
      }),
      seeded(20_000),
    )
    // The random cases are useless if only a few of them are accepted.
    expect(kinds).toBeGreaterThan(cases(20_000) / 10)
  })
})
