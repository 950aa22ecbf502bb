import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { telegram } from '../../../adapters/telegram/telegram.ts'
import { type ChatPlatform, type Destination, PlatformError } from '../../../app/ports/chat-platform.ts'
import type { Chat } from '../../../domain/channels/inbound.ts'
import type { TestCloud } from '../../../emulators/aws/test/cloud.ts'
import { type TestTelegram, testTelegram, WEBHOOK_SECRET } from '../../../emulators/telegram/test/telegram.ts'
import { env, openCloud } from '../../cloud.ts'
import { seeded } from '../../counts.ts'

let cloud: TestCloud
let there: TestTelegram
let port: ChatPlatform
const [ada, bob, lab] = [1001, 1002, -1_000_000_000_001]
const direct: Destination = { chat: { platform: 'telegram', id: String(ada), kind: 'direct' }, context: {} }
const group: Destination = { chat: { platform: 'telegram', id: String(lab), kind: 'group' }, context: {} }

/** An adapter that reads this secret; each adapter caches its secret for minutes. */
async function withSecret(change: object): Promise<ChatPlatform> {
  const { token, username, apiBase } = there
  const secret = { token, username, apiBase, webhookSecret: WEBHOOK_SECRET, ...change }
  await cloud.cloud.putSecret('telegram', JSON.stringify(secret))
  const made = telegram(env)
  await made.about()
  return made
}

beforeAll(async () => {
  cloud = await openCloud()
})
afterAll(() => cloud.close())
beforeEach(async () => {
  there = await testTelegram()
  port = await withSecret({})
  there.people.say(ada, ada, { text: '/start' })
  await there.settled()
})
afterEach(() => there.stop())

const messages = (chat: number) => there.world.chat(chat).messages
const last = (chat = ada) => messages(chat).at(-1)
/** The thrown error in the shape of the contract. */
const failure = async (doing: Promise<unknown>): Promise<Partial<PlatformError>> => {
  const error = await doing.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof PlatformError)) throw new Error(`not a PlatformError: ${error}`)
  const { token } = there
  expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toContain(token)
  return { reason: error.reason, message: error.message, retryAfterMs: error.retryAfterMs }
}

describe('a request to the Telegram webhook', () => {
  const request = (news: object, headers: object = {}) => ({
    headers: { 'x-telegram-bot-api-secret-token': WEBHOOK_SECRET, ...headers },
    rawBody: JSON.stringify({ update_id: 1, ...news }),
  })

  test('with the right secret is accepted', async () => {
    const [delivered] = there.delivered
    if (!delivered) throw new Error('nothing was delivered')
    expect(await port.read(delivered, Date.now())).toMatchObject({
      kind: 'inbound',
      inbound: [{ chat: { id: '1001' }, what: { kind: 'command', name: 'start' } }],
      answer: null,
    })
  })

  test('with any changed byte of the secret is refused, whatever its body', async () => {
    const at = fc.integer({ min: 0, max: WEBHOOK_SECRET.length - 1 })
    const other = fc.oneof(
      fc
        .tuple(at, fc.string({ minLength: 1, maxLength: 1 }))
        .map(([i, c]) => WEBHOOK_SECRET.slice(0, i) + c + WEBHOOK_SECRET.slice(i + 1)),
      at.map((length) => WEBHOOK_SECRET.slice(0, length)),
      fc.string({ minLength: 1 }).map((more) => WEBHOOK_SECRET + more),
      fc.string({ unit: 'binary' }),
    )
    await fc.assert(
      fc.asyncProperty(other, fc.json(), async (shown, rawBody) => {
        const { kind } = await port.read({ headers: { 'x-telegram-bot-api-secret-token': shown }, rawBody }, 0)
        expect(kind).toBe(shown === WEBHOOK_SECRET ? 'inbound' : 'refused')
      }),
      seeded(5_000),
    )
    expect(await port.read({ headers: {}, rawBody: '{}' }, 0)).toMatchObject({ kind: 'refused' })
  })

  test('is refused before the bot is set up', async () => {
    for (const change of [{ webhookSecret: '' }, { token: '' }]) {
      const closed = await withSecret(change)
      const shown = request({}, { 'x-telegram-bot-api-secret-token': '' })
      expect(await closed.read(shown, 0)).toMatchObject({ kind: 'refused', why: 'Telegram is not set up here.' })
      expect(await closed.read(request({}), 0)).toMatchObject({ kind: 'refused' })
    }
  })

  test('with a meaningless body is ignored without an error', async () => {
    for (const rawBody of ['', 'null', '[', '[]', '{"update_id":1,"message":7}'])
      expect(await port.read({ ...request({}), rawBody }, 0)).toEqual({ kind: 'inbound', inbound: [], answer: null })
  })
})

describe('a sent message', () => {
  test('appears with formatting and buttons, without link previews', async () => {
    const buttons = [
      { label: 'Yes', data: 'y1' },
      { label: 'No', data: 'n1' },
    ]
    const { messageId } = await port.send(direct, { text: '**Hi** `x`', buttons }, 'key')
    expect(last()).toMatchObject({
      id: Number(messageId),
      text: 'Hi x',
      entities: [{ type: 'bold' }, { type: 'code' }],
      buttons: { inline_keyboard: [[{ callback_data: 'y1' }], [{ callback_data: 'n1' }]] },
    })
    const pressed = there.people.press(ada, ada, Number(messageId), 'y1')
    await there.settled()
    const delivered = there.delivered.at(-1)
    if (!delivered) throw new Error('nothing was delivered')
    const reading = await port.read(delivered, Date.now())
    expect(reading).toMatchObject({ inbound: [{ what: { kind: 'button', data: 'y1', messageId } }] })
    // Telegram carries out the webhook's response at once.
    if (reading.kind !== 'inbound' || !reading.answer) throw new Error('no answer')
    await there.api(String(reading.answer.method), reading.answer)
    expect(await pressed).toBeUndefined()
  })

  test('can be edited repeatedly, and its buttons can be removed', async () => {
    const { messageId } = await port.send(direct, { text: 'one', buttons: [{ label: 'Yes', data: 'y' }] }, 'key')
    for (const text of ['*two*', '*two*']) await port.edit(direct, messageId, { text })
    expect(last()).toMatchObject({ id: Number(messageId), text: 'two' })
    expect(last()?.buttons).toBeUndefined()
  })

  test('quotes a group’s message while that exists', async () => {
    const asked = there.people.say(lab, ada, { text: '@local_bot hi' })
    const to = { ...group, context: { message: String(asked.id) } }
    await port.send(to, { text: 'a' }, '1')
    expect(last(lab)).toMatchObject({ text: 'a', replyTo: asked.id })
    there.people.remove(lab, asked.id)
    await port.send(to, { text: 'b' }, '2')
    expect(last(lab)).toMatchObject({ text: 'b' })
  })

  // https://github.com/westacks/telebot/pull/135, https://github.com/tucnak/telebot/issues/762
  test('quotes a reply in a supergroup without topics, where Telegram accepts no thread id', async () => {
    const { messageId } = await port.send(group, { text: 'earlier' }, '1')
    const asked = there.people.say(lab, ada, { text: 'and this?', replyTo: Number(messageId) })
    await there.settled()
    const update = there.delivered.at(-1)
    expect(update?.update.message).toMatchObject({ message_thread_id: Number(messageId) })
    const reading = update && (await port.read(update, Date.now()))
    if (reading?.kind !== 'inbound') throw new Error('nothing was read')
    const [inbound] = reading.inbound
    expect(inbound?.context).toEqual({ message: String(asked.id) })
    const to = { chat: group.chat, context: inbound?.context ?? {} }
    await port.typing(to)
    await port.send(to, { text: 'this' }, '2')
    expect(last(lab)).toMatchObject({ text: 'this', replyTo: asked.id })
  })

  test('appears in the topic of the request', async () => {
    const topic = there.people.openTopic(lab, ada, 'Pumps')
    const asked = there.people.say(lab, ada, { text: '@local_bot hi', thread: topic })
    await there.settled()
    const update = there.delivered.at(-1)
    const reading = update && (await port.read(update, Date.now()))
    expect(reading).toMatchObject({ inbound: [{ context: { thread: String(topic), message: String(asked.id) } }] })
    await port.send({ ...group, context: { thread: String(topic), message: String(asked.id) } }, { text: 'b' }, '1')
    expect(last(lab)).toMatchObject({ text: 'b', thread: topic, replyTo: asked.id })
  })

  // https://github.com/python-telegram-bot/python-telegram-bot/issues/4739, https://github.com/rteixeirax/qbittorrent_telegram_notification/issues/12
  test.each(['deleted', 'closed', 'none at all'])('appears outside of a topic that is %s', async (state) => {
    const topic = there.people.openTopic(lab, ada, 'Pumps')
    const asked = there.people.say(lab, ada, { text: '@local_bot hi', thread: topic })
    if (state === 'deleted') there.people.deleteTopic(lab, topic)
    if (state === 'closed') there.people.closeTopic(lab, topic)
    const thread = String(state === 'none at all' ? 4321 : topic)
    const to = { ...group, context: { thread, ...(state !== 'none at all' && { message: String(asked.id) }) } }
    await port.typing(to)
    const { messageId } = await port.send(to, { text: 'a' }, '1')
    await port.edit(to, messageId, { text: 'b' })
    expect(last(lab)).toMatchObject({ text: 'b' })
    expect(last(lab)?.thread).toBeUndefined()
    await port.sendFile(to, { name: 'a.txt', type: 'text/plain', content: new Uint8Array([1]) }, '2')
    expect(last(lab)).toMatchObject({ document: { file_name: 'a.txt' } })
    const alone = { ...direct, context: { thread: '77' } }
    await port.grow?.(alone, 'so far', { key: 'k', messageId: null, text: '' })
    expect(there.world.passing(there.world.chat(ada)).draft).toMatchObject({ text: 'so far' })
  })

  test('keeps its quote when only the thread is refused', async () => {
    const asked = there.people.say(lab, ada, { text: '@local_bot hi' })
    await port.send({ ...group, context: { thread: '4321', message: String(asked.id) } }, { text: 'a' }, '1')
    expect(last(lab)).toMatchObject({ text: 'a', replyTo: asked.id })
  })

  test('is sent as plain text when Telegram refuses its formatting', async () => {
    there.faults.api.refuse.push({ method: 'sendMessage', status: 400, message: "Bad Request: can't parse entities" })
    await port.send(direct, { text: '**a** @bob' }, 'key')
    expect(last()).toMatchObject({ text: '**a** \uff20bob', entities: [] })
  })

  test('is not sent when it is empty', async () => {
    expect(await failure(port.send(direct, { text: ' \n' }, 'key'))).toMatchObject({ reason: 'refused' })
  })

  test('with the maximum length is accepted', async () => {
    await port.send(direct, { text: `**${'x'.repeat(4092)}**` }, 'key')
    expect(last()?.text).toHaveLength(4092)
    await port.send(direct, { text: '🎉'.repeat(2048) }, 'key')
    expect(last()?.text).toHaveLength(4096)
  })
})

describe('a growing reply', () => {
  test('is a draft in a private chat, which the final message replaces', async () => {
    const shown = { key: 'prm_1', messageId: null, text: '' }
    expect(await port.grow?.(direct, 'One', shown)).toEqual({ messageId: null })
    const first = there.world.passing(there.world.chat(ada)).draft
    expect(await port.grow?.(direct, 'One **two', { ...shown, text: 'One' })).toEqual({ messageId: null })
    const second = there.world.passing(there.world.chat(ada)).draft
    expect([first?.text, second?.text]).toEqual(['One', 'One **two'])
    expect([second?.id, second?.canStop]).toEqual([first?.id, true])
    await port.grow?.(direct, 'x', { ...shown, key: 'prm_2' })
    expect(there.world.passing(there.world.chat(ada)).draft?.id).not.toBe(first?.id)
    await port.send(direct, { text: 'One two' }, 'prm_1')
    expect(there.world.passing(there.world.chat(ada)).draft).toBeUndefined()
    expect(messages(ada)).toHaveLength(2)
  })

  test('stopped by the person in the chat is read as the stop command', async () => {
    await port.grow?.(direct, 'One', { key: 'prm_1', messageId: null, text: '' })
    there.people.stop(ada)
    await there.settled()
    const delivered = there.delivered.at(-1)
    if (!delivered) throw new Error('nothing was delivered')
    expect(await port.read(delivered, Date.now())).toMatchObject({
      inbound: [{ person: { id: '1001' }, what: { kind: 'command', name: 'stop' } }],
    })
  })

  test('is one message in a group', async () => {
    const first = await port.grow?.(group, 'One', { key: 'k', messageId: null, text: '' })
    const messageId = first?.messageId ?? null
    expect(await port.grow?.(group, 'One two', { key: 'k', messageId, text: 'One' })).toEqual({ messageId })
    expect(messages(lab)).toMatchObject([{ id: Number(messageId), text: 'One two' }])
  })

  test('shows the typing status', async () => {
    await port.typing(direct)
    expect(there.world.passing(there.world.chat(ada)).typingUntil).toBeGreaterThan(Date.now())
  })
})

describe('files', () => {
  const content = Uint8Array.from({ length: 70_000 }, (_, at) => at % 251)

  test('are uploaded and downloaded unchanged', async () => {
    await port.sendFile(direct, { name: 'café "1".csv', type: 'text/csv', content }, 'key')
    const sent = last()?.document
    expect(sent).toMatchObject({ file_name: 'café "1".csv', mime_type: 'text/csv', file_size: 70_000 })
    const file = { ref: sent?.file_id ?? '', name: 'a', type: 'b' }
    expect(Buffer.from(await port.fetchFile(direct.chat, file, 70_000)).equals(Buffer.from(content))).toBe(true)
    expect(await failure(port.fetchFile(direct.chat, file, 69_999))).toMatchObject({ reason: 'refused' })
    expect(await failure(port.fetchFile(direct.chat, { ...file, ref: 'none' }, 1))).toMatchObject({ reason: 'refused' })
  })

  test('above the limit for bots are refused with Telegram’s message', async () => {
    const large = there.people.say(ada, ada, {
      file: { name: 'a', type: 'b', content: new Uint8Array(20 * 1024 * 1024 + 1) },
    })
    const file = { ref: large.document?.file_id ?? '', name: 'a', type: 'b' }
    expect(await failure(port.fetchFile(direct.chat, file, 1e9))).toMatchObject({
      reason: 'refused',
      message: expect.stringContaining('file is too big'),
    })
  })

  test('are requested only from Telegram, so the token reaches no other host', async () => {
    const asked: string[] = []
    const other = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end('secret')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}` // safe because it listens
    const stranger = createServer((request, response) => {
      const file_path = decodeURIComponent((request.url ?? '').split('path=')[1] ?? paths[0] ?? '')
      const redirect = request.url?.startsWith('/file/')
      response.writeHead(redirect ? 302 : 200, redirect ? { location: elsewhere } : {})
      response.end(JSON.stringify({ ok: true, result: { file_path } }))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => stranger.once('listening', resolve))
    const apiBase = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}` // safe because it listens
    const paths = [
      elsewhere,
      elsewhere.replace('http:', ''),
      '/etc/passwd',
      '../x',
      '../../../x',
      '%2e%2e/x',
      'a/b.txt',
    ]
    const fooled = await withSecret({ apiBase })
    while (paths.length > 0) {
      const found = await failure(fooled.fetchFile(direct.chat, { ref: 'f', name: 'a', type: 'b' }, 100))
      expect(found.reason).toBe(paths.length > 1 ? 'refused' : 'unavailable')
      paths.shift()
    }
    expect(asked).toEqual([])
    for (const server of [other, stranger]) {
      server.closeAllConnections()
      server.close()
    }
  })
})

describe('the owner of a chat', () => {
  const owns = (chat: Chat, person: string | number) => port.ownsChat(chat, String(person))

  test('is its owner and its administrators, and in a private chat the person', async () => {
    expect([await owns(group.chat, ada), await owns(group.chat, bob)]).toEqual([true, false])
    there.world.chat(lab).standing[bob] = 'administrator'
    expect(await owns(group.chat, bob)).toBe(true)
    for (const nobody of [999, -999, lab, 'x', '']) expect(await owns(group.chat, nobody)).toBe(false)
    expect([await owns(direct.chat, ada), await owns(direct.chat, bob)]).toEqual([true, false])
  })

  test('is unknown where the bot is not a member', async () => {
    there.people.setBot(lab, ada, 'kicked')
    expect(await failure(owns(group.chat, ada))).toMatchObject({ reason: 'gone' })
  })
})

describe('an error from Telegram', () => {
  const send = () => failure(port.send(direct, { text: 'a' }, 'key'))
  const nowhere = { ...direct, chat: { ...direct.chat, id: '5' } }

  test.each([
    [400, 'Bad Request: chat not found', 'gone'],
    [400, 'Bad Request: PEER_ID_INVALID', 'gone'],
    [403, 'Forbidden: user is deactivated', 'gone'],
    [400, 'Bad Request: TOPIC_CLOSED', 'refused'],
    [413, 'Request Entity Too Large', 'refused'],
    [401, 'Unauthorized', 'unavailable'],
    [404, 'Not Found', 'unavailable'],
    [500, 'Internal Server Error', 'unavailable'],
    [502, 'Bad Gateway', 'unavailable'],
  ])('with %d %s is %s', async (status, message, reason) => {
    there.faults.api.refuse.push({ status, message })
    expect(await send()).toEqual({
      reason,
      message: `Telegram's sendMessage answered ${status}: ${message}`,
      retryAfterMs: null,
    })
    expect(messages(ada)).toHaveLength(1)
  })

  test('for a rate limit says when to retry, and the adapter does not retry', async () => {
    there.faults.api.refuse.push({ status: 429, message: 'Too Many Requests: retry after 7', retryAfter: 7 })
    expect(await send()).toMatchObject({ reason: 'rate-limited', retryAfterMs: 7_000 })
    expect(messages(ada)).toHaveLength(1)
  })

  test('for a chat that was never started, was blocked or left means that the chat is gone', async () => {
    expect(await failure(port.send(nowhere, { text: 'a' }, 'k'))).toMatchObject({ reason: 'gone' })
    const bobs = { ...direct, chat: { ...direct.chat, id: String(bob) } }
    expect(await failure(port.send(bobs, { text: 'a' }, 'k'))).toMatchObject({ reason: 'gone' })
    there.people.setBot(ada, ada, 'kicked')
    there.people.setBot(lab, ada, 'kicked')
    expect(await send()).toMatchObject({ reason: 'gone' })
    expect(await failure(port.typing(group))).toMatchObject({ reason: 'gone' })
  })

  // https://github.com/TwiN/gatus/issues/179, https://github.com/bot-api/telegram/issues/1
  test('for a group that became a supergroup means that the chat is gone, and carries the new chat', async () => {
    const old = there.world.addGroup('Trip', ada, [there.world.bot.id], 'group')
    const to: Destination = { chat: { platform: 'telegram', id: String(old.id), kind: 'group' }, context: {} }
    const { messageId } = await port.send(to, { text: 'a' }, 'k')
    const moved = { reason: 'gone', to: String(there.people.upgrade(old.id, ada)) }
    const file = { name: 'a.txt', type: 'text/plain', content: new TextEncoder().encode('a') }
    for (const call of [
      () => port.send(to, { text: 'b' }, 'k'),
      () => port.edit(to, messageId, { text: 'b' }),
      () => port.sendFile(to, file, 'k'),
      () => port.typing(to),
      () => port.ownsChat(to.chat, String(ada)),
    ])
      await expect(call()).rejects.toMatchObject(moved)
  })

  test('for a message that is deleted or not ours is final', async () => {
    const theirs = there.people.say(ada, ada, { text: 'mine' })
    for (const id of [theirs.id, 999])
      expect(await failure(port.edit(direct, String(id), { text: 'b' }))).toMatchObject({ reason: 'refused' })
  })

  test('on the network means that Telegram is unavailable; a completed request stays completed', async () => {
    there.faults.api.drop.push({ method: 'sendMessage' })
    expect(await send()).toEqual({
      reason: 'unavailable',
      message: "Telegram's sendMessage could not be reached.",
      retryAfterMs: null,
    })
    expect(last()?.text).toBe('a')
    there.faults.api.downUntil = Date.now() + 60_000
    expect(await send()).toMatchObject({ reason: 'unavailable' })
    const off = await withSecret({ apiBase: 'http://127.0.0.1:9' })
    expect(await failure(off.send(direct, { text: 'a' }, 'k'))).toMatchObject({ reason: 'unavailable' })
    const unset = await withSecret({ token: '' })
    expect(await failure(unset.send(direct, { text: 'a' }, 'k'))).toMatchObject({ reason: 'unavailable' })
    expect(await unset.about()).toBeNull()
  })

  test('is assumed for an invalid response', async () => {
    const odd = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1')
    await new Promise((resolve) => odd.once('listening', resolve))
    const apiBase = `http://127.0.0.1:${(odd.address() as AddressInfo).port}` // safe because it listens
    const strange = await withSecret({ apiBase })
    expect(await failure(strange.send(direct, { text: 'a' }, 'k'))).toMatchObject({ reason: 'unavailable' })
    odd.closeAllConnections()
    odd.close()
  })
})

test('the adapter says where people find the bot', async () => {
  expect(await port.about()).toEqual({ name: '@local_bot', startUrl: 'https://t.me/local_bot?start={code}' })
  const startUrl = 'http://127.0.0.1:8787/local/telegram?start={code}'
  expect(await (await withSecret({ startUrl })).about()).toEqual({ name: '@local_bot', startUrl })
})
