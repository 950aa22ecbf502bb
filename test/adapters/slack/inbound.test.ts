import { inbound } from '../../../domain/channels/inbound.ts'
import { harbour, workshop } from '../../../emulators/slack/test/slack.ts'
import { type SlackWorld, slackWorld } from './world.ts'

let world: SlackWorld
beforeEach(async () => {
  world = await slackWorld()
})
afterEach(() => world.stop())

const { team, ada, ben, general } = workshop
const inGeneral = (user = ada) => ({ user, channel: general })
const inDirect = () => ({ user: ada, channel: world.direct })
const join = () => world.people.invite(inGeneral())

describe('a message on Slack', () => {
  test('in a direct chat is addressed to the agent and has its time stamp as its id', async () => {
    const { ts } = world.people.say(inDirect(), 'Hello & <good> day')
    expect(await world.heard()).toEqual([
      {
        id: ts,
        chat: { platform: 'slack', id: `${team}/${world.direct}`, kind: 'direct' },
        person: { id: `${team}/${ada}`, name: ada, bot: false },
        context: { user: ada, team },
        at: new Date(Math.floor(Number(ts) * 1000)).toISOString(),
        what: { kind: 'message', text: 'Hello & <good> day', files: [], addressed: true },
      },
    ])
  })

  test('that mentions the app arrives twice under one id, addressed to the agent both times', async () => {
    join()
    world.people.say(inGeneral(), '@app what is new?')
    const [first, second, ...others] = await world.heard()
    expect(others).toEqual([])
    expect(world.delivered.map(({ rawBody }) => JSON.parse(rawBody).event.type).sort()).toEqual([
      'app_mention',
      'message',
    ])
    expect(second).toEqual(first)
    expect(first).toMatchObject({ what: { text: 'what is new?', addressed: true }, chat: { kind: 'group' } })
  })

  test('in a channel without a mention is context', async () => {
    join()
    world.people.say(inGeneral(), 'lunch?')
    expect(await world.heard()).toMatchObject([{ what: { kind: 'message', text: 'lunch?', addressed: false } }])
  })

  test('that does not name the app’s user is addressed only by a mention', async () => {
    join()
    world.people.say(inGeneral(), '@app there?')
    await world.settled()
    const changed = world.delivered.map(({ rawBody }) =>
      JSON.stringify({ ...JSON.parse(rawBody), authorizations: undefined }),
    )
    const { readEvent } = await import('../../../adapters/slack/events.ts')
    const heard = changed.flatMap((body) => readEvent(JSON.parse(body)))
    expect(heard).toMatchObject([{ what: { addressed: true } }])
  })

  test('in a thread that the agent started is addressed to it; in another thread it is not', async () => {
    join()
    const { messageId } = await world.platform.send(world.to(general), { text: 'Good morning.' }, 'k')
    const other = world.people.say(inGeneral(ben), 'something else')
    world.people.say(inGeneral(), 'thanks', { threadTs: messageId })
    world.people.say(inGeneral(), 'well', { threadTs: other.ts })
    const heard = await world.heard()
    expect(heard.map(({ what, context }) => [what.kind === 'message' && what.addressed, context.thread])).toEqual([
      [false, other.ts],
      [true, messageId],
      [false, other.ts],
    ])
  })

  test('carries the ids of its files', async () => {
    world.people.say(inDirect(), '', { files: [{ name: 'plan.pdf', bytes: Buffer.from('%PDF') }] })
    const [heard] = await world.heard()
    expect(heard?.what).toMatchObject({
      kind: 'message',
      text: '',
      files: [{ ref: expect.stringMatching(/^F/), name: 'plan.pdf', type: 'application/pdf', bytes: 4 }],
    })
  })

  test('from the app itself is ignored, sent or edited', async () => {
    join()
    const { messageId } = await world.platform.send(world.to(general), { text: 'one' }, 'k')
    await world.platform.edit(world.to(general), messageId, { text: 'two' })
    await world.settled()
    expect(world.delivered).toHaveLength(2)
    expect(await world.heard()).toEqual([])
  })

  test('from another bot is marked as a bot’s', async () => {
    const { readEvent } = await import('../../../adapters/slack/events.ts')
    const event = {
      type: 'message',
      subtype: 'bot_message',
      channel: 'C1',
      ts: '1700000000.000100',
      text: 'beep',
      bot_id: 'B1',
      username: 'builds',
    }
    const body = {
      type: 'event_callback',
      team_id: team,
      api_app_id: 'A1',
      event,
      authorizations: [{ team_id: team, user_id: 'U0BOTWORKS', is_bot: true }],
    }
    expect(readEvent(body)).toMatchObject([{ person: { id: `${team}/B1`, name: 'builds', bot: true } }])
  })
})

describe('content of a message besides its text', () => {
  const read = async (event: object) => {
    const { readEvent } = await import('../../../adapters/slack/events.ts')
    const body = {
      type: 'event_callback',
      team_id: team,
      api_app_id: 'A1',
      event: { type: 'message', channel: 'D1', user: ada, ts: '1700000000.000100', text: '', ...event },
      authorizations: [{ team_id: team, user_id: 'U0BOTWORKS', is_bot: true }],
    }
    const [found] = readEvent(body)
    if (found) inbound.parse(found)
    return found?.what
  }
  const share = { is_share: true, author_name: 'Ben', channel_name: 'ops', text: 'Pump 3 shows &gt; 80' }

  // https://github.com/NousResearch/hermes-agent/issues/96384, https://github.com/ColeMurray/background-agents/pull/1143
  test('includes the words and files of a forwarded message’s author', async () => {
    const files = [{ id: 'F1', name: 'log.txt', mimetype: 'text/plain', size: 3 }]
    expect(await read({ text: 'please deal with this', attachments: [{ ...share, files }] })).toMatchObject({
      text: 'please deal with this',
      files: [{ ref: 'F1', name: 'log.txt' }],
      pointed: [{ how: 'forwarded', by: 'Ben in #ops', text: 'Pump 3 shows > 80' }],
    })
    expect(await read({ attachments: [{ is_share: true, files }] })).toMatchObject({ pointed: [{ text: '(log.txt)' }] })
    const blocks = [
      { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'Hi' }] }] },
    ]
    expect(
      await read({ attachments: [{ is_msg_unfurl: true, message_blocks: [{ message: { blocks } }] }] }),
    ).toMatchObject({
      text: '',
      pointed: [{ how: 'forwarded', text: 'Hi' }],
    })
    expect(
      await read({ attachments: [{ title: 'Weather', text: 'Storm', from_url: 'https://a.example' }] }),
    ).toMatchObject({
      pointed: [{ how: 'attached', by: 'https://a.example', text: 'Weather\nStorm' }],
    })
  })

  // https://github.com/vercel/chat/issues/803, https://github.com/openclaw/openclaw/issues/112229
  test.each(['blocks', 'attachments'])('includes a pasted table as the person’s own words, in %s', async (where) => {
    const cell = (text: string) => ({ type: 'raw_text', text })
    const rich = {
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '5|6' }] }],
    }
    const rows = [[cell('Name'), cell('Amount')], [cell('Tea & milk'), rich], [{ type: 'raw_number', value: 7 }]]
    const table = { type: 'table', rows }
    const given =
      where === 'blocks'
        ? { blocks: [table] }
        : { attachments: [{ blocks: [table], fallback: '[no preview available]' }] }
    expect(await read({ text: 'which is best?', ...given })).toEqual({
      kind: 'message',
      text: 'which is best?\n| Name | Amount |\n| --- | --- |\n| Tea & milk | 5\\|6 |\n| 7 |  |',
      files: [],
      addressed: true,
    })
  })

  test('includes lists, quotes and code from rich text', async () => {
    const text = (said: string, style?: object) => ({ type: 'text', text: said, ...(style && { style }) })
    const section = (...elements: object[]) => ({ type: 'rich_text_section', elements })
    const blocks = [
      {
        type: 'rich_text',
        elements: [
          section(text('Do <this> with '), { type: 'user', user_id: ben }, text(' and '), text('a_b', { code: true })),
          {
            type: 'rich_text_list',
            style: 'ordered',
            indent: 0,
            elements: [section(text('one')), section(text('two'))],
          },
          {
            type: 'rich_text_list',
            style: 'bullet',
            indent: 1,
            elements: [section({ type: 'link', url: 'https://a.example', text: 'page' })],
          },
          { type: 'rich_text_quote', elements: [text('said\nso')] },
          { type: 'rich_text_preformatted', elements: [text('x = 1')] },
          section({ type: 'emoji', name: 'wave' }, { type: 'broadcast', range: 'here' }),
        ],
      },
    ]
    expect(await read({ text: 'Do this', blocks })).toMatchObject({
      text: `Do <this> with @${ben} and \`a_b\`\n1. one\n2. two\n  • page (https://a.example)\n> said\n> so\n\`\`\`\nx = 1\n\`\`\`\n:wave:@here`,
      mentions: [ben],
    })
  })

  test('never fails, whatever its shape', async () => {
    for (const odd of [
      null,
      7,
      'x',
      [],
      {},
      [null],
      [{ type: 'table', rows: [7, [null]] }],
      [{ type: 'rich_text', elements: 'x' }],
    ])
      expect(await read({ text: 'a', blocks: odd, attachments: odd })).toMatchObject({ text: 'a' })
  })
})

test('people are shown by name, and each name is requested once', async () => {
  const chat = world.to(world.direct).chat
  const names = () => world.platform.namesOf?.(chat, [ada, 'U0NOBODY', ben])
  expect([...((await names()) ?? [])]).toEqual([
    [ada, 'ada'],
    [ben, 'ben'],
  ])
  world.tokens.clear()
  expect((await names())?.get(ada)).toBe('ada')
})

describe('a changed message', () => {
  test('leads to an edit and a deletion event after it, without the new text', async () => {
    const { ts } = world.people.say(inDirect(), 'one')
    world.people.edit(inDirect(), ts, 'two')
    world.people.remove(inDirect(), ts)
    const heard = await world.heard()
    expect(heard.map(({ what }) => what)).toEqual([
      { kind: 'message', text: 'one', files: [], addressed: true },
      { kind: 'edited' },
      { kind: 'deleted' },
    ])
    const ids = heard.map(({ id }) => id)
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(3)
  })

  test('leads to a deletion event although it was never edited', async () => {
    const { ts } = world.people.say(inDirect(), 'one')
    world.people.remove(inDirect(), ts)
    expect((await world.heard()).map(({ what }) => what.kind)).toEqual(['message', 'deleted'])
  })

  test('is not an edit when Slack itself adds content, such as a preview', async () => {
    const { readEvent } = await import('../../../adapters/slack/events.ts')
    const message = { type: 'message', user: ada, ts: '1700000000.000100', text: 'https://example.com' }
    const event = {
      type: 'message',
      subtype: 'message_changed',
      channel: 'D1',
      ts: '1700000001.000100',
      message,
      previous_message: message,
    }
    expect(readEvent({ team_id: team, event })).toEqual([])
    expect(
      readEvent({ team_id: team, event: { ...event, message: { ...message, edited: { user: ada, ts: '1' } } } }),
    ).toMatchObject([{ what: { kind: 'edited' } }])
  })
})

describe('a slash command', () => {
  test('for the app is named by its first word', async () => {
    expect(await world.people.command(inDirect(), '/berth topup 20 dollars')).toMatchObject({ status: 200 })
    await world.people.command(inDirect(), '/berth')
    await world.people.command(inGeneral(), '/Balance  now ')
    const heard = await world.heard()
    expect(heard.map(({ what }) => what)).toEqual([
      { kind: 'command', name: 'topup', argument: '20 dollars' },
      { kind: 'command', name: 'help', argument: '' },
      { kind: 'command', name: 'balance', argument: 'now' },
    ])
    expect(heard[0]).toMatchObject({ person: { id: `${team}/${ada}`, name: 'ada' }, chat: { kind: 'direct' } })
    expect(heard[2]).toMatchObject({ chat: { kind: 'group', title: 'general' } })
  })

  test('gets a reply that only its sender sees, and the next reply replaces it', async () => {
    join()
    await world.people.command(inGeneral(), '/berth status')
    const [heard] = await world.heard()
    if (!heard) throw new Error('nothing was heard')
    const { messageId } = await world.platform.send(heard, { text: 'It *runs*.' }, 'k')
    await world.platform.edit(heard, messageId, { text: 'It is paused.' })
    expect(world.store.value.messages).toMatchObject([{ onlyFor: ada, text: 'It is paused.', channel: general }])
  })
})

test('a press of a button carries the button’s data and its message', async () => {
  const { messageId } = await world.platform.send(
    world.to(world.direct),
    {
      text: 'May I?',
      buttons: [
        { data: 'yes:1', label: 'Yes' },
        { data: 'no:1', label: 'No' },
      ],
    },
    'k',
  )
  expect(await world.people.press(inDirect(), messageId, 'no:1')).toMatchObject({ status: 200 })
  expect(await world.heard()).toMatchObject([
    { person: { id: `${team}/${ada}`, name: 'ada' }, what: { kind: 'button', data: 'no:1', messageId } },
  ])
})

test('is sorted by time among the messages around it', async () => {
  const before = world.people.say(inDirect(), 'one')
  await world.people.command(inDirect(), '/berth status')
  const heard = await world.heard()
  const command = heard.find(({ what }) => what.kind === 'command')
  const second = before.ts.split('.')[0]
  expect(command?.id.startsWith(`${second}.000000/`)).toBe(true)
  expect([command?.id, `${Number(second) + 1}.000000`, `${Number(second) - 1}.999999`].sort()[1]).toBe(command?.id)
})

describe('removal of the app', () => {
  test('from a channel removes that channel', async () => {
    join()
    world.people.expel(inGeneral())
    expect(await world.heard()).toMatchObject([
      { chat: { id: `${team}/${general}` }, what: { kind: 'removed' } },
      { chat: { id: `${team}/${general}` }, what: { kind: 'removed' } },
    ])
  })

  test('from a workspace removes all its channels and deletes its token', async () => {
    world.people.uninstall(team)
    const heard = await world.heard()
    expect(heard).toMatchObject([
      { chat: { id: team }, what: { kind: 'removed' } },
      { chat: { id: team }, what: { kind: 'removed' } },
    ])
    expect(heard[0]?.id).toBe(heard[1]?.id)
    for (const { chat, at } of heard) await world.platform.forget?.(chat, at)
    expect(world.forgotten).toEqual(heard.map(({ at }) => [team, at]))
  })

  test('is not reported when another member leaves', async () => {
    const { readEvent } = await import('../../../adapters/slack/events.ts')
    const event = { type: 'member_left_channel', user: ada, channel: 'C1', event_ts: '1700000000.000100' }
    const authorizations = [{ team_id: team, user_id: 'U0BOTWORKS', is_bot: true }]
    expect(readEvent({ team_id: team, event, authorizations })).toEqual([])
    expect(readEvent({ team_id: team, event })).toEqual([])
    expect(readEvent({ team_id: team, event: { ...event, user: 'U0BOTWORKS' }, authorizations })).toHaveLength(1)
  })

  test('from a channel keeps the token', async () => {
    await world.platform.forget?.(world.to(general).chat, '2026-11-01T12:00:00.000Z')
    expect(world.forgotten).toEqual([])
  })
})

test('a message in a channel shared by two workspaces belongs to the workspace that has the app', async () => {
  const { readEvent } = await import('../../../adapters/slack/events.ts')
  const event = { type: 'message', channel: 'C1', user: 'U2', user_team: 'T2', text: 'hi', ts: '1700000000.000100' }
  const authorizations = [{ team_id: team, user_id: 'U0BOTWORKS', is_bot: true }]
  expect(readEvent({ team_id: 'T2', event, authorizations })).toMatchObject([
    { chat: { id: `${team}/C1` }, person: { id: `${team}/U2` }, context: { user: 'U2', team: 'T2' } },
  ])
})

test('two workspaces are separate: the same id is another chat and another person', async () => {
  world.people.install(harbour.team)
  world.people.say({ user: harbour.finn, channel: world.people.direct(harbour.team, harbour.finn).id }, 'hello')
  const [heard] = await world.heard()
  expect(heard).toMatchObject({
    person: { id: `${harbour.team}/${harbour.finn}` },
    chat: { id: expect.stringMatching(/^T0HARBOUR0\/D/) },
  })
})

describe('a delivery from Slack', () => {
  test('that was not accepted arrives again with the same content and id', async () => {
    world.answers.push(500, 503, 500)
    world.faults.newEventIds = true
    world.people.say(inDirect(), 'once')
    while (world.delivered.length < 4) await world.settled().then(() => new Promise(setImmediate))
    const heard = await world.heard()
    expect(heard).toHaveLength(4)
    expect(new Set(heard.map((inbound) => JSON.stringify(inbound))).size).toBe(1)
    expect(world.delivered.map(({ headers }) => headers['x-slack-retry-num'])).toEqual([undefined, '1', '2', '3'])
    expect(new Set(world.delivered.map(({ rawBody }) => JSON.parse(rawBody).event_id)).size).toBe(4)
    expect(world.lost()).toBe(0)
  })

  test('may arrive twice and out of order, and its id restores the order', async () => {
    world.faults.duplicates = 1
    world.faults.reordered = 3
    const said = ['one', 'two', 'three'].map((text) => world.people.say(inDirect(), text).ts)
    const heard = await world.heard()
    expect(heard).toHaveLength(6)
    expect([...new Set(heard.map(({ id }) => id))].sort()).toEqual(said)
  })
})
