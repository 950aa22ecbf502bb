import { setTimeout as sleep } from 'node:timers/promises'
import type { Inbound } from '../../domain/channels/inbound.ts'
import { discordWorld, type World } from '../adapters/discord/world.ts'
import { until } from '../until.ts'
import { type Listening, listen } from './listening.ts'

let world: World
let listening: Listening
beforeEach(async () => {
  world = await discordWorld({ heartbeatMs: 300 })
  listening = await listen(world)
})
afterEach(async () => {
  await listening.stop()
  await world.close()
})

const say = (text: string, where = world.general, who = world.people.ada) => {
  const user = world.emulator.account.users.get(who)
  if (!user) throw new Error('nobody')
  return world.emulator.account.say(where, user, { content: text })
}
const textOf = ({ what }: Inbound) => (what.kind === 'message' ? what.text : what.kind)
const texts = () => world.inbound().map(textOf)
const heard = (...expected: string[]) =>
  until(() => texts().length >= expected.length).then(() => expect(texts()).toEqual(expected))

describe('a Discord message', () => {
  test('reaches the webhook in order, with the names of its channel and server', async () => {
    say('one')
    say('two', world.direct)
    say(`<@${world.secret.applicationId}> three`)
    await heard('one', 'two', 'three')
    expect(
      world.inbound().map(({ chat, what }) => [chat.kind, chat.title, what.kind === 'message' && what.addressed]),
    ).toEqual([
      ['group', '#general · Harbour', false],
      ['direct', undefined, true],
      ['group', '#general · Harbour', true],
    ])
    expect(world.readings.every(({ kind }) => kind === 'inbound')).toBe(true)
  })

  test('that mentions the bot’s role is addressed to the bot', async () => {
    const role = [...world.emulator.account.servers.values()][0]?.roles.find(({ tags }) => tags)
    say(`<@&${role?.id}> hi`)
    await until(() => world.inbound().length === 1)
    expect(world.inbound()[0]?.what).toMatchObject({ addressed: true })
  })

  test('includes the message that it replies to, and a poll or a sticker without text', async () => {
    const { messageOf, showsSomething } = await import('../../gateway/message.ts')
    const answered = { author: { id: '5' }, content: 'At noon.', attachments: [], embeds: [], nonce: 'x' }
    const given = { id: '1', channel_id: '2', content: '', referenced_message: answered, nonce: 'y' }
    const { nonce: _, ...kept } = answered
    const heard = messageOf(given)
    expect(heard).toEqual({ id: '1', channel_id: '2', content: '', referenced_message: kept })
    expect(heard && showsSomething(heard)).toBe(false)
    for (const more of [{ poll: { question: { text: 'Tea?' } } }, { sticker_items: [{ id: '1', name: 'Wave' }] }]) {
      const shown = messageOf({ ...given, ...more })
      expect(shown && showsSomething(shown)).toBe(true)
    }
  })

  test('is not forwarded if a bot sent it, our own included', async () => {
    await world.platform.send(world.to(world.general), { text: 'ours' }, 'k')
    say('theirs')
    await heard('theirs')
  })

  test('arrives once, and many messages share few requests', async () => {
    const all = Array.from({ length: 100 }, (_, number) => `m${number}`)
    for (const text of all) say(text)
    await heard(...all)
    expect(world.readings.length).toBeLessThanOrEqual(10)
  })

  test('that was edited or deleted arrives as an edit or a deletion', async () => {
    const message = say('hello', world.direct)
    world.emulator.account.edit(message, { content: 'hello again' })
    await heard('hello', 'edited')
    const server = [...world.emulator.account.servers.values()][0]
    if (server) world.emulator.account.removeBot(server)
    await until(() => world.inbound().length === 4)
    const gone = world.inbound().slice(2)
    expect(gone.map(textOf)).toEqual(['removed', 'removed'])
    expect(gone.map(({ chat }) => chat.id)).toContain(world.general.id)
  })
})

describe('a connection that ends', () => {
  test.each<[string, (world: World) => void]>([
    ['because Discord requests it', ({ emulator }) => emulator.gateway.askToReconnect()],
    ['because the network is down', ({ emulator }) => emulator.gateway.drop()],
    ['with an unknown error', ({ emulator }) => emulator.gateway.drop(4000)],
    ['with an invalid session that may be resumed', ({ emulator }) => emulator.gateway.invalidate(true)],
  ])('%s is resumed, and nothing is missed', async (_, end) => {
    say('before')
    await heard('before')
    end(world)
    // The listener waits before it replaces an invalid session; it reconnects at once in the other cases.
    await until(() => world.emulator.gateway.connected === 0)
    say('meanwhile')
    say('meanwhile directly', world.direct)
    await until(() => world.emulator.gateway.resumed === 1)
    say('after')
    await heard('before', 'meanwhile', 'meanwhile directly', 'after')
    expect(world.emulator.gateway.identified).toBe(1)
  })

  test('with an expired session starts a new session and reads the missed messages', async () => {
    say('before')
    say('before directly', world.direct)
    await heard('before', 'before directly')
    world.emulator.gateway.forget()
    world.emulator.gateway.drop()
    const missed = Array.from({ length: 150 }, (_, number) => `meanwhile ${number}`)
    for (const text of missed) say(text)
    say('meanwhile directly', world.direct)
    await until(() => world.emulator.gateway.identified === 2)
    say('after')
    await until(() => texts().includes('after'))
    expect(texts().filter((text) => !text.includes('directly'))).toEqual(['before', ...missed, 'after'])
    expect(texts().filter((text) => text.includes('directly'))).toEqual(['before directly', 'meanwhile directly'])
  })

  test('with an invalid session starts a new session after a wait', async () => {
    world.emulator.gateway.invalidate(false)
    await until(() => world.emulator.gateway.identified === 2)
    say('after')
    await heard('after')
  })

  test('without a close frame is detected by its heartbeat and resumed', async () => {
    world.emulator.faults.deaf = true
    await until(() => world.emulator.gateway.resumed >= 1)
    world.emulator.faults.deaf = false
    say('after')
    await until(() => texts().includes('after'))
  })

  test('while Discord is down is resumed when Discord is back', async () => {
    world.emulator.faults.downUntilMs = Date.now() + 3_000
    world.emulator.gateway.forget()
    world.emulator.gateway.drop()
    say('meanwhile')
    await until(() => world.emulator.gateway.identified === 2)
    await heard('meanwhile')
  })
})

describe('at its start, the listener', () => {
  test('reads the messages of the last minutes, and none twice', async () => {
    await listening.stop()
    say('while it was away')
    listening = await listen(world)
    await heard('while it was away')
    world.emulator.gateway.forget()
    world.emulator.gateway.drop()
    await until(() => world.emulator.gateway.identified === 3)
    say('after')
    await heard('while it was away', 'after')
  })

  test('works without the right to read everything', async () => {
    world.emulator.application.messageContent = false
    world.emulator.gateway.forget()
    world.emulator.gateway.drop()
    await until(() => world.emulator.gateway.identified === 2)
    say('not for us')
    say(`<@${world.secret.applicationId}> for us`)
    say('directly', world.direct)
    await heard('for us', 'directly')
  })

  test('does not retry a wrong token soon', async () => {
    await listening.stop()
    const { botToken } = world.secret
    world.secret.botToken = 'wrong'
    const api = listen(world)
    api.catch(() => {})
    await sleep(100)
    world.secret.botToken = botToken
    expect(world.emulator.gateway.connected).toBe(0)
  })
})

describe('a webhook that refuses an event', () => {
  test('gets the event again until it accepts it, in order and once', async () => {
    world.answers.push(500, 503, 429)
    for (const text of ['one', 'two', 'three']) say(text)
    await heard('one', 'two', 'three')
  })

  test('still gets the later events when it never accepts one', async () => {
    const { platform } = world
    const read = platform.read.bind(platform)
    platform.read = async (request, nowMs) => {
      if (request.rawBody.includes('poison')) throw new Error('never')
      return read(request, nowMs)
    }
    say('one')
    say('poison')
    for (const text of ['two', 'three', 'four']) say(text, world.direct)
    await heard('one', 'two', 'three', 'four')
    await until(() => listening.lines.some((line) => line.includes('given up')))
  })
})

test('an event that the stand-in sends twice, or out of order, is forwarded once', async () => {
  world.emulator.faults.duplicates = 2
  say('one')
  await heard('one')
  world.emulator.faults.duplicates = 0
  world.emulator.faults.reordered = 3
  for (const text of ['two', 'three', 'four']) say(text)
  await heard('one', 'four', 'three', 'two')
  const ids = world.inbound().map(({ id }) => id)
  expect(new Set(ids).size).toBe(4)
})

test('no log line holds a token or a text', async () => {
  world.answers.push(500)
  say('a secret of Ada’s')
  await heard('a secret of Ada’s')
  world.emulator.gateway.drop()
  await until(() => world.emulator.gateway.resumed === 1)
  const all = listening.lines.join('\n')
  expect(all).not.toContain(world.secret.botToken)
  expect(all).not.toContain('secret of')
  expect(listening.lines.length).toBeGreaterThan(1)
})
