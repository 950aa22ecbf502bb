import { lines } from '../../../domain/channels/lines.ts'
import { walletSuspended } from '../../../domain/wallet/payment-required.ts'
import { type ChannelsWorld, openChannelsWorld } from './channels-world.ts'

let world: ChannelsWorld
beforeAll(async () => {
  world = await openChannelsWorld()
})
afterAll(() => world.close())

describe('commands in a chat', () => {
  test('return the state of the machine and the wallet, and pause and resume the machine', async () => {
    const me = await world.linked('commander')
    const asked = async (name: string, argument = '') => {
      await world.command('commander', name, argument)
      await world.work()
      return world.textsIn(world.direct('commander')).at(-1)
    }
    expect(await asked('status')).toMatch(/awake[\s\S]*The wallet holds \$5\.00/)
    expect(await asked('balance')).toBe(lines.balance('$5.00'))
    expect(await asked('pause')).toMatch(/stopping/)
    expect(await world.ports.instances.find(me.userId)).toMatchObject({ desiredState: 'paused' })
    const trail = await world.ports.audit.list(me.userId, { after: null, limit: 10 })
    expect(trail.items[0]).toMatchObject({ operation: 'pauseInstance', actor: { kind: 'channel' } })
    expect(await asked('topup', 'lots')).toBe(lines.topUpAmount)
    expect(await asked('stop')).toBe(lines.nothingToStop)
    expect(await asked('help')).toMatch(/\/status/)
    expect(await asked('nonsense')).toBe(lines.unknownCommand)
    expect(await asked('unlink')).toBe(lines.unlinked)
    expect(await world.ports.channelLinks.list(me.userId)).toEqual([])
  })

  test('offer no top-up while the wallet is suspended, and say that a message is kept', async () => {
    const me = await world.linked('suspended')
    await world.ports.wallets.freeze(me.userId, 'fraud', world.clock.nowMs)
    const asked = async (name: string, argument = '') => {
      await world.command('suspended', name, argument)
      await world.work()
      return world.textsIn(world.direct('suspended')).at(-1)
    }
    expect(await asked('topup', '20')).toBe(walletSuspended().message)
    expect(await asked('balance')).toBe(`The wallet holds $5.00. ${walletSuspended().message}`)
    await world.say('suspended', 'still there?')
    await world.work()
    expect(world.textsIn(world.direct('suspended')).at(-1)).toBe(`Your message is kept. ${walletSuspended().message}`)
  })

  test('stop the current reply, which then says so', async () => {
    const me = await world.linked('stopper')
    await world.say('stopper', 'a long story')
    await world.work()
    await world.command('stopper', 'stop')
    await world.work()
    expect(world.textsIn(world.direct('stopper')).at(-1)).toBe(lines.stopping)
    expect(await world.take(me)).toBeNull()
  })
})

describe('an agent’s message', () => {
  test('with a question has buttons and is answered by its person in the chat, once', async () => {
    const me = await world.linked('asked')
    await world.say('asked', 'send the mail')
    await world.work()
    const prompt = await world.take(me)
    const what = { text: 'May I send it?', answer: 'approve', tool: 'send_mail', arguments: { to: 'ada@example.org' } }
    const { question } = await world.observe(me, { kind: 'question', key: 'k', promptId: prompt?.id, ...what })
    await world.work()
    const [put] = world.shownIn(world.direct('asked')).slice(-1)
    expect(put?.text).toContain('send_mail')
    expect(put?.buttons?.map(({ label }) => label)).toEqual(['Yes', 'No'])
    const press = (name: string, chat = world.direct('asked'), messageId = put?.id ?? '') =>
      world.tell(chat, world.person(name), { kind: 'button', data: put?.buttons?.[0]?.data ?? '', messageId })
    await world.linked('thief')
    await press('thief', world.direct('thief'))
    await press('thief')
    await press('asked', world.direct('asked'), '99999')
    await world.work()
    expect(await world.ports.questions.find(me.userId, question.id, world.clock.nowMs)).toMatchObject({ state: 'open' })
    await press('asked')
    await world.work()
    const answered = await world.ports.questions.find(me.userId, question.id, world.clock.nowMs)
    expect(answered).toMatchObject({ state: 'answered', given: { approved: true } })
  })

  test('without a prompt is sent to the user’s home chat', async () => {
    const me = await world.linked('home')
    await world.observe(me, { kind: 'message', key: 'm', text: 'The build failed.' })
    await world.work()
    expect(world.textsIn(world.direct('home')).at(-1)).toBe('The build failed.')
    const sent = world.textsIn(world.direct('home')).length
    await world.observe(me, { kind: 'message', key: 'm', text: 'The build failed.' })
    await world.work()
    expect(world.textsIn(world.direct('home'))).toHaveLength(sent)
  })
})
