import { PlatformError } from '../../../app/ports/chat-platform.ts'
import { minuteMs } from '../../../domain/time.ts'
import { type ChannelsWorld, openChannelsWorld } from './channels-world.ts'

let world: ChannelsWorld
beforeAll(async () => {
  world = await openChannelsWorld()
})
afterAll(() => world.close())

describe('a platform that fails', () => {
  test('is not called for the time it states, for all messages of a chat', async () => {
    const me = await world.linked('waiting')
    world.platform.failures.push(new PlatformError('rate-limited', 'slow down', 10 * minuteMs))
    for (const key of ['1', '2', '3']) await world.observe(me, { kind: 'message', key, text: `line ${key}` })
    const before = world.platform.calls()
    await world.work()
    expect(world.platform.calls() - before).toBe(1)
    const told = world.platform.calls()
    await world.say('waiting', 'anybody?')
    await world.work()
    expect(world.platform.calls()).toBe(told)
    world.clock.nowMs += 10 * minuteMs
    await world.work()
    expect(world.textsIn(world.direct('waiting')).slice(1).sort()).toEqual(['line 1', 'line 2', 'line 3'])
  })

  test('is retried at that time, and a chat that is gone loses its link', async () => {
    const me = await world.linked('failing')
    world.platform.failures.push(new PlatformError('rate-limited', 'slow down', 10 * minuteMs))
    await world.observe(me, { kind: 'message', key: '1', text: 'first' })
    await world.work()
    expect(world.textsIn(world.direct('failing'))).not.toContain('first')
    world.clock.nowMs += 10 * minuteMs
    await world.work()
    expect(world.textsIn(world.direct('failing')).at(-1)).toBe('first')
    world.platform.failures.push(new PlatformError('gone', 'the chat is no more'))
    await world.observe(me, { kind: 'message', key: '2', text: 'second' })
    await world.work()
    expect(await world.ports.channelLinks.list(me.userId)).toMatchObject([{ state: 'lost' }])
  })

  test('or removes the bot has its chat lost until its person writes again, and pages show it', async () => {
    const me = await world.linked('blocker')
    const told = async () =>
      (await world.ports.events.after(me.userId, 'evt_', 50)).filter(({ type }) => type === 'channel.changed').length
    const states: unknown[] = [await told()]
    await world.tell(world.direct('blocker'), world.person('blocker'), { kind: 'removed' })
    await world.work()
    states.push((await world.ports.channelLinks.list(me.userId))[0]?.state, await told())
    await world.say('blocker', 'Here I am again.')
    await world.work()
    states.push((await world.ports.channelLinks.list(me.userId))[0]?.state, await told())
    expect(states).toEqual([1, 'lost', 2, 'linked', 3])
  })
})
