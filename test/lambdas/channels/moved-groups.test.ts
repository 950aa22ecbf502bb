import { growReply } from '../../../app/channels/deliver.ts'
import type { Chat } from '../../../domain/channels/inbound.ts'
import { lines } from '../../../domain/channels/lines.ts'
import { minuteMs } from '../../../domain/time.ts'
import { type ChannelsWorld, openChannelsWorld } from './channels-world.ts'

let world: ChannelsWorld
beforeAll(async () => {
  world = await openChannelsWorld()
})
afterAll(() => world.close())

describe('a group that moves to another id', () => {
  /** A linked group, its old and new id, and the event about the move. */
  async function movingGroup(name: string) {
    const me = await world.linked(name)
    const [old, to] = [`group-${name}`, `super-${name}`].map((id) => ({ ...world.group, id })) as [Chat, Chat]
    world.platform.owners.add(`person-${name}`)
    await world.command(name, 'link', '', old)
    await world.work()
    const ofGroup = async () => (await world.ports.channelLinks.list(me.userId)).filter(({ kind }) => kind === 'group')
    const [link] = await ofGroup()
    if (!link) throw new Error('the group is not linked')
    const moved = { from: old.id, to: to.id }
    const news = (chat: Chat) => world.tell(chat, { id: chat.id, name: 'Trip', bot: false }, { kind: 'removed', moved })
    const say = (chat: Chat, text: string) => world.tell(chat, world.person(name), world.message(text))
    const asked = async () => (await world.talk(me.userId, link.conversation)).map(({ text }) => text)
    return { me, old, to, link, news, say, asked, ofGroup }
  }

  // https://github.com/tucnak/telebot/issues/187, https://github.com/php-telegram-bot/core/pull/120
  test.each<[string, ('old' | 'to')[]]>([
    ['the old chat tells it', ['old']],
    ['the new chat tells it', ['to']],
    ['both tell it', ['old', 'to']],
    ['both tell it in reverse, each twice', ['to', 'old', 'to', 'old']],
  ])('keeps its link, owner, conversation and settings when %s', async (how, told) => {
    const name = how.replaceAll(/\W/g, '-')
    const group = await movingGroup(name)
    await world.ports.channelLinks.chooseHome(group.me.userId, group.link.id)
    for (const each of told) {
      await group.news(group[each])
      await world.work()
    }
    const moved = { ...group.link, home: true, chat: group.to, formerChatId: group.old.id }
    expect(await group.ofGroup()).toEqual([moved])
    await group.say(group.to, 'still there?')
    await world.work()
    expect((await group.asked()).at(-1)).toMatch(/still there\?$/)
    await world.ports.channelLinks.remove(group.me.userId, group.link.id)
    for (const chat of [group.old, group.to]) expect(await world.ports.channelLinks.find(chat)).toBeNull()
  })

  test('processes the messages waiting in either chat, in any order of the two', async () => {
    const group = await movingGroup('waiting-group')
    await group.say(group.old, 'before')
    await group.news(group.old)
    await group.news(group.to)
    await group.say(group.to, 'after')
    await world.work()
    expect((await group.asked()).map((text) => text.split('\n').at(-1)).sort()).toEqual(['after', 'before'])
  })

  test('survives a late report that its old chat ended', async () => {
    const group = await movingGroup('late-end')
    await group.news(group.to)
    await world.work()
    await world.tell(group.old, world.person('late-end'), { kind: 'removed' })
    await world.work()
    expect(await group.ofGroup()).toMatchObject([{ state: 'linked', chat: { id: group.to.id } }])
    await world.tell(group.to, world.person('late-end'), { kind: 'removed' })
    await world.work()
    expect(await group.ofGroup()).toMatchObject([{ state: 'lost' }])
  })

  // https://github.com/TwiN/gatus/issues/179, https://github.com/Flexget/Flexget/pull/2945
  test('gets the messages for its old id once, also when only the platform’s refusal reveals the new id', async () => {
    const group = await movingGroup('refused-send')
    const { channelLinks } = world.ports
    await channelLinks.chooseHome(group.me.userId, group.link.id)
    await world.observe(group.me, { kind: 'message', key: '1', text: 'first' })
    await world.observe(group.me, { kind: 'message', key: '2', text: 'second' })
    world.platform.moved.set(group.old.id, group.to.id)
    await world.work()
    expect(world.textsIn(group.to).sort()).toEqual(['first', 'second'])
    expect(await group.ofGroup()).toMatchObject([{ id: group.link.id, state: 'linked', chat: { id: group.to.id } }])
    await group.news(group.old)
    await world.work()
    expect(world.textsIn(group.to).sort()).toEqual(['first', 'second'])
  })

  test('gets a whole reply that began in its old chat, and no edit of an unrelated message', async () => {
    const group = await movingGroup('half-sent')
    await group.say(group.old, 'tell me')
    await world.work()
    const prompt = await world.take(group.me)
    if (!prompt) throw new Error('nothing is asked')
    await world.ports.outgoingMessages.grow(group.me.userId, prompt.id, 'Once')
    await growReply(world.ports, group.me.userId, prompt.id, world.clock.nowMs)
    expect(world.textsIn(group.old).at(-1)).toBe('Once')
    world.platform.moved.set(group.old.id, group.to.id)
    world.clock.nowMs += minuteMs
    await world.ports.outgoingMessages.grow(group.me.userId, prompt.id, 'Once upon')
    await growReply(world.ports, group.me.userId, prompt.id, world.clock.nowMs)
    expect(await group.ofGroup()).toMatchObject([{ chat: { id: group.to.id } }])
    await world.ports.outgoingMessages.replace(
      group.me.userId,
      prompt.id,
      { text: 'Once upon a time.' },
      world.clock.nowMs,
    )
    await world.work()
    expect(world.textsIn(group.to)).toEqual(['Once upon a time.'])
    expect(world.textsIn(group.old).at(-1)).toBe('Once')
  })

  test('gets an answer to its open question and stops its earlier prompts only through the new chat', async () => {
    const group = await movingGroup('asked-group')
    await group.say(group.old, 'send the mail')
    await world.work()
    const prompt = await world.take(group.me)
    const what = { text: 'May I send it?', answer: 'approve', tool: 'send_mail', arguments: {} }
    const asked = { kind: 'question', key: 'k', promptId: prompt?.id, ...what }
    const { question } = await world.observe(group.me, asked)
    world.platform.moved.set(group.old.id, group.to.id)
    await group.news(group.to)
    await world.work()
    const [put] = world.shownIn(group.to).slice(-1)
    const press = { kind: 'button' as const, data: put?.buttons?.[0]?.data ?? '', messageId: put?.id ?? '' }
    await world.tell(group.old, world.person('asked-group'), press)
    await world.work()
    const state = async () => (await world.ports.questions.find(group.me.userId, question.id, world.clock.nowMs))?.state
    expect(await state()).toBe('open')
    await world.tell(group.to, world.person('asked-group'), press)
    await world.work()
    expect(await state()).toBe('answered')
    await world.command('asked-group', 'stop', '', group.to)
    await world.work()
    expect(world.textsIn(group.to).at(-1)).toBe(lines.stopping)
  })

  test.each(['news', 'send'])(
    'never takes over a chat of another account: its link is lost then, reported by %s',
    async (how) => {
      const group = await movingGroup(`unsure-${how}`)
      const other = await world.linked(`other-${how}`)
      world.platform.owners.add(`person-other-${how}`)
      await world.command(`other-${how}`, 'link', '', group.to)
      await world.work()
      const before = await world.ports.channelLinks.find(group.to)
      expect(before?.userId).toBe(other.userId)
      await world.ports.channelLinks.chooseHome(group.me.userId, group.link.id)
      await world.observe(group.me, { kind: 'message', key: 's', text: 'a secret' })
      if (how === 'news') await group.news(group.to)
      world.platform.moved.set(group.old.id, group.to.id)
      await world.work()
      expect(await world.ports.channelLinks.find(group.to)).toEqual(before)
      expect(await group.ofGroup()).toMatchObject([{ state: 'lost', chat: { id: group.old.id } }])
      expect(world.textsIn(group.to)).not.toContain('a secret')
    },
  )
})
