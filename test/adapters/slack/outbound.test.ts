import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebClient } from '@slack/web-api'
import { slackFiles } from '../../../adapters/slack/files.ts'
import { PlatformError } from '../../../app/ports/chat-platform.ts'
import { notified, wordsOf } from '../../../emulators/slack/content.ts'
import { workshop } from '../../../emulators/slack/test/slack.ts'
import { type SlackWorld, slackWorld } from './world.ts'

let world: SlackWorld
beforeEach(async () => {
  world = await slackWorld()
  world.people.invite({ user: ada, channel: general })
})
afterEach(() => world.stop())

const { team, ada, general } = workshop
const failure = (run: Promise<unknown>) =>
  run.then(
    () => null,
    (error: unknown) => error,
  )
const said = () => world.store.value.messages.map(wordsOf)
const methods = () => world.calls.map(({ method, error }) => (error ? `${method} ${error}` : method))
const threaded = (ts: string) => world.to(general, { thread: ts, user: ada, team })

describe('a sent message', () => {
  test('is Markdown in the thread it replies to, without link previews', async () => {
    const root = world.people.say({ user: ada, channel: general }, '@app hi')
    const { messageId } = await world.platform.send(threaded(root.ts), { text: '**Hello** `there`' }, 'k')
    expect(world.store.value.messages.at(-1)).toMatchObject({
      ts: messageId,
      threadTs: root.ts,
      blocks: [{ type: 'markdown', text: '**Hello** `there`' }],
      text: '**Hello** `there`',
    })
    expect(world.calls.at(-1)?.given).toMatchObject({ unfurl_links: 'false', unfurl_media: 'false' })
  })

  test('may have twelve thousand characters and twenty-five buttons, and no part of it is empty', async () => {
    const buttons = Array.from({ length: 25 }, (_, i) => ({ data: `d${i}`.padEnd(64, 'x'), label: 'L'.repeat(200) }))
    await world.platform.send(world.to(world.direct), { text: 'x'.repeat(12_000), buttons }, 'k')
    await world.platform.send(world.to(world.direct), { text: '', buttons: [{ data: 'd', label: '' }] }, 'k')
    await world.platform.send(world.to(world.direct), { text: '' }, 'k')
    expect(said()).toHaveLength(3)
  })

  test('is previewed in notifications without mentioning anybody', async () => {
    await world.platform.send(world.to(world.direct), { text: `a < b & c, <!channel> ${'x'.repeat(400)}` }, 'k')
    const [message] = world.store.value.messages
    expect(message?.text.startsWith('a &lt; b &amp; c, &lt;\u2060!channel&gt; xxx')).toBe(true)
    expect(message?.text.length).toBeLessThan(330)
    if (message) expect(notified(message)).toEqual([])
  })

  test('shows a replacement character for half a surrogate pair', async () => {
    await world.platform.send(world.to(world.direct), { text: 'a\ud800b' }, 'k')
    expect(said()).toEqual(['a\ufffdb'])
  })

  test('can be edited repeatedly, text and buttons', async () => {
    const to = world.to(world.direct)
    const { messageId } = await world.platform.send(to, { text: 'May I?', buttons: [{ data: 'y', label: 'Yes' }] }, 'k')
    for (let i = 0; i < 3; i++) await world.platform.edit(to, messageId, { text: 'Yes.' })
    expect(world.store.value.messages).toMatchObject([
      { text: 'Yes.', blocks: [{ type: 'markdown', text: 'Yes.' }], edited: false },
    ])
  })
})

describe('a growing reply', () => {
  test('is a stream in a thread, and its final version edits the same message', async () => {
    const root = world.people.say({ user: ada, channel: general }, '@app count')
    const to = threaded(root.ts)
    const grow = world.platform.grow ?? (() => Promise.reject(new Error('it cannot')))
    let shown = { key: 'k', messageId: null as string | null, text: '' }
    for (const text of ['One', 'One, two', 'One, two', 'One, two, three']) {
      const { messageId } = await grow(to, text, shown)
      shown = { key: 'k', messageId, text }
    }
    for (let i = 0; i < 2; i++) await world.platform.edit(to, shown.messageId ?? '', { text: 'One, two, three.' })
    expect(methods()).toEqual([
      'chat.startStream',
      'chat.appendStream',
      'chat.appendStream',
      'chat.stopStream',
      'chat.update',
      'chat.stopStream message_not_in_streaming_state',
      'chat.update',
    ])
    expect(said()).toEqual(['<@U0BOTWORKS> count', 'One, two, three.'])
  })

  test('starts a new stream when its earlier text changes, and continues from there', async () => {
    const to = threaded(world.people.say({ user: ada, channel: general }, '@app hi').ts)
    const first = await world.platform.grow?.(to, 'Helo', { key: 'k', messageId: null, text: '' })
    const second = await world.platform.grow?.(to, 'Hello', {
      key: 'k',
      messageId: first?.messageId ?? '',
      text: 'Helo',
    })
    await world.platform.grow?.(to, 'Hello Ada', { key: 'k', messageId: second?.messageId ?? '', text: 'Hello' })
    expect(methods()).toEqual(['chat.startStream', 'chat.stopStream', 'chat.update', 'chat.update'])
    expect(said().at(-1)).toBe('Hello Ada')
  })

  test('continues by edits when Slack has closed the stream', async () => {
    let now = Date.now()
    await world.stop()
    world = await slackWorld({ now: () => now })
    const root = world.people.say({ user: ada, channel: world.direct }, 'hi')
    const to = { ...world.to(world.direct), context: { thread: root.ts } }
    const first = await world.platform.grow?.(to, 'A', { key: 'k', messageId: null, text: '' })
    now += 6 * 60_000
    const second = await world.platform.grow?.(to, 'AB', { key: 'k', messageId: first?.messageId ?? '', text: 'A' })
    expect(second?.messageId).toBe(first?.messageId?.replace('stream/', 'streamed/'))
    await world.platform.edit(to, second?.messageId ?? '', { text: 'ABC' })
    expect(said()).toEqual(['hi', 'ABC'])
    expect(world.calls.at(-1)?.given).toMatchObject({ markdown_text: 'ABC' })
  })

  test.each(['missing_recipient_user_id', 'no thread'])(
    'is an ordinary message where it cannot be streamed: %s',
    async (why) => {
      const root = world.people.say({ user: ada, channel: general }, '@app hi')
      const to = why === 'no thread' ? world.to(world.direct) : world.to(general, { thread: root.ts })
      const first = await world.platform.grow?.(to, 'A', { key: 'k', messageId: null, text: '' })
      await world.platform.grow?.(to, 'AB', { key: 'k', messageId: first?.messageId ?? '', text: 'A' })
      expect(methods().slice(-2)).toEqual(['chat.postMessage', 'chat.update'])
      expect(said().at(-1)).toBe('AB')
    },
  )
})

describe('the typing status', () => {
  test('is shown in its thread until the agent replies', async () => {
    const root = world.people.say({ user: ada, channel: general }, '@app hi')
    await world.platform.typing(threaded(root.ts))
    expect([...world.store.statuses]).toMatchObject([[`${general} ${root.ts}`, { text: 'is thinking…' }]])
    await world.platform.send(threaded(root.ts), { text: 'Hi.' }, 'k')
    expect(world.store.statuses.size).toBe(0)
  })

  test('sends nothing to Slack without a thread', async () => {
    await world.platform.typing(world.to(world.direct))
    expect(methods()).toEqual([])
  })
})

describe('files', () => {
  const file = { name: 'chart.png', type: 'image/png', content: Buffer.from('a picture') }

  test('are uploaded to the chat, into its thread', async () => {
    const root = world.people.say({ user: ada, channel: general }, '@app draw')
    const { messageId } = await world.platform.sendFile(threaded(root.ts), file, 'k')
    expect(world.store.value.messages.at(-1)).toMatchObject({ threadTs: root.ts, files: [messageId] })
    expect(world.store.value.files[messageId]).toMatchObject({
      name: 'chart.png',
      base64: file.content.toString('base64'),
    })
  })

  test('are downloaded byte for byte', async () => {
    const bytes = Buffer.from([...Array(256).keys()])
    world.people.say({ user: ada, channel: world.direct }, '', { files: [{ name: 'all.bin', bytes }] })
    const [heard] = await world.heard()
    const [reference] = heard?.what.kind === 'message' ? heard.what.files : []
    if (!heard || !reference) throw new Error('there is no file')
    expect(Buffer.from(await world.platform.fetchFile(heard.chat, reference, 256))).toEqual(bytes)
    const tooLarge = await failure(world.platform.fetchFile(heard.chat, reference, 255))
    expect(tooLarge).toMatchObject({ name: 'PlatformError', reason: 'refused' })
  })

  test('are not downloaded when their listed size is too large or their host is not Slack’s', async () => {
    const asked: string[] = []
    const elsewhere = createServer((request, response) => {
      asked.push(String(request.headers.authorization))
      response.end('theirs')
    })
    elsewhere.listen(0, '127.0.0.1')
    await once(elsewhere, 'listening')
    const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/x` // safe because it listens on TCP
    const told = { size: 1, url_private_download: url }
    const client = { files: { info: async () => ({ file: told }) } } as unknown as WebClient // safe because nothing else is called
    const files = (apiBase: string) =>
      slackFiles({ call: (_, run) => run(client, 'xoxb-1') }, async () => ({
        appId: '',
        clientId: '',
        clientSecret: '',
        signingSecret: '',
        apiBase,
      }))
    const fetching = (apiBase: string) =>
      failure(files(apiBase).fetchFile(world.to('D1').chat, { ref: 'F1', name: 'a', type: 'b/c' }, 10))
    expect(await fetching(`${world.apiBase}/`)).toMatchObject({ reason: 'refused' })
    told.size = 11
    expect(await fetching(url.replace('/x', '/'))).toMatchObject({ reason: 'refused' })
    expect(asked).toEqual([])
    told.size = 10
    expect(await fetching(url.replace('/x', '/'))).toBeNull()
    expect(asked).toEqual(['Bearer xoxb-1'])
    elsewhere.close()
  })

  test('are limited by the downloaded size, whatever size Slack lists', async () => {
    world.people.say({ user: ada, channel: world.direct }, '', {
      files: [{ name: 'a.bin', bytes: Buffer.alloc(1000) }],
    })
    const [stored] = Object.values(world.store.value.files)
    if (stored) stored.size = 1
    const reference = { ref: stored?.id ?? '', name: 'a.bin', type: 'x/y' }
    expect(await failure(world.platform.fetchFile(world.to(world.direct).chat, reference, 999))).toMatchObject({
      reason: 'refused',
    })
  })
})

describe('the owner of a channel', () => {
  test.each([
    ['its creator', ada, true],
    ['another member', workshop.ben, false],
  ])('is right for: %s', async (_, user, expected) => {
    expect(await world.platform.ownsChat(world.to(general).chat, `${team}/${user}`)).toBe(expected)
  })

  test('may be an administrator of the workspace, but not of another one', async () => {
    const channel = world.people.open(team, 'plans', [workshop.ben, ada, 'U0BOTWORKS'], workshop.ben)
    const { chat } = world.to(channel.id)
    expect(await world.platform.ownsChat(chat, `${team}/${ada}`)).toBe(true)
    expect(await world.platform.ownsChat(chat, `T0HARBOUR0/${ada}`)).toBe(false)
    expect(await world.platform.ownsChat({ id: team, platform: 'slack', kind: 'group' }, `${team}/${ada}`)).toBe(false)
  })
})

describe('a request that Slack refuses', () => {
  const send = () => failure(world.platform.send(world.to(general), { text: 'the words' }, 'k'))

  test.each<[string, () => void, object]>([
    [
      'a rate limit',
      () => Object.assign(world.faults, { rateLimited: 1, retryAfterSeconds: 7 }),
      { reason: 'rate-limited', retryAfterMs: 7000 },
    ],
    ['an outage', () => Object.assign(world.faults, { down: true }), { reason: 'unavailable' }],
    ['a lost response', () => Object.assign(world.faults, { answersLost: 1 }), { reason: 'unavailable' }],
    ['a bot that was removed', () => world.people.expel({ user: ada, channel: general }), { reason: 'gone' }],
    [
      'an archived channel',
      () => Object.assign(world.store.value.channels[general] ?? {}, { archived: true }),
      { reason: 'gone' },
    ],
    ['an uninstalled app', () => world.people.uninstall(team), { reason: 'gone' }],
    ['a missing installation', () => world.tokens.clear(), { reason: 'gone' }],
  ])('fails as documented: %s', async (_, make, expected) => {
    make()
    const error = await send()
    expect(error).toBeInstanceOf(PlatformError)
    expect(error).toMatchObject(expected)
    const told = `${error} ${(error as PlatformError).message}` // safe because it was just looked at
    expect(told).not.toContain('xoxb')
    expect(told).not.toContain('the words')
  })

  test('is not retried automatically', async () => {
    world.faults.answersLost = 1
    await send()
    expect(methods()).toEqual(['chat.postMessage'])
  })

  test('for too long a text is refused for good', async () => {
    const error = await failure(world.platform.send(world.to(general), { text: 'x'.repeat(12_001) }, 'k'))
    expect(error).toMatchObject({ reason: 'refused', message: 'Slack refused: invalid_blocks.' })
  })

  test('to edit a message that is deleted or not ours is refused', async () => {
    const theirs = world.people.say({ user: ada, channel: general }, 'mine')
    for (const ts of [theirs.ts, '1700000000.000100'])
      expect(await failure(world.platform.edit(world.to(general), ts, { text: 'x' }))).toMatchObject({
        reason: 'refused',
      })
  })

  test('to answer an expired command is refused, and one at a foreign address is not sent', async () => {
    await world.people.command({ user: ada, channel: world.direct }, '/berth status')
    const [heard] = await world.heard()
    if (!heard) throw new Error('nothing was heard')
    for (let i = 0; i < 5; i++) await world.platform.send(heard, { text: 'again' }, 'k')
    expect(await failure(world.platform.send(heard, { text: 'again' }, 'k'))).toMatchObject({ reason: 'refused' })
    const elsewhere = { ...heard, context: { responseUrl: world.pageUrl } }
    expect(await failure(world.platform.send(elsewhere, { text: 'x' }, 'k'))).toMatchObject({
      reason: 'refused',
      message: expect.stringContaining('not Slack’s'),
    })
  })
})

describe('a token in use', () => {
  test('is read once for many calls', async () => {
    for (let i = 0; i < 5; i++) await world.platform.send(world.to(general), { text: 'x' }, 'k')
    expect(world.reads()).toBe(1)
  })

  test('is read again after a new installation, and the message is sent once', async () => {
    await world.platform.send(world.to(general), { text: 'one' }, 'k')
    world.tokens.set(team, world.people.install(team))
    await world.platform.send(world.to(general), { text: 'two' }, 'k')
    expect(said()).toEqual(['one', 'two'])
    expect(world.reads()).toBe(2)
  })
})
