/** The rows of “Refusals” in the emulator's README. */
import { type TestTelegram, testTelegram } from './telegram.ts'

const ada = 1001
let there: TestTelegram
beforeEach(async () => {
  there = await testTelegram()
  there.people.say(ada, ada, { text: '/start CODE' })
  await there.settled()
})
afterEach(() => there.stop())

const message = (more: object) => ({ chat_id: ada, text: '👍 hello', ...more })
const entity = (type: string, offset: number, length: number, more = {}) =>
  message({ entities: [{ type, offset, length, ...more }] })
const button = (more: object) => message({ reply_markup: { inline_keyboard: [[{ text: 'a', ...more }]] } })
const commands = (...list: [string, string][]) => ({
  commands: list.map(([command, description]) => ({ command, description })),
})

describe('Telegram refuses', () => {
  test.each<[string, string, object, string]>([
    ['a text of nothing', 'sendMessage', message({ text: ' ' }), 'message text is empty'],
    ['a text of more than 4,096 characters', 'sendMessage', message({ text: 'x'.repeat(4097) }), 'message is too long'],
    ['a text of more than 32,768 bytes', 'sendMessage', message({ text: '字'.repeat(11_000) }), 'text is too long'],
    [
      'a webhook without TLS on another machine',
      'setWebhook',
      { url: 'http://example.org/updates' },
      'bad webhook: An HTTPS URL must be provided for webhook',
    ],
    ['half a character', 'sendMessage', message({ text: 'a\ud83d' }), 'strings must be encoded in UTF-8'],
    [
      'half a character in a button',
      'sendMessage',
      button({ callback_data: '\ude00' }),
      'strings must be encoded in UTF-8',
    ],
    [
      'an entity that begins within a character',
      'sendMessage',
      entity('bold', 1, 3),
      'entity begins in a middle of a UTF-16 symbol at byte offset 4',
    ],
    [
      'an entity that ends within a character',
      'sendMessage',
      entity('bold', 0, 1),
      'entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 4',
    ],
    [
      'an entity that ends after the text',
      'sendMessage',
      entity('bold', 3, 100),
      'entity beginning at UTF-16 offset 3 ends after the end of the text at UTF-16 offset 103',
    ],
    [
      'an entity that begins after the text',
      'sendMessage',
      entity('bold', 50, 1),
      'entity begins after the end of the text at UTF-16 offset 50',
    ],
    [
      'an unknown entity',
      'sendMessage',
      entity('shiny', 0, 2),
      "can't parse MessageEntity: Unsupported type specified",
    ],
    [
      'an entity without a length',
      'sendMessage',
      message({ entities: [{ type: 'bold', offset: 0 }] }),
      'can\'t parse MessageEntity: Can\'t find field "length"',
    ],
    [
      'a link without an address',
      'sendMessage',
      entity('text_link', 3, 2),
      'can\'t parse MessageEntity: Can\'t find field "url"',
    ],
    [
      'a link to no address',
      'sendMessage',
      entity('text_link', 3, 2, { url: 'localhost' }),
      "entity URL 'localhost' is invalid: Wrong HTTP URL",
    ],
    [
      'more than a hundred entities',
      'sendMessage',
      message({
        text: 'ab'.repeat(101),
        entities: Array.from({ length: 101 }, (_, at) => ({ type: 'bold', offset: at * 2, length: 1 })),
      }),
      'ENTITIES_TOO_LONG',
    ],
    ['an unknown parse_mode', 'sendMessage', message({ parse_mode: 'XML' }), 'unsupported parse_mode'],
    [
      'data of a button of more than 64 bytes',
      'sendMessage',
      button({ callback_data: 'é'.repeat(33) }),
      'BUTTON_DATA_INVALID',
    ],
    [
      'a button that does nothing',
      'sendMessage',
      button({ callback_data: '' }),
      "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
    ],
    [
      'an answer to a message that is not there',
      'sendMessage',
      message({ reply_parameters: { message_id: 99 } }),
      'message to be replied not found',
    ],
    ['an unknown chat', 'sendMessage', message({ chat_id: 5 }), 'chat not found'],
    [
      'an edit of a message that is not there',
      'editMessageText',
      message({ message_id: 99 }),
      'message to edit not found',
    ],
    ['an edit of a person’s message', 'editMessageText', message({ message_id: 1 }), "message can't be edited"],
    [
      'a deletion of a message that is not there',
      'deleteMessage',
      message({ message_id: 99 }),
      'message to delete not found',
    ],
    [
      'a caption of more than 1,024 characters',
      'sendDocument',
      { chat_id: ada, document: 'x', caption: 'x'.repeat(1025) },
      'message caption is too long',
    ],
    [
      'a file that is not known',
      'sendDocument',
      { chat_id: ada, document: 'x' },
      'wrong file identifier/HTTP URL specified',
    ],
    [
      'a file_id that is not known',
      'getFile',
      { file_id: 'x' },
      'wrong file_id or the file is temporarily unavailable',
    ],
    [
      'an answer to a press that is over',
      'answerCallbackQuery',
      { callback_query_id: '1' },
      'query is too old and response timeout expired or query ID is invalid',
    ],
    [
      'more than a hundred commands',
      'setMyCommands',
      commands(...Array(101).fill(['a', 'b'])),
      'BOT_COMMANDS_TOO_MUCH',
    ],
    ['a command in capitals', 'setMyCommands', commands(['Help', 'b']), 'BOT_COMMAND_INVALID'],
    ['a command without a description', 'setMyCommands', commands(['help', '']), 'BOT_COMMAND_DESCRIPTION_INVALID'],
  ])('%s', async (_, method, parameters, description) => {
    const refused = { ok: false, error_code: 400, description: `Bad Request: ${description}` }
    expect(await there.api(method, parameters)).toEqual(refused)
  })

  test('an edit that changes nothing', async () => {
    const { result } = await there.api('sendMessage', message({}))
    const { message_id } = result as { message_id: number } // safe because the message was sent
    expect(await there.api('editMessageText', message({ message_id }))).toMatchObject({
      error_code: 400,
      description: expect.stringContaining('message is not modified'),
    })
  })

  test('any call about a group that was upgraded to a supergroup', async () => {
    const group = there.world.addGroup('Trip', ada, [there.world.bot.id], 'group')
    const supergroup = there.people.upgrade(group.id, ada)
    for (const method of ['sendMessage', 'getChat', 'sendChatAction'])
      expect(await there.api(method, message({ chat_id: group.id, action: 'typing' }))).toEqual({
        ok: false,
        error_code: 400,
        description: 'Bad Request: group chat was upgraded to a supergroup chat',
        parameters: { migrate_to_chat_id: supergroup },
      })
    expect(await there.api('sendMessage', message({ chat_id: supergroup }))).toMatchObject({ ok: true })
  })

  test('a message to somebody who blocked the bot', async () => {
    there.people.setBot(ada, ada, 'kicked')
    expect(await there.api('sendMessage', message({}))).toMatchObject({
      error_code: 403,
      description: 'Forbidden: bot was blocked by the user',
    })
  })
})
