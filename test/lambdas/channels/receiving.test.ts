import { lines } from '../../../domain/channels/lines.ts'
import { messageLimits } from '../../../domain/chat/message-limits.ts'
import { counted } from '../../adapters/engine.ts'
import { type ChannelsWorld, openChannelsWorld } from './channels-world.ts'

let world: ChannelsWorld
beforeAll(async () => {
  world = await openChannelsWorld()
})
afterAll(() => world.close())

/** The account as a direct chat shows it: masked, so the addresses of all tests look alike. */
const _account = 'u…@example.com'

describe('receiveTelegram', () => {
  test('rejects a caller without the secret before any store request', async () => {
    const sent = { method: 'POST', path: '/webhooks/telegram', headers: { Origin: undefined }, body: '[]' }
    const { result, calls } = await counted(() => world.request(sent))
    expect(result).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(calls).toEqual([])
  })

  test('stores a message with two store requests, and does nothing else before its response', async () => {
    await world.linked('two-calls')
    const before = world.platform.calls()
    const { result, calls } = await counted(() => world.say('two-calls', 'hello'))
    expect(result).toMatchObject({ status: 200, body: { seen: true } })
    expect(calls).toHaveLength(2)
    expect(world.platform.calls()).toBe(before)
  })

  test('accepts the same message once, under any event id', async () => {
    const me = await world.linked('twice')
    await Promise.all(Array.from({ length: 5 }, () => world.say('twice', 'only once', 'same')))
    await world.work()
    await world.say('twice', 'only once', 'same')
    await world.work()
    expect((await world.talk(me.userId)).map(({ text }) => text)).toEqual(['only once'])
  })

  test('accepts thirty messages a minute from a person, and says once that the limit is reached', async () => {
    const me = await world.linked('flood')
    for (let i = 0; i < 40; i++) await world.say('flood', `line ${i}`)
    await world.work()
    expect((await world.talk(me.userId)).length).toBe(30)
    expect(world.textsIn(world.direct('flood')).filter((text) => text === lines.flood)).toHaveLength(1)
  })

  test('still serves the owner of a group that a stranger floods, and tells the group once an hour', async () => {
    const owner = await world.linked('flooded')
    const group = { ...world.group, id: 'group-flooded' }
    world.platform.owners.add('person-flooded')
    await world.command('flooded', 'link', '', group)
    await world.work()
    for (let i = 0; i < 34; i++) await world.tell(group, world.person('stranger'), world.message(`blah ${i}`))
    await world.tell(group, world.person('flooded'), world.message('important question'))
    await world.command('flooded', 'status', '', group)
    await world.work()
    const [link] = (await world.ports.channelLinks.list(owner.userId)).filter(({ kind }) => kind === 'group')
    const asked = await world.talk(owner.userId, link?.conversation)
    expect(asked.at(-1)?.text).toMatch(/\nimportant question$/)
    expect(world.textsIn(group).filter((text) => text === lines.groupFlood)).toHaveLength(1)
    expect(world.textsIn(group)).toHaveLength(3)
  })
})

// https://github.com/chenhg5/cc-connect/issues/688, https://github.com/Datus-ai/Datus-agent/pull/824
test('a message above the limit of waiting ones is rejected in its chat with the next step, and is not stored', async () => {
  const me = await world.linked('full')
  const { waitingBytes } = messageLimits('starter')
  const text = 'x'.repeat(30_000)
  const most = Math.floor(waitingBytes / text.length)
  for (let sent = 0; sent < most + 2; sent++) {
    await world.say('full', text)
    if (sent % 20 === 19) await world.work()
  }
  await world.work()
  expect(await world.talk(me.userId)).toHaveLength(most)
  const told = world.textsIn(world.direct('full')).filter((line) => line.startsWith('Too many messages wait'))
  expect(told).toHaveLength(2)
  expect(told[0]).toMatch(/Resume the agent and top up its wallet .* Then send this one again\.$/)
})

/** The response to a platform on which the stage has no account. */
async function refused(path: string) {
  const sent = { method: 'POST', path, headers: { Origin: undefined }, body: '{}' }
  const { result, calls } = await counted(() => world.request(sent))
  return { status: result.status, calls }
}

describe('receiveSlack', () => {
  test('rejects every request while the stage has no Slack app', async () => {
    expect(await refused('/webhooks/slack')).toEqual({ status: 401, calls: [] })
  })
})

describe('receiveDiscord', () => {
  test('rejects every request while the stage has no Discord application', async () => {
    expect(await refused('/webhooks/discord')).toEqual({ status: 401, calls: [] })
  })
})
