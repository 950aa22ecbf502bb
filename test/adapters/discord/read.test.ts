import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { snowflakeAt } from '../../../adapters/discord/snowflake.ts'
import { inbound as inboundSchema } from '../../../domain/channels/inbound.ts'
import { seeded } from '../../counts.ts'
import { discordWorld, gatewayKey, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await discordWorld()
})
afterAll(() => world.close())

const nowMs = Date.now()
const seconds = Math.floor(nowMs / 1000)

const signed = (body: string, at = seconds) => world.emulator.interactions.signed(body, at)
const handedOn = (body: string, at = seconds, key = gatewayKey): Record<string, string> => ({
  'x-gateway-timestamp': String(at),
  'x-gateway-signature': createHmac('sha256', key).update(`${at}.${body}`).digest('hex'),
})
const read = (rawBody: string, headers: Record<string, string>) => world.platform.read({ headers, rawBody }, nowMs)

const command = (more: object = {}) => ({
  id: snowflakeAt(nowMs),
  application_id: world.secret.applicationId,
  type: 2,
  token: 'a token',
  channel_id: world.direct.id,
  context: 1,
  user: { id: world.people.ada, username: 'ada', global_name: 'Ada' },
  data: { id: '1', name: 'link', type: 1, options: [{ type: 3, name: 'code', value: 'ABCD2345' }] },
  ...more,
})
const message = (more: object = {}) => ({
  id: snowflakeAt(nowMs),
  channel_id: world.general.id,
  guild_id: world.general.guild_id,
  author: { id: world.people.ada, username: 'ada', global_name: 'Ada' },
  type: 0,
  content: 'Good morning',
  mentions: [],
  attachments: [],
  ...more,
})
const events = (...all: { t: string; d: object }[]) => ({
  application_id: world.secret.applicationId,
  self: world.secret.applicationId,
  events: all.map((event) => ({ at: nowMs, title: '#general', roles: ['77'], ...event })),
})

/** The adapter's reading of an interaction that Discord signed. */
async function interaction(body: object) {
  const text = JSON.stringify(body)
  const reading = await read(text, signed(text))
  if (reading.kind !== 'inbound') throw new Error(reading.why)
  for (const each of reading.inbound) inboundSchema.parse(each)
  return reading
}
/** The adapter's reading of events that the listener signed. */
async function heard(...all: { t: string; d: object }[]) {
  const text = JSON.stringify(events(...all))
  const reading = await read(text, handedOn(text))
  if (reading.kind !== 'inbound') throw new Error(reading.why)
  for (const each of reading.inbound) inboundSchema.parse(each)
  return reading.inbound
}
const said = async (more: object) => (await heard({ t: 'MESSAGE_CREATE', d: message(more) }))[0]

describe('the webhook’s authentication', () => {
  const body = () => JSON.stringify(command())

  test.each<[string, (text: string) => Record<string, string>]>([
    ['without a signature', () => ({})],
    [
      'with a signature but no time stamp',
      (text) => ({ 'x-signature-ed25519': signed(text)['x-signature-ed25519'] ?? '' }),
    ],
    ['signed six minutes ago', (text) => signed(text, seconds - 360)],
    ['signed for six minutes from now', (text) => signed(text, seconds + 360)],
    ['with a malformed time stamp', (text) => ({ ...signed(text), 'x-signature-timestamp': `${seconds} ` })],
    ['with the signature of another body', () => signed('{}')],
    ['with a signature that is too short', (text) => ({ ...signed(text), 'x-signature-ed25519': 'ab' })],
    [
      'with the listener’s signature in Discord’s headers',
      (text) => ({ ...signed(text), 'x-signature-ed25519': handedOn(text)['x-gateway-signature'] ?? '' }),
    ],
    ['with two signatures of which Discord’s is wrong', (text) => ({ ...handedOn(text), ...signed('other') })],
    ['signed by the listener with another key', (text) => handedOn(text, seconds, 'another')],
    ['signed by the listener six minutes ago', (text) => handedOn(text, seconds - 360)],
    ['signed by the listener with an empty key', (text) => handedOn(text, seconds, '')],
  ])('rejects a request %s', async (_, headersOf) => {
    const text = body()
    expect(await read(text, headersOf(text))).toMatchObject({ kind: 'refused', why: expect.any(String) })
  })

  test('rejects every request while the stage has no application, no key or an invalid key', async () => {
    const { discordPlatform } = await import('../../../adapters/discord/discord.ts')
    const text = body()
    for (const lacking of [
      { applicationId: '' },
      { publicKey: '' },
      { publicKey: 'zz'.repeat(32) },
      { publicKey: '00' },
    ]) {
      const platform = discordPlatform(async () => ({ ...world.secret, ...lacking }))
      expect((await platform.read({ headers: signed(text), rawBody: text }, nowMs)).kind).toBe('refused')
    }
    const deaf = discordPlatform(async () => ({ ...world.secret, gatewayKey: '' }))
    expect((await deaf.read({ headers: handedOn(text, seconds, ''), rawBody: text }, nowMs)).kind).toBe('refused')
  })

  test('rejects another application, even with a valid signature', async () => {
    const text = JSON.stringify(command({ application_id: '999' }))
    expect((await read(text, signed(text))).kind).toBe('refused')
    const other = JSON.stringify({ ...events(), application_id: '999' })
    expect((await read(other, handedOn(other))).kind).toBe('refused')
  })

  test('rejects a request after a change to any byte of its body, time stamp or signature', async () => {
    const text = body()
    const given = { ...signed(text), rawBody: text }
    const own = { ...handedOn(text), rawBody: text }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<Record<string, string>>(given, own),
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 127 }),
        async (right, which, where, change) => {
          const fields = Object.keys(right).filter((name) => !['content-type', 'user-agent'].includes(name))
          const name = fields[which % fields.length] ?? ''
          const old = right[name] ?? ''
          const at = where % old.length
          const code = old.charCodeAt(at)
          const changed = `${old.slice(0, at)}${String.fromCharCode(code ^ change)}${old.slice(at + 1)}`
          // Upper and lower case hexadecimal digits are equal.
          fc.pre(changed.toLowerCase() !== old.toLowerCase() || name === 'rawBody')
          const { rawBody = '', ...headers } = { ...right, [name]: changed }
          expect((await read(rawBody, headers)).kind).toBe('refused')
        },
      ),
      seeded(5_000, 500),
    )
  })
})

describe('an interaction', () => {
  test('with a ping gets a pong; a ping of webhook events and an autocompletion get a response too', async () => {
    expect(await interaction({ ...command(), type: 1 })).toEqual({ kind: 'inbound', inbound: [], answer: { type: 1 } })
    const events = { version: 1, application_id: world.secret.applicationId, type: 0 }
    expect(await interaction(events)).toEqual({ kind: 'inbound', inbound: [], answer: null })
    expect((await interaction({ ...command(), type: 4 })).answer).toEqual({ type: 8, data: { choices: [] } })
  })

  test('with a command gets a deferred reply', async () => {
    const given = command()
    expect(await interaction(given)).toEqual({
      kind: 'inbound',
      answer: { type: 5 },
      inbound: [
        {
          id: given.id.padStart(20, '0'),
          chat: { platform: 'discord', id: world.direct.id, kind: 'direct' },
          person: { id: world.people.ada, name: 'Ada', bot: false },
          context: { interaction: given.id, token: 'a token', deferred: 'yes' },
          at: new Date(nowMs).toISOString(),
          what: { kind: 'command', name: 'link', argument: 'ABCD2345' },
        },
      ],
    })
  })

  test.each([
    ['in the bot’s direct chat', { context: 1 }, 'direct'],
    [
      'in a server',
      { context: 0, guild_id: '5', user: undefined, member: { user: { id: '6', username: 'f' } } },
      'group',
    ],
    ['in a server, in an older format', { context: undefined, guild_id: '5' }, 'group'],
    ['in a chat with other people', { context: 2 }, 'group'],
  ])('with a command %s belongs to that kind of chat', async (_, more, kind) => {
    expect((await interaction(command(more))).inbound[0]?.chat.kind).toBe(kind)
  })

  test('/ask is a message to the agent, with its file', async () => {
    const url = 'https://cdn.discordapp.com/attachments/1/2/a.png?ex=1'
    const data = {
      name: 'ask',
      options: [
        { name: 'message', type: 3, value: 'What is this?' },
        { name: 'file', type: 11, value: '2' },
      ],
      resolved: { attachments: { 2: { id: '2', filename: 'a.png', size: 7, url, content_type: 'image/png' } } },
    }
    expect((await interaction(command({ data }))).inbound[0]?.what).toEqual({
      kind: 'message',
      text: 'What is this?',
      addressed: true,
      files: [{ ref: url, name: 'a.png', type: 'image/png', bytes: 7 }],
    })
  })

  test('with a subcommand has the options of the innermost command', async () => {
    const data = {
      name: 'agent',
      options: [{ name: 'a', options: [{ name: 'b', options: [{ name: 'c', value: 7 }] }] }],
    }
    expect((await interaction(command({ data }))).inbound[0]?.what).toEqual({
      kind: 'command',
      name: 'agent',
      argument: '7',
    })
  })

  test('from a button carries the button’s data and message', async () => {
    const pressed = command({ type: 3, data: { custom_id: 'yes:1', component_type: 2 }, message: { id: '42' } })
    const reading = await interaction(pressed)
    expect(reading.answer).toEqual({ type: 6 })
    expect(reading.inbound[0]).toMatchObject({
      what: { kind: 'button', data: 'yes:1', messageId: '42' },
      context: { interaction: pressed.id, token: 'a token' },
    })
    expect(reading.inbound[0]?.context.deferred).toBeUndefined()
  })

  test('with an unknown type is ignored', async () => {
    for (const strange of [{ type: 99 }, { type: 5 }, { data: null }, { channel_id: 'x' }, { user: undefined }])
      expect((await interaction(command(strange))).inbound).toEqual([])
  })
})

describe('a message from the listener', () => {
  test('in a direct chat is addressed to the agent', async () => {
    const direct = { guild_id: undefined, channel_id: world.direct.id }
    const found = await said(direct)
    expect(found).toMatchObject({
      chat: { kind: 'direct', id: world.direct.id },
      person: { name: 'Ada', bot: false },
      what: { kind: 'message', text: 'Good morning', addressed: true, files: [] },
    })
    expect(found?.chat.title).toBeUndefined()
  })

  test('in a server is addressed to the agent only by a mention, a role’s mention or a reply', async () => {
    const self = world.secret.applicationId
    const bot = { id: self, username: 'agent', bot: true }
    const addressed = async (more: object) => {
      const found = await said(more)
      return found?.what.kind === 'message' && found.what.addressed
    }
    expect(await addressed({})).toBe(false)
    expect(await addressed({ mentions: [{ id: '5', username: 'e' }] })).toBe(false)
    expect(await addressed({ mentions: [bot] })).toBe(true)
    expect(await addressed({ mention_roles: ['77'] })).toBe(true)
    expect(await addressed({ mention_roles: ['78'] })).toBe(false)
    expect(await addressed({ type: 19, referenced_message: { author: bot } })).toBe(true)
    expect(await addressed({ type: 19, referenced_message: { author: { id: '5', username: 'e' } } })).toBe(false)
    // The text alone proves nothing: Discord lists the mentioned users.
    expect(await addressed({ content: `<@${self}> hi` })).toBe(false)
  })

  test('loses the leading mention of the bot and shows people by name', async () => {
    const self = world.secret.applicationId
    const mentions = [
      { id: self, username: 'agent' },
      { id: '5', username: 'eve', global_name: 'Eve' },
    ]
    const found = await said({ mentions, content: `<@${self}> ask <@!5> and <@6>` })
    expect(found?.what).toMatchObject({ text: 'ask @Eve and <@6>' })
  })

  test('has the same id, whichever way it arrives', async () => {
    const sent = message()
    const [first, second] = await heard(
      { t: 'MESSAGE_CREATE', d: sent },
      { t: 'MESSAGE_CREATE', d: { ...sent, nonce: 'x' } },
    )
    expect(first?.id).toBe(second?.id)
  })

  // https://github.com/openclaw/openclaw/issues/108548, https://github.com/NousResearch/hermes-agent/issues/55340
  test('that is a reply includes the quoted message with its files; the bot’s own words are marked', async () => {
    const eve = { id: '5', username: 'eve', global_name: 'Eve' }
    const attachments = [{ filename: 'plan.pdf', url: 'https://cdn.discordapp.com/plan.pdf', size: 3 }]
    const answering = async (referenced_message: object) =>
      (await said({ content: 'what?', type: 19, referenced_message }))?.what
    expect(await answering({ author: eve, content: 'At <t:1700000000:R> <:wave:123>', attachments })).toMatchObject({
      text: 'what?',
      files: [{ name: 'plan.pdf', pointed: true }],
      pointed: [{ how: 'answered', by: 'Eve', text: 'At 2023-11-14T22:13:20.000Z :wave:' }],
    })
    expect(await answering({ author: eve, content: '', attachments })).toMatchObject({
      pointed: [{ text: '(plan.pdf)' }],
    })
    const self = { id: world.secret.applicationId, username: 'agent', bot: true }
    expect(await answering({ author: self, content: 'At noon.', attachments })).toMatchObject({
      addressed: true,
      files: [],
      pointed: [{ how: 'own', text: 'At noon.' }],
    })
    const embeds = [{ title: 'Build 7', description: 'failed', fields: [{ name: 'Branch', value: 'main' }] }]
    expect(await answering({ author: eve, content: '', embeds })).toMatchObject({
      pointed: [{ text: 'Build 7\nfailed\nBranch: main' }],
    })
    const forwarded = { author: eve, content: '', message_snapshots: [{ message: { content: 'Storm' } }] }
    expect(await answering(forwarded)).toMatchObject({ pointed: [{ by: 'Eve', text: 'Storm' }] })
  })

  test('that is a forward asks nothing itself, whatever it contains', async () => {
    const self = world.secret.applicationId
    const inside = { content: `<@${self}> pay`, mentions: [{ id: self, username: 'agent' }] }
    const found = await said({ content: '', message_snapshots: [{ message: inside }] })
    expect(found?.what).toMatchObject({
      text: '',
      addressed: false,
      pointed: [{ how: 'forwarded', text: '@agent pay' }],
    })
  })

  test('with a poll or stickers gets a line that describes them', async () => {
    const poll = {
      question: { text: 'Tea?' },
      answers: [{ poll_media: { text: 'Yes' } }, { poll_media: { text: 'No' } }],
    }
    expect((await said({ content: '', poll }))?.what).toMatchObject({ text: 'Poll: Tea? (Yes / No)' })
    expect((await said({ content: '', sticker_items: [{ id: '1', name: 'Wave' }] }))?.what).toMatchObject({
      text: 'Wave',
    })
  })

  test('from a bot or a webhook is distinguished from a person’s', async () => {
    expect((await said({ author: { id: '9', username: 'other', bot: true } }))?.person.bot).toBe(true)
    expect((await said({ webhook_id: '8' }))?.person.bot).toBe(true)
  })

  test('that is a notice is ignored; an edit and a deletion are read as such', async () => {
    expect(await said({ type: 7 })).toBeUndefined()
    const edited_timestamp = new Date(nowMs + 1000).toISOString().replace('Z', '000+00:00')
    const direct = { guild_id: undefined }
    const [edit] = await heard({ t: 'MESSAGE_UPDATE', d: message({ ...direct, edited_timestamp }) })
    expect(edit).toMatchObject({ what: { kind: 'edited' }, at: new Date(nowMs + 1000).toISOString() })
    expect(await heard({ t: 'MESSAGE_UPDATE', d: message(direct) })).toEqual([])
    // Messages that were not addressed to us leave no text.
    expect(await heard({ t: 'MESSAGE_UPDATE', d: message({ edited_timestamp }) })).toEqual([])
    const [gone] = await heard({ t: 'CHANNEL_DELETE', d: { id: world.general.id, guild_id: '5' } })
    expect(gone).toMatchObject({ what: { kind: 'removed' }, chat: { id: world.general.id, kind: 'group' } })
  })

  test('that is later sorts later', async () => {
    const early = message({ id: snowflakeAt(nowMs - 60_000), guild_id: undefined })
    const [first] = await heard({ t: 'MESSAGE_CREATE', d: early })
    const edited_timestamp = new Date(nowMs - 30_000).toISOString()
    const [edit] = await heard({ t: 'MESSAGE_UPDATE', d: { ...early, edited_timestamp } })
    const later = await said({})
    const [gone] = await heard({ t: 'CHANNEL_DELETE', d: { id: world.general.id, guild_id: '5' } })
    const ids = [first, edit, later].map((each) => each?.id ?? '')
    expect(ids).toEqual([...ids].sort())
    expect((gone?.id ?? '') > (edit?.id ?? '')).toBe(true)
  })

  test('that is a forward has the forwarded text', async () => {
    const message_snapshots = [{ message: { content: 'from elsewhere', attachments: [] } }]
    expect((await said({ content: '', message_snapshots }))?.what).toMatchObject({
      text: '',
      pointed: [{ how: 'forwarded', by: '', text: 'from elsewhere' }],
    })
  })

  test('with a malformed field loses only that field', async () => {
    const strange = {
      content: 7,
      attachments: 'x',
      mentions: [{ id: 'x' }],
      type: null,
      edited_timestamp: 5,
      webhook_id: {},
    }
    expect((await said(strange))?.what).toEqual({ kind: 'message', text: '', files: [], addressed: false })
  })

  test('omits files without a URL and more than twenty files', async () => {
    const file = { filename: 'a', size: 1, url: 'https://cdn.discordapp.com/a' }
    const found = await said({ attachments: [{ filename: 'b' }, ...Array.from({ length: 30 }, () => file)] })
    expect(found?.what.kind === 'message' && found.what.files.length).toBe(20)
  })
})

describe('any signed input', () => {
  /** JSON with known field names and arbitrary values. */
  const names = [
    'id',
    'type',
    't',
    'd',
    'events',
    'data',
    'user',
    'member',
    'content',
    'mentions',
    'author',
    'options',
    'name',
    'value',
    'attachments',
    'channel_id',
    'guild_id',
    'token',
    'custom_id',
    'message',
    'edited_timestamp',
    '__proto__',
    'toString',
  ]
  const values = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('1', '123456789012345678', '99999999999999999999', '\ud800', 'MESSAGE_CREATE'),
  )
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      values,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 8 }),
    ),
  }))
  const overlay = fc.dictionary(fc.constantFrom(...names), tree, { maxKeys: 4 })

  test('is read without an error into a valid result', async () => {
    let happened = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('command', 'message', 'raw', 'list'),
        overlay,
        tree,
        async (kind, over, whole) => {
          const bodies = {
            command: { ...command(), ...over, application_id: world.secret.applicationId },
            message: events({ t: 'MESSAGE_CREATE', d: { ...message(), ...over } }),
            raw: whole,
            list: { ...events(), events: whole },
          }
          const text = JSON.stringify(bodies[kind]) ?? ''
          const reading = await read(text, kind === 'message' || kind === 'list' ? handedOn(text) : signed(text))
          if (reading.kind === 'refused') return
          for (const each of reading.inbound) {
            inboundSchema.parse(each)
            happened += 1
          }
        },
      ),
      seeded(20_000, 1000),
    )
    expect(happened).toBeGreaterThan(50)
  })

  test('is read even when it is huge, deep or malformed', async () => {
    const deep = `${'[{"options":'.repeat(20_000)}1${'}]'.repeat(20_000)}`
    const giant = message({ content: 'x'.repeat(2_000_000), author: { id: '1', username: 'u'.repeat(100_000) } })
    for (const text of [
      '',
      '{',
      'null',
      '"text"',
      JSON.stringify(command()).replace(/"options":\[.*?\]/, `"options":${deep}`),
      JSON.stringify(events({ t: 'MESSAGE_CREATE', d: giant })),
    ]) {
      for (const headers of [signed(text), handedOn(text)]) {
        const reading = await read(text, headers)
        if (reading.kind === 'inbound') for (const each of reading.inbound) inboundSchema.parse(each)
      }
    }
  })
})
