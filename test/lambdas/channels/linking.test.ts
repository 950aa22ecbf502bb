import { lines } from '../../../domain/channels/lines.ts'
import { recentSignInMs } from '../../../domain/lifetimes.ts'
import { notificationFor } from '../../../domain/notifications/from-event.ts'
import { hourMs } from '../../../domain/time.ts'
import { counted } from '../../adapters/engine.ts'
import { type ChannelsWorld, openChannelsWorld } from './channels-world.ts'

let world: ChannelsWorld
beforeAll(async () => {
  world = await openChannelsWorld()
})
afterAll(() => world.close())

const origin = 'http://localhost'

/** The account as a direct chat shows it: masked, so the addresses of all tests look alike. */
const account = 'u…@example.com'

describe('createLinkCode', () => {
  test('returns a code for the session, valid once and for an hour, and the place to send it', async () => {
    const { userId } = await world.tenant()
    const { headers } = await world.session(userId)
    const { status, body } = await world.request({ method: 'POST', path: '/channels/codes', headers })
    expect(status).toBe(201)
    expect(body.code).toMatch(/^[2-9A-HJKMNP-Z]{8}$/)
    expect(body.platforms).toEqual([
      { platform: 'telegram', name: '@test', startUrl: `https://chat.example/test?start=${body.code}` },
    ])
    expect(Date.parse(body.expiresAt) - world.clock.nowMs).toBe(hourMs)
    const token = await world.bearer(['api:channels'], userId)
    const byToken = await world.request({ method: 'POST', path: '/channels/codes', headers: token.headers })
    expect(byToken.status).toBe(403)
    await world.say('code-once', body.code)
    await world.work()
    await world.say('code-again', body.code)
    await world.work()
    expect(world.textsIn(world.direct('code-once'))).toEqual([lines.linked(origin, account)])
    expect(world.textsIn(world.direct('code-again'))).toEqual([lines.badCode(origin)])
  })

  test('requires a sign-in of the last ten minutes, and sends an event when its chat is linked', async () => {
    const { userId } = await world.tenant()
    const { headers } = await world.session(userId)
    const code = await world.newCode(headers)
    world.clock.nowMs += recentSignInMs + 1
    const late = await world.request({ method: 'POST', path: '/channels/codes', headers })
    expect([late.status, late.body.details]).toEqual([403, { signIn: ['recent'] }])
    await world.say('told', code)
    await world.work()
    const happened = await world.ports.events.after(userId, 'evt_', 50)
    expect(happened.flatMap((event) => notificationFor(event) ?? [])).toEqual([
      expect.objectContaining({
        kind: 'chat-linked',
        facts: { name: 'told, telegram' },
        page: '/connect?tab=channels',
        once: expect.stringMatching(/^link lnk_/),
      }),
    ])
  })

  test('returns a code that expires after an hour', async () => {
    const { headers } = await world.session((await world.tenant()).userId)
    const code = await world.newCode(headers)
    world.clock.nowMs += hourMs
    await world.command('late', 'start', code)
    await world.work()
    expect(world.textsIn(world.direct('late'))).toEqual([lines.badCode(origin)])
  })

  test('sends an event about its chat although the process died after the link', async () => {
    const { userId } = await world.tenant()
    const { headers } = await world.session(userId)
    await world.say('died', await world.newCode(headers))
    const { events } = world.ports
    const { record } = events
    events.record = async () => {
      events.record = record
      throw new Error('killed')
    }
    await world.work().catch((error: Error) => expect(error.message).toContain('killed'))
    world.clock.nowMs += hourMs
    await world.work()
    const happened = await events.after(userId, 'evt_', 50)
    expect(happened.flatMap((event) => notificationFor(event)?.kind ?? [])).toEqual(['chat-linked'])
    expect(world.textsIn(world.direct('died'))).toEqual([lines.linked(origin, account)])
  })

  test('returns a code that becomes invalid when others in a group have seen it', async () => {
    const { headers } = await world.session((await world.tenant()).userId)
    const [said, sent] = [await world.newCode(headers), await world.newCode(headers)]
    const group = { ...world.group, id: 'group-that-saw' }
    await world.tell(group, world.person('hasty'), world.message(said, { addressed: false }))
    await world.command('hasty', 'link', sent, group)
    await world.work()
    expect(world.textsIn(group)).toEqual([lines.shownCode(origin)])
    for (const code of [said, sent]) await world.command('bystander', 'start', code)
    await world.work()
    expect(world.textsIn(world.direct('bystander'))).toEqual([lines.badCode(origin), lines.badCode(origin)])
  })

  test('returns a code that cannot be guessed: a chat has ten wrong tries an hour', async () => {
    for (let i = 0; i < 11; i++) await world.command('guesser', 'start', `2222222${'23456789ABC'[i]}`)
    await world.work()
    const said = world.textsIn(world.direct('guesser'))
    expect(said.slice(0, 10)).toEqual(Array(10).fill(lines.badCode(origin)))
    expect(said[10]).toBe(lines.tooManyGuesses)
  })
})

describe('a stranger', () => {
  test('gets a polite reply once a day, and reaches nobody', async () => {
    for (const text of ['hello', 'anybody there?', '/unknown']) await world.say('stranger', text)
    await world.work()
    expect(world.textsIn(world.direct('stranger'))).toEqual([lines.stranger(origin)])
  })

  test('that is a bot is ignored', async () => {
    const bot = { ...world.person('bot'), bot: true }
    const { calls } = await counted(() => world.tell(world.direct('bot'), bot, world.message('hi')))
    expect(calls).toEqual([])
  })
})

describe('a chat with a lost link', () => {
  const lose = async (name: string) => {
    await world.tell(world.direct(name), world.person(name), { kind: 'removed' })
    await world.work()
  }

  test('is linked to another account by a valid code, and its former owner loses it', async () => {
    const former = await world.linked('handed-on')
    await lose('handed-on')
    const next = await world.linked('handed-on')
    expect(next.userId).not.toBe(former.userId)
    expect(await world.ports.channelLinks.list(former.userId)).toEqual([])
    expect(await world.ports.channelLinks.list(next.userId)).toMatchObject([{ state: 'linked' }])
    await world.say('handed-on', 'Whose are you?')
    await world.work()
    expect((await world.talk(next.userId)).map(({ text }) => text)).toEqual(['Whose are you?'])
    expect(await world.talk(former.userId)).toEqual([])
  })

  test('stays lost after a wrong code, and a linked chat stays with its account', async () => {
    const me = await world.linked('kept-lost')
    await lose('kept-lost')
    await world.command('kept-lost', 'link', 'AAAA-AAAA')
    await world.work()
    expect(await world.ports.channelLinks.list(me.userId)).toMatchObject([{ state: 'lost' }])
    await world.say('kept-lost', 'Here again.')
    await world.work()
    const other = await world.linked('other-account')
    const { headers } = await world.session(other.userId)
    await world.command('kept-lost', 'link', await world.newCode(headers))
    await world.work()
    expect(await world.ports.channelLinks.list(me.userId)).toMatchObject([{ state: 'linked' }])
  })

  // https://github.com/RomanAlexandroff/42-Smart-Cluster-Sign/issues/35, https://github.com/vm0-ai/vm0/pull/3716
  test('belongs to nobody who merely writes in it', async () => {
    const me = await world.linked('written-in')
    await lose('written-in')
    for (const what of [world.message('Mine now.'), { kind: 'command', name: 'start', argument: '' } as const])
      await world.tell(world.direct('written-in'), world.person('somebody-else'), what)
    await world.work()
    expect(await world.ports.channelLinks.list(me.userId)).toMatchObject([{ state: 'lost' }])
    expect(await world.talk(me.userId)).toEqual([])
  })

  test('is linked again by a code of its own account, with its conversation', async () => {
    const me = await world.linked('came-back')
    const [before] = await world.ports.channelLinks.list(me.userId)
    await lose('came-back')
    await world.command('came-back', 'link', await world.newCode(me.headers as Record<string, string>))
    await world.work()
    expect(await world.ports.channelLinks.list(me.userId)).toEqual([before])
  })
})
