import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Update } from '@grammyjs/types'
import { floodControl } from '../limits.ts'
import { checkText } from '../text.ts'
import { type TestTelegram, testTelegram, WEBHOOK_SECRET } from './telegram.ts'

const [ada, bob, lab] = [1001, 1002, -1_000_000_000_001]
let there: TestTelegram
beforeEach(async () => {
  there = await testTelegram()
  there.people.say(ada, ada, { text: '/start CODE' })
  await there.settled()
})
afterEach(() => there.stop())

const says = (message: string, status = 400) => ({ ok: false, error_code: status, description: message })
const kinds = () => there.delivered.map(({ update }) => Object.keys(update)[1])
const newest = (): Update => {
  const found = there.delivered.at(-1)?.update
  if (!found) throw new Error('nothing was delivered')
  return found
}

describe('the API', () => {
  test('accepts JSON, forms, forms with files and queries, and method names in any case', async () => {
    const url = `${there.apiBase}/bot${there.token}/SENDmessage`
    const parameters = { chat_id: String(ada), text: 'a', reply_parameters: '{"message_id":1}' }
    const form = new FormData()
    for (const [name, value] of Object.entries(parameters)) form.set(name, value)
    const answers = [
      await fetch(`${url}?${new URLSearchParams(parameters)}`),
      await fetch(url, { method: 'POST', body: new URLSearchParams(parameters) }),
      await fetch(url, { method: 'POST', body: form }),
    ]
    for (const answer of answers)
      expect(await answer.json()).toMatchObject({
        ok: true,
        result: { text: 'a', reply_to_message: { message_id: 1 } },
      })
  })

  test('accepts a file by its name in the form, and again by its id', async () => {
    const url = `${there.apiBase}/bot${there.token}/sendDocument`
    const form = new FormData()
    form.set('chat_id', String(ada))
    form.set('document', 'attach://one')
    form.set('one', new File(['bytes'], 'a.txt', { type: 'text/plain' }))
    const { result } = await (await fetch(url, { method: 'POST', body: form })).json()
    expect(result.document).toMatchObject({ file_name: 'a.txt', mime_type: 'text/plain', file_size: 5 })
    const { file_id } = result.document
    expect(await there.api('sendDocument', { chat_id: ada, document: file_id })).toMatchObject({
      result: { document: { file_id } },
    })
    expect(await there.api('sendDocument', { chat_id: ada, document: 'x' })).toEqual(
      says('Bad Request: wrong file identifier/HTTP URL specified'),
    )
    form.set('one', new File([], 'a.txt'))
    expect(await (await fetch(url, { method: 'POST', body: form })).json()).toEqual(
      says('Bad Request: file must be non-empty'),
    )
  })

  test('rejects other tokens, methods and files', async () => {
    const get = async (path: string) => (await fetch(`${there.apiBase}${path}`)).json()
    expect(await get('/bot100:other/getMe')).toEqual(says('Unauthorized', 401))
    expect(await get(`/bot${there.token}/getMe`)).toMatchObject({
      ok: true,
      result: { id: 100, username: 'local_bot' },
    })
    expect(await get(`/bot${there.token}/sendHologram`)).toEqual(says('Not Found', 404))
    expect(await get('/')).toEqual(says('Not Found', 404))
    expect(await get(`/file/bot${there.token}/documents/file_0`)).toEqual(says('Not Found', 404))
    expect(await there.api('getChat', { chat_id: ada })).toMatchObject({
      result: { type: 'private', first_name: 'Ada' },
    })
  })

  test.each([
    ['sendMessage', { chat_id: 5, text: 'a' }, 'Bad Request: chat not found'],
    ['sendMessage', { chat_id: ada, text: '' }, 'Bad Request: message text is empty'],
    ['sendMessage', { chat_id: ada, text: 'x'.repeat(4097) }, 'Bad Request: message is too long'],
    ['sendMessage', { chat_id: ada, text: '\ud800' }, 'Bad Request: strings must be encoded in UTF-8'],
    ['sendMessage', { chat_id: ada, text: 'a', parse_mode: 'HTML' }, 'Bad Request: unsupported parse_mode'],
    [
      'sendMessage',
      { chat_id: ada, text: 'a', reply_parameters: { message_id: 9 } },
      'Bad Request: message to be replied not found',
    ],
    ['editMessageText', { chat_id: ada, message_id: 9, text: 'a' }, 'Bad Request: message to edit not found'],
    ['editMessageText', { chat_id: ada, message_id: 1, text: 'a' }, "Bad Request: message can't be edited"],
    ['deleteMessage', { chat_id: ada, message_id: 9 }, 'Bad Request: message to delete not found'],
    ['sendMessageDraft', { chat_id: lab, draft_id: 1, text: 'a' }, 'Bad Request: TEXTDRAFT_PEER_INVALID'],
    ['sendMessageDraft', { chat_id: ada, draft_id: 0, text: 'a' }, 'Bad Request: RANDOM_ID_INVALID'],
    ['getFile', { file_id: 'x' }, 'Bad Request: wrong file_id or the file is temporarily unavailable'],
    ['getChatMember', { chat_id: lab, user_id: 9 }, 'Bad Request: PARTICIPANT_ID_INVALID'],
    [
      'answerCallbackQuery',
      { callback_query_id: '9' },
      'Bad Request: query is too old and response timeout expired or query ID is invalid',
    ],
    [
      'setWebhook',
      { url: 'https://a.test', secret_token: 'no spaces' },
      'Bad Request: secret token contains unallowed characters',
    ],
    ['sendChatAction', { chat_id: ada }, expect.stringContaining('Bad Request: parameter "action"')],
  ])('%s of %j is refused', async (method, parameters, description) => {
    expect(await there.api(method, parameters)).toEqual(says(description))
  })

  test.each([
    ['beyond the text', [['bold', 1, 9]], 'ends after the end of the text'],
    ['within a letter', [['bold', 4, 1]], 'in a middle of a UTF-16 symbol'],
    [
      'across an edge',
      [
        ['bold', 0, 2],
        ['italic', 1, 2],
      ],
      'ENTITIES_OVERLAP',
    ],
    [
      'in code',
      [
        ['code', 0, 2],
        ['bold', 0, 1],
      ],
      'ENTITIES_NESTED',
    ],
    [
      'around code',
      [
        ['bold', 0, 2],
        ['pre', 0, 1],
      ],
      'ENTITIES_NESTED',
    ],
    [
      'with quotes in quotes',
      [
        ['blockquote', 0, 2],
        ['blockquote', 0, 1],
      ],
      'ENTITIES_NESTED',
    ],
    ['with links to nothing', [['text_link', 0, 2]], 'Wrong HTTP URL'],
  ])('entities %s are refused', (_, list, problem) => {
    const given = list.map(([type, offset, length]) => ({ type, offset, length }))
    // safe because the check validates its input
    expect(() => checkText('abc🎉', given as never)).toThrow(problem)
  })

  test('nested entities are accepted as far as Telegram allows them', () => {
    const given = [
      ['blockquote', 0, 4],
      ['bold', 0, 3],
      ['italic', 1, 1],
      ['code', 3, 1],
    ].map(([type, offset, length]) => ({ type, offset, length }))
    expect(checkText('abcd', given as never).entities).toHaveLength(4)
  })

  test('edits a message, and reports an edit that changes nothing', async () => {
    const keys = { reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'y' }]] } }
    const place = { chat_id: ada, message_id: 2 }
    await there.api('sendMessage', { chat_id: ada, text: 'a', ...keys })
    expect(await there.api('editMessageText', { ...place, text: 'a', ...keys })).toMatchObject({
      error_code: 400,
      description: expect.stringContaining('message is not modified'),
    })
    expect(await there.api('editMessageText', { ...place, text: 'a' })).toMatchObject({
      result: { message_id: 2, text: 'a' },
    })
    expect(await there.api('editMessageText', { ...place, text: 'b' })).toMatchObject({
      result: { edit_date: expect.any(Number) },
    })
    expect(await there.api('deleteMessage', place)).toMatchObject({ ok: true })
  })

  // https://github.com/tdlib/telegram-bot-api/issues/447, https://github.com/tdlib/telegram-bot-api/issues/854
  test('refuses threads that are not topics, and topics that are closed', async () => {
    const noThread = says('Bad Request: message thread not found')
    const { id } = there.people.say(lab, ada, { text: '@local_bot hi' })
    for (const message_thread_id of [1, id, 4321])
      for (const call of ['sendMessage', 'sendChatAction'])
        expect(await there.api(call, { chat_id: lab, message_thread_id, text: 'a', action: 'typing' })).toEqual(
          noThread,
        )
    expect(await there.api('sendMessageDraft', { chat_id: ada, message_thread_id: 5, draft_id: 1, text: 'a' })).toEqual(
      noThread,
    )
    const topic = there.people.openTopic(lab, ada, 'Pumps')
    expect(await there.api('sendMessage', { chat_id: lab, message_thread_id: topic, text: 'a' })).toMatchObject({
      result: { message_thread_id: topic, is_topic_message: true, chat: { is_forum: true } },
    })
    there.people.closeTopic(lab, topic)
    const closed = says('Bad Request: TOPIC_CLOSED')
    expect(await there.api('sendMessage', { chat_id: lab, message_thread_id: topic, text: 'a' })).toEqual(closed)
    there.people.deleteTopic(lab, topic)
    expect(await there.api('sendMessage', { chat_id: lab, message_thread_id: topic, text: 'a' })).toEqual(noThread)
  })

  test('gives the thread of an answer outside topics, named by its first message', async () => {
    const first = there.people.say(lab, ada, { text: 'a' })
    const second = there.people.say(lab, bob, { text: 'b', replyTo: first.id })
    there.people.say(lab, ada, { text: 'c', replyTo: second.id })
    await there.settled()
    expect(newest().message).toMatchObject({ message_thread_id: first.id })
    expect(newest().message?.is_topic_message).toBeUndefined()
    expect(there.delivered.at(-3)?.update.message?.message_thread_id).toBeUndefined()
  })

  test('stores lists of commands by scope', async () => {
    const commands = [{ command: 'help', description: 'All of them' }]
    const scope = { type: 'all_private_chats' }
    await there.api('setMyCommands', { commands, scope })
    expect(await there.api('getMyCommands', { scope })).toMatchObject({ result: commands })
    expect(await there.api('getMyCommands')).toMatchObject({ result: [] })
    expect(await there.api('setMyCommands', { commands: [{ command: 'No!', description: 'x' }] })).toMatchObject({
      ok: false,
    })
  })
})

describe('flood control', () => {
  /** The number of messages that pass at a rate, by kind of chat. */
  const passed = (perSecond: number, seconds: number, chat: { id: number; type: string }) => {
    let at = 0
    const control = floodControl(() => at)
    let taken = 0
    for (; at < seconds * 1000; at += 1000 / perSecond)
      try {
        control.count(chat)
        taken += 1
      } catch {}
    return taken
  }

  test('allows one message a second in a private chat, and twenty a minute in a group', () => {
    expect(passed(0.9, 120, { id: 1, type: 'private' })).toBeGreaterThanOrEqual(108)
    expect(passed(10, 120, { id: 1, type: 'private' })).toBeLessThanOrEqual(124)
    expect(passed(1 / 3.1, 120, { id: 2, type: 'supergroup' })).toBe(39)
    expect(passed(1, 120, { id: 2, type: 'supergroup' })).toBe(40)
  })

  test('gives the time to wait, after which a message passes, and counts edits too', async () => {
    const real = await testTelegram({ limits: true })
    real.people.say(ada, ada, { text: 'a' })
    for (let sent = 0; sent < 3; sent += 1) await real.api('sendMessage', { chat_id: ada, text: 'a' })
    await real.api('editMessageText', { chat_id: ada, message_id: 2, text: 'b' })
    expect(await real.api('sendMessage', { chat_id: ada, text: 'a' })).toEqual({
      ...says('Too Many Requests: retry after 4', 429),
      parameters: { retry_after: 4 },
    })
    expect(await real.api('sendMessage', { chat_id: lab, text: 'a' })).toMatchObject({ ok: true })
    await real.stop()
  })
})

describe('the webhook', () => {
  test('gets people’s actions, with the secret', async () => {
    there.people.say(lab, bob, { text: '@local_bot hi' })
    there.people.edit(ada, 1, 'changed')
    there.people.setBot(ada, ada, 'kicked')
    await there.settled()
    expect(kinds().sort()).toEqual(['edited_message', 'message', 'message', 'my_chat_member'])
    expect(there.delivered[0]?.update.message).toMatchObject({
      from: { id: ada, first_name: 'Ada' },
      entities: [{ type: 'bot_command', offset: 0, length: 6 }],
    })
    for (const { headers } of there.delivered) expect(headers['x-telegram-bot-api-secret-token']).toBe(WEBHOOK_SECRET)
    const ids = there.delivered.map(({ update }) => update.update_id)
    expect(new Set(ids).size).toBe(4)
  })

  test('gets an update again until it accepts it, each chat in order', async () => {
    there.answers.push({ status: 500 }, { status: 503 })
    for (const text of ['a', 'b', 'c']) there.people.say(ada, ada, { text })
    await there.settled()
    expect(there.delivered.map(({ update }) => update.message?.text)).toEqual(['/start CODE', 'a', 'b', 'c'])
    expect(await there.api('getWebhookInfo')).toMatchObject({
      result: { url: there.webhookUrl, pending_update_count: 0, last_error_message: expect.stringContaining('50') },
    })
  })

  test('can answer with a method, which is executed', async () => {
    there.answers.push({ status: 200, body: { method: 'sendMessage', chat_id: ada, text: 'heard' } })
    there.people.say(ada, ada, { text: 'a' })
    await there.settled()
    expect(there.world.chat(ada).messages.at(-1)).toMatchObject({ from: 100, text: 'heard' })
  })

  test('is the address that was set, for the requested kinds of updates', async () => {
    await there.api('setWebhook', { url: there.webhookUrl, secret_token: 'other', allowed_updates: ['callback_query'] })
    there.people.say(ada, ada, { text: 'a' })
    await there.settled()
    expect(there.delivered).toHaveLength(1)
    await there.api('setWebhook', { url: there.webhookUrl, secret_token: 'other', allowed_updates: ['message'] })
    there.people.say(ada, ada, { text: 'b' })
    await there.settled()
    expect(there.delivered.at(-1)?.headers['x-telegram-bot-api-secret-token']).toBe('other')
    await there.api('deleteWebhook')
    there.people.say(ada, ada, { text: 'c' })
    await there.settled()
    expect(there.delivered).toHaveLength(2)
  })

  test('can get updates twice, under new ids, and in another order', async () => {
    Object.assign(there.faults.deliveries, { times: 2, newIds: true, reorder: 4 })
    for (const text of ['a', 'b']) there.people.say(ada, ada, { text })
    await there.settled()
    const seen = there.delivered.slice(1).map(({ update }) => update)
    expect(seen.map(({ message }) => message?.text)).toEqual(['b', 'b', 'a', 'a'])
    expect(new Set(seen.map(({ update_id }) => update_id)).size).toBe(4)
  })

  test('gets the presses of existing buttons, and the person gets the answer', async () => {
    const reply_markup = { inline_keyboard: [[{ text: 'Yes', callback_data: 'y' }]] }
    await there.api('sendMessage', { chat_id: ada, text: 'Sure?', reply_markup })
    const answer = there.people.press(ada, ada, 2, 'y')
    await there.settled()
    const { callback_query } = newest()
    expect(callback_query).toMatchObject({ data: 'y', message: { message_id: 2, text: 'Sure?' } })
    await there.api('answerCallbackQuery', { callback_query_id: callback_query?.id, text: 'Done' })
    expect(await answer).toBe('Done')
    expect(() => there.people.press(ada, ada, 2, 'forged')).toThrow('no such button')
    expect(() => there.people.press(ada, bob, 2, 'y')).toThrow('not a member')
  })
})

describe('faults', () => {
  test('refuse calls, drop the answer of a completed call, or fail everything', async () => {
    there.faults.api.refuse.push({ method: 'sendMessage', status: 429, message: 'Too Many Requests', retryAfter: 3 })
    expect(await there.api('getMe')).toMatchObject({ ok: true })
    expect(await there.api('sendMessage', { chat_id: ada, text: 'a' })).toMatchObject({
      parameters: { retry_after: 3 },
    })
    there.faults.api.drop.push({})
    await expect(there.api('sendMessage', { chat_id: ada, text: 'kept' })).rejects.toThrow()
    expect(there.world.chat(ada).messages.at(-1)?.text).toBe('kept')
    there.faults.api.downUntil = Date.now() + 60_000
    expect(await there.api('getMe')).toEqual(says('Bad Gateway', 502))
  })
})

test('all messages are still there after a restart', async () => {
  const stateFolder = mkdtempSync(join(tmpdir(), 'telegram-'))
  const first = await testTelegram({ stateFolder })
  first.people.say(ada, ada, { text: 'remember' })
  await first.stop()
  const second = await testTelegram({ stateFolder })
  expect(second.world.chat(ada).messages).toMatchObject([{ text: 'remember' }])
  expect(second.people.say(ada, ada, { text: 'more' }).id).toBe(2)
  await second.stop()
})

describe('the page', () => {
  const get = (path: string) => fetch(`${there.pageUrl}${path}`)
  const act = async (asked: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${there.pageUrl}/do`, { method: 'POST', headers, body: JSON.stringify(asked) })
    return { status: response.status, body: await response.json() }
  }

  test('has three files that its policy allows, and nothing else', async () => {
    for (const path of ['', '/page.js', '/page.css']) {
      const response = await get(path)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get('content-security-policy')).toContain("script-src 'self'")
    }
    for (const path of ['/server.ts', '/../emulator.ts', '/file/x', '/%2e%2e/emulator.ts'])
      expect([404, 418]).toContain((await get(path)).status)
    expect(await (await get('')).text()).not.toMatch(/<script>|\son\w+=|style=/)
  })

  test('does what a person does', async () => {
    expect(await act({ do: 'say', chat: ada, person: ada, text: 'hi' })).toMatchObject({ status: 200, body: { id: 2 } })
    const { body: person } = await act({ do: 'person', name: 'Cy' })
    expect(person).toMatchObject({ id: 1003, first_name: 'Cy' })
    const { body: group } = await act({ do: 'group', title: 'Club', owner: 1003 })
    expect(await act({ do: 'bot', chat: group.id, person: 1003, standing: 'member' })).toMatchObject({ status: 200 })
    expect(await act({ do: 'say', chat: lab, person: 1003, text: 'x' })).toMatchObject({ status: 400 })
    expect(await act({ do: 'fly' })).toMatchObject({ status: 400 })
    expect(await act({ do: 'person', name: 'Evil' }, { origin: 'https://evil.test' })).toMatchObject({ status: 403 })
    const state = await (await get('/state')).json()
    expect(state.people).toHaveLength(3)
    expect(state.chats).toContainEqual(
      expect.objectContaining({ title: 'Club', standing: { 1003: 'creator', 100: 'member' } }),
    )
  })

  test('sends files and shows them: images inline, all others as downloads', async () => {
    for (const [name, type, shown] of [
      ['a.png', 'image/png', 'inline'],
      ['a.html', 'text/html', 'attachment'],
    ]) {
      const query = new URLSearchParams({
        chat: String(ada),
        person: String(ada),
        name: name ?? '',
        type: type ?? '',
        text: 'see',
      })
      const sent = await (await fetch(`${there.pageUrl}/file?${query}`, { method: 'POST', body: 'bytes' })).json()
      expect(sent).toMatchObject({ caption: 'see', document: { file_name: name } })
      const response = await get(`/file/${sent.document.path}`)
      expect(response.headers.get('content-disposition')).toMatch(new RegExp(`^${shown}`))
      expect(await response.text()).toBe('bytes')
    }
  })

  test('is notified of changes', async () => {
    const response = await get('/events')
    const reader = response.body?.getReader()
    await reader?.read()
    there.people.say(ada, ada, { text: 'news' })
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: new\n\n')
    await reader?.cancel()
  })
})

// https://github.com/tdlib/telegram-bot-api/issues/170, https://github.com/tucnak/telebot/issues/187
test('a group that becomes a supergroup sends two updates, and keeps its members under another id', async () => {
  const group = there.world.addGroup('Trip', ada, [bob, there.world.bot.id], 'group')
  const to = there.people.upgrade(group.id, ada)
  await there.settled()
  expect(to).toBeLessThan(-1_000_000_000_000)
  expect(there.delivered.slice(-2).map(({ update }) => update.message)).toMatchObject([
    { chat: { id: group.id, type: 'group' }, from: { id: ada }, migrate_to_chat_id: to },
    {
      chat: { id: to, type: 'supergroup', title: 'Trip' },
      from: { is_bot: true },
      sender_chat: { id: to },
      migrate_from_chat_id: group.id,
    },
  ])
  there.people.say(to, bob, { text: 'here' })
  expect(() => there.people.say(group.id, bob, { text: 'there' })).toThrow('Bad Request')
  expect(() => there.people.upgrade(lab, ada)).toThrow('Bad Request')
})
