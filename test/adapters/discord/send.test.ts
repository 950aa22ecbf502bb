import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { discordPlatform } from '../../../adapters/discord/discord.ts'
import { toDiscord } from '../../../adapters/discord/markdown.ts'
import { PlatformError } from '../../../app/ports/chat-platform.ts'
import { splitText } from '../../../domain/channels/split.ts'
import type { Message } from '../../../emulators/discord/records.ts'
import { seeded } from '../../counts.ts'
import { discordWorld, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = await discordWorld()
})
afterEach(() => world.close())

const person = (id: string) => {
  const user = world.emulator.account.users.get(id)
  if (!user) throw new Error('nobody')
  return user
}
/** A command from Ada and the place of its reply. */
async function asked(channel = world.direct, name = 'status') {
  await world.emulator.interactions.command(person(world.people.ada), channel, { name, options: {} })
  const inbound = world.inbound().at(-1)
  if (!inbound) throw new Error('nothing came')
  return { chat: inbound.chat, context: inbound.context }
}
const shown = (channel = world.direct) => channel.messages.map(({ content }) => content)
const problemOf = (promise: Promise<unknown>): Promise<PlatformError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (problem: unknown) => {
      if (!(problem instanceof PlatformError)) throw problem
      expect(problem.message).not.toContain(world.secret.botToken)
      return problem
    },
  )
const reasonOf = async (promise: Promise<unknown>) => (await problemOf(promise)).reason

describe('a new message', () => {
  test('appears, mentions nobody and shows no link preview', async () => {
    const text = `@everyone <@${world.people.ben}> https://example.com/?data=1`
    const { messageId } = await world.platform.send(world.to(world.general), { text }, 'k')
    const made = world.emulator.account.message(world.general.id, messageId)
    expect(made).toMatchObject({ content: text, mentions: [], mention_everyone: false, flags: 4 })
  })

  test('is sent once per key', async () => {
    const to = world.to(world.direct)
    const send = (key: string) => world.platform.send(to, { text: 'hello' }, key)
    const [first, second, other] = [await send('a'), await send('a'), await send('b')]
    expect(second).toEqual(first)
    expect(other).not.toEqual(first)
    expect(shown()).toEqual(['hello', 'hello'])
  })

  test('with a lost response is sent once', async () => {
    world.emulator.faults.droppedAnswers = 1
    const to = world.to(world.direct)
    expect(await reasonOf(world.platform.send(to, { text: 'hello' }, 'a'))).toBe('unavailable')
    await world.platform.send(to, { text: 'hello' }, 'a')
    expect(shown()).toEqual(['hello'])
  })

  test('in a group quotes the message it replies to, even when that is deleted', async () => {
    const question = world.emulator.account.say(world.general, person(world.people.ada), { content: 'why?' })
    const to = world.to(world.general, { message: question.id })
    const { messageId } = await world.platform.send(to, { text: 'because' }, 'a')
    expect(world.emulator.account.message(world.general.id, messageId)?.answers?.id).toBe(question.id)
    world.emulator.account.delete(question)
    await world.platform.send(to, { text: 'still' }, 'b')
    expect(shown(world.general).at(-1)).toBe('still')
  })

  test('has its buttons, five per row, until an edit removes them', async () => {
    const buttons = Array.from({ length: 7 }, (_, number) => ({ data: `b${number}`, label: `Button ${number}` }))
    const to = world.to(world.direct)
    const { messageId } = await world.platform.send(to, { text: 'may I?', buttons }, 'a')
    const made = world.emulator.account.message(world.direct.id, messageId)
    expect(made?.components.map(({ components }) => components.length)).toEqual([5, 2])
    await world.emulator.interactions.press(person(world.people.ada), made as Message, 'b6') // safe because it was just made
    expect(world.inbound().at(-1)?.what).toEqual({ kind: 'button', data: 'b6', messageId })
    await world.platform.edit(to, messageId, { text: 'You may.' })
    expect(made).toMatchObject({ content: 'You may.', components: [] })
  })

  test('without text is shown as an ellipsis', async () => {
    await world.platform.send(world.to(world.direct), { text: ' \n' }, 'a')
    expect(shown()).toEqual(['…'])
  })
})

describe('the reply to a command', () => {
  test('replaces the deferred reply, and later messages follow below', async () => {
    const to = await asked()
    const { messageId } = await world.platform.send(to, { text: 'one' }, 'a')
    await world.platform.edit(to, messageId, { text: 'one, longer' })
    await world.platform.send(to, { text: 'two' }, 'b')
    expect(shown()).toEqual(['one, longer', 'two'])
  })

  test('is written once, also when the response is lost', async () => {
    const to = await asked()
    // The adapter reads the deferred reply, then replaces it: the second response is lost.
    const lost = world.emulator
    const once = lost.account.on('updated', () => {
      lost.faults.droppedAnswers = 1
    })
    expect(await reasonOf(world.platform.send(to, { text: 'one' }, 'a'))).toBe('unavailable')
    once.removeAllListeners('updated')
    const { messageId } = await world.platform.send(to, { text: 'one' }, 'a')
    expect(shown()).toEqual(['one'])
    expect(world.direct.messages[0]?.id).toBe(messageId)
  })

  test('after fifteen minutes is an ordinary message of the bot', async () => {
    const to = await asked()
    world.emulator.interactions.expireTokens()
    const old = { ...to, context: { ...to.context, interaction: '1' } }
    await world.platform.send(old, { text: 'late' }, 'a')
    await world.platform.send(old, { text: 'late' }, 'a')
    expect(shown()).toEqual(['', 'late'])
  })

  test('before its deferred reply exists is retried', async () => {
    const to = await asked()
    const early = { ...to, context: { ...to.context, token: 'not known yet' } }
    expect(await problemOf(world.platform.send(early, { text: 'x' }, 'a'))).toMatchObject({
      reason: 'unavailable',
      retryAfterMs: 500,
    })
  })

  test('uses the interaction’s token where the bot may not write, also for files', async () => {
    const server = [...world.emulator.account.servers.values()][0]
    if (!server) throw new Error('no server')
    const to = await asked(world.general)
    world.emulator.account.removeBot(server)
    const { messageId } = await world.platform.send(to, { text: 'one' }, 'a')
    await world.platform.edit(to, messageId, { text: 'one, longer' })
    await world.platform.send(to, { text: 'two' }, 'b')
    await world.platform.sendFile(to, { name: 'a.txt', type: 'text/plain', content: Buffer.from('abc') }, 'c')
    expect(shown(world.general)).toEqual(['one, longer', 'two', ''])
    expect(await reasonOf(world.platform.send(world.to(world.general), { text: 'three' }, 'd'))).toBe('gone')
  })
})

describe('files', () => {
  test('are uploaded once per key and can be downloaded', async () => {
    const content = Buffer.from(Array.from({ length: 3000 }, (_, at) => at % 256))
    const to = world.to(world.direct)
    const send = () => world.platform.sendFile(to, { name: 'Übersicht "1".png', type: 'image/png', content }, 'f')
    expect(await send()).toEqual(await send())
    const [made] = world.direct.messages.flatMap(({ attachments }) => attachments)
    expect(made).toMatchObject({ content_type: 'image/png', bytes: content })
    expect(world.direct.messages).toHaveLength(1)
    const ref = `${world.emulator.apiBase}/attachments/${world.direct.id}/${made?.id}/x?ex=1`
    const file = { ref, name: 'x', type: 'image/png' }
    expect(Buffer.from(await world.platform.fetchFile(to.chat, file, 3000)).equals(content)).toBe(true)
    expect(await reasonOf(world.platform.fetchFile(to.chat, file, 2999))).toBe('refused')
    const gone = { ...file, ref: `${world.emulator.apiBase}/attachments/1/2/x` }
    expect(await reasonOf(world.platform.fetchFile(to.chat, gone, 9))).toBe('refused')
  })

  test('are downloaded only from Discord, without our token and without following redirects', async () => {
    const seen: string[] = []
    const other = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`)
      response.writeHead(request.url === '/leads-away' ? 302 : 200, { location: '/elsewhere' }).end('bytes')
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}` // safe because it listens on a port
    const { chat } = world.to(world.direct)
    const get = (ref: string, apiBase: string | null = world.emulator.apiBase) =>
      discordPlatform(async () => ({ ...world.secret, apiBase })).fetchFile(chat, { ref, name: 'x', type: '' }, 100)
    const elsewhere = [
      `${origin}/x`,
      'http://cdn.discordapp.com/x',
      'https://cdn.discordapp.com.evil.example/x',
      'https://cdn.discordapp.com:444/x',
      'https://evil.example/cdn.discordapp.com',
      'https://cdn.discordapp.com@evil.example/x',
      'file:///etc/passwd',
      'no address',
      '',
    ]
    for (const ref of elsewhere) {
      expect(await reasonOf(get(ref))).toBe('refused')
      expect(await reasonOf(get(ref, null))).toBe('refused')
    }
    expect(seen).toEqual([])
    expect(Buffer.from(await get(`${origin}/x`, origin)).toString()).toBe('bytes')
    expect(await reasonOf(get(`${origin}/leads-away`, origin))).toBe('unavailable')
    expect(seen).toEqual(['/x undefined', '/leads-away undefined'])
    other.closeAllConnections()
    other.close()
  })

  test('above Discord’s size limit are refused', async () => {
    const content = new Uint8Array(10 * 1024 * 1024 + 1)
    const file = { name: 'a', type: 'application/octet-stream', content }
    expect(await reasonOf(world.platform.sendFile(world.to(world.direct), file, 'a'))).toBe('refused')
  })
})

describe('an error from Discord', () => {
  const send = (channel = world.general) =>
    world.platform.send(world.to(channel), { text: 'x' }, Math.random().toString())

  test('for a rate limit says when to retry', async () => {
    for (let time = 0; time < 5; time += 1) await send()
    const { reason, retryAfterMs } = await problemOf(send())
    expect(reason).toBe('rate-limited')
    expect(retryAfterMs).toBeGreaterThan(0)
    expect(retryAfterMs).toBeLessThanOrEqual(5000)
    world.emulator.faults.rateLimited = { requests: 1, retryAfter: 64.57 }
    expect((await problemOf(send(world.direct))).retryAfterMs).toBe(64_570)
  })

  test('during an outage or after a token change is retried', async () => {
    world.emulator.faults.downUntilMs = Date.now() + 60_000
    expect(await reasonOf(send())).toBe('unavailable')
    world.emulator.faults.downUntilMs = 0
    world.secret.botToken = 'wrong'
    expect(await reasonOf(send())).toBe('unavailable')
  })

  test('for a missing channel means that the chat is gone', async () => {
    const { account } = world.emulator
    account.blocking.add(world.people.ada)
    expect(await reasonOf(send(world.direct))).toBe('gone')
    const [server] = account.servers.values()
    if (server) account.removeBot(server)
    expect(await reasonOf(send())).toBe('gone')
    account.deleteChannel(world.direct)
    expect(await reasonOf(send(world.direct))).toBe('gone')
    expect(await reasonOf(world.platform.typing(world.to(world.direct)))).toBe('gone')
  })

  test('for a message that is deleted or not ours is final', async () => {
    const theirs = world.emulator.account.say(world.general, person(world.people.ada), { content: 'mine' })
    const edit = () => world.platform.edit(world.to(world.general), theirs.id, { text: 'ours' })
    expect(await reasonOf(edit())).toBe('refused')
    world.emulator.account.delete(theirs)
    expect(await reasonOf(edit())).toBe('refused')
  })

  test('that is undocumented is not success', async () => {
    const odd = createServer((_, response) => response.end('{"id":7}')).listen(0, '127.0.0.1')
    await once(odd, 'listening')
    world.secret.apiBase = `http://127.0.0.1:${(odd.address() as AddressInfo).port}` // safe because it listens on a port
    expect(await reasonOf(send())).toBe('unavailable')
    odd.closeAllConnections()
    odd.close()
  })
})

test('the typing indicator is shown', async () => {
  await world.platform.typing(world.to(world.direct))
  expect(world.emulator.account.isTyping(world.direct)).toBe(true)
})

test('a server is managed by its owner and administrators, and a direct chat by its person', async () => {
  const { ada, ben } = world.people
  const chris = world.emulator.account.addUser('Chris').id
  const owns = (id: string, channel = world.general) => world.platform.ownsChat(world.to(channel).chat, id)
  expect([await owns(ada), await owns(ben), await owns(chris), await owns('../x')]).toEqual([true, false, false, false])
  const [server] = world.emulator.account.servers.values()
  const admins = server?.roles.find(({ name }) => name === 'Admins')
  server?.members.set(ben, [admins?.id ?? ''])
  expect(await owns(ben)).toBe(true)
  if (admins) admins.permissions = String(1 << 5)
  expect(await owns(ben)).toBe(true)
  if (admins) admins.permissions = String(1 << 11)
  expect(await owns(ben)).toBe(false)
  expect([await owns(ada, world.direct), await owns(ben, world.direct)]).toEqual([true, false])
})

describe('Markdown', () => {
  test.each([
    ['**bold** and *it* stay', '**bold** and *it* stay'],
    ['#### Small', '**Small**'],
    ['## Large', '## Large'],
    ['__bold__ and snake__case__x', '**bold** and snake\\_\\_case\\_\\_x'],
    ['a || b || c', 'a \\|\\| b \\|\\| c'],
    ['`a || b`', '`a || b`'],
    ['![A cat](https://x.example/c.png "t")', '[A cat](https://x.example/c.png)'],
    ['>>> all of it', '> all of it'],
    ['~~~js\n__x__ || y\n~~~', '```js\n__x__ || y\n```'],
    ['````md\n```\ninner\n```\n````', '```md\n`\u200b``\ninner\n`\u200b``\n```'],
    [
      '| a | b |\n|---|:-:|\n| 1 | two \\| 2 |\n\nafter',
      '```\na  b\n-  -------\n1  two | 2\n```\n\nafter'.replace('a  b', 'a  b'),
    ],
    ['```\nopen', '```\nopen\n```'],
    ['a | b', 'a | b'],
  ])('%j', (given, expected) => {
    expect(toDiscord(given)).toBe(expected)
  })

  const same = (text: string): [string, string] => [text, text]
  test.each([
    same('See https://docs.python.org/3/reference/datamodel.html#object.__init__'),
    same('[doc](https://x.org/api.__init__.html?a||b)'),
    same('<https://x.org/api.__init__.html?a||b>'),
    same('[doc](<https://x.org/__init__>) and https://x.org/@here/maps'),
    same('> ```py\n> def __init__(self): pass\n> ```'),
    same('- > ```py\n  > __all__ || 1\n  > ```'),
    same('1. a\n   - b\n\n     ```py\n     __all__ || 1\n     ```'),
    same('> - `__init__ || @here`'),
    same('Run:\n\n    x = __name__ || 1'),
    same('https://en.wikipedia.org/wiki/A_(b) and [w](https://en.wikipedia.org/wiki/A_(b))'),
    // https://github.com/discordjs/discord.js/issues/9950
    same('https://media.example/attachments/1/2/IMG_1000_.png'),
    // https://github.com/EionRobb/purple-discord/issues/55
    same('https://x.example/~a/*b*/c_d_?x=1'),
  ])('leaves code and addresses unchanged: %j', (given, expected) => {
    expect(toDiscord(given)).toBe(expected)
  })

  test.each([
    ['a<br>b &amp; &lt;x&gt; &mdash;', 'a\nb & <x> —'],
    ['`&amp;` &amp;lt;', '`&amp;` &lt;'],
    ['**注意：**请', '**注意：**请'],
    ['3~5 and 10~20', '3~5 and 10~20'],
    ['~~gone~~', '~~gone~~'],
    ['&gt; x\n&gt; y', '\\> x\n\\> y'],
    ['Title\n===', '# Title'],
    ['- [x] done\n- [ ] open', '- ☑ done\n- ☐ open'],
    ['[a][1]\n\n[1]: https://x.example/', '[a](https://x.example/)'],
    // https://github.com/PennyDreadfulMTG/Penny-Dreadful-Tools/issues/5532
    ['gimmick_: <https://x.example/gimmick_/>', 'gimmick\\_: <https://x.example/gimmick_/>'],
    ['2 * 3 * 4', '2 * 3 * 4'],
  ])('keeps its text: %j', (given, expected) => {
    expect(toDiscord(given)).toBe(expected)
  })

  test('repeats the code’s language in each part of code that was cut in a list or a quote', () => {
    const code = (before: string) =>
      Array.from({ length: 100 }, (_, at) => `${before}__line_${at}__ = "${'x'.repeat(40)}"`).join('\n')
    for (const text of [
      `- item\n  - sub\n\n    \`\`\`py\n${code('    ')}\n    \`\`\``,
      `> \`\`\`py\n${code('> ')}\n> \`\`\``,
    ]) {
      const parts = splitText(text, 2000).map(toDiscord)
      expect(parts.length).toBeGreaterThan(2)
      for (const part of parts.slice(1)) {
        expect(part.length).toBeLessThanOrEqual(2000)
        expect(part).toMatch(/^(?:> | *)```py\n(?:(?:> | *)__line_\d+__ = "x+"\n)+(?:> | *)```$/)
      }
    }
  })

  test('stays unformatted when the formatted text would exceed Discord’s limit', () => {
    const table = `| ${'a'.repeat(900)} | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |`
    expect(toDiscord(table)).toBe(`\`\`\`\n${table}\n\`\`\``)
    expect(toDiscord('||'.repeat(1000))).toBe('||'.repeat(1000))
  })

  test('is always within Discord’s limit, never empty, and closes all code', () => {
    const pieces = fc.constantFrom(
      '```',
      '~~~',
      '````',
      '| a | b |',
      '|---|---|',
      '#### h',
      '__b__',
      '||',
      '>>> q',
      '`',
      '\n',
      ' ',
      'word',
      '![x](y)',
      '@everyone',
      '🦑',
      '\ud800',
      '\\|',
      '* ',
    )
    const text = fc.oneof(
      fc
        .array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 20 })), { maxLength: 300 })
        .map((all) => all.join('').slice(0, 2000)),
      fc.array(pieces, { maxLength: 200 }).map((all) => all.join('\n').slice(0, 2000)),
    )
    fc.assert(
      fc.property(text, (given) => {
        const written = toDiscord(given)
        expect(written.length).toBeLessThanOrEqual(2000)
        expect(written.trim()).not.toBe('')
        if (written !== given && written !== '…')
          expect(written.split('\n').filter((line) => line.startsWith('```')).length % 2).toBe(0)
      }),
      seeded(20_000, 2000),
    )
  })

  test('is accepted whatever the agent writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 1900 }),
        fc.string({ maxLength: 64 }),
        async (text, key) => {
          const channel = world.emulator.account.directOf(world.emulator.account.addUser(`u${Math.random()}`).id)
          if (!channel) throw new Error('no channel')
          const sent = world.platform.send(world.to(channel), { text }, key)
          const problem = await sent.then(
            () => null,
            (error: PlatformError) => error.reason,
          )
          expect([null, 'rate-limited']).toContain(problem)
        },
      ),
      seeded(2000, 30),
    )
  })
})
