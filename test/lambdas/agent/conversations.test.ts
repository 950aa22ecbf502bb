import type { Conversation } from '../../../domain/chat/conversation.ts'
import type { Message } from '../../../domain/chat/message.ts'
import { chatArea } from '../../../lambdas/chat/index.ts'
import { type AgentTenant, type AgentWorld, openAgentWorld } from './agent-world.ts'

let world: AgentWorld
let tenant: AgentTenant
beforeAll(async () => {
  world = await openAgentWorld([chatArea])
  await world.cloud.cloud.putSecret(
    'providers',
    JSON.stringify({ local: { kind: 'openai', baseUrl: 'http://127.0.0.1:1', apiKey: 'k' } }),
  )
})
afterAll(() => world.close())
beforeEach(async () => {
  tenant = await world.tenant()
})

const person = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object, of = tenant) =>
  world.person(method, path, of.userId, body)
const start = async (body: object = {}) => (await person('POST', '/chat/conversations', body)).body.conversation.id
const send = (text: string, conversation?: string) => person('POST', '/chat/messages', { text, conversation })
const textsIn = async (conversation: string) =>
  (await person('GET', `/chat/messages?conversation=${conversation}`)).body.messages.map(({ text }: Message) => text)
const observe = (body: object) => tenant.call('/agent/observe', { body })
const take = async () => (await tenant.call('/agent/prompt')).body.prompt
const changes = async () =>
  (await tenant.events())
    .filter(({ type }) => type === 'conversation.changed')
    .map(({ data }) => data.conversation as Conversation)

describe('createConversation', () => {
  it('starts one next to the main conversation, each with its own history and order', async () => {
    const tides = await start()
    await send('here')
    await send('there', tides)
    await send('here again')
    const [first, second] = [await take(), await take()]
    expect([first.conversation, second.conversation, await take()]).toEqual(['main', tides, null])
    await observe({ kind: 'reply', promptId: second.id, text: 'answer there' })
    await tenant.call('/agent/feedback', { body: { promptId: second.id, outcome: 'completed' } })
    expect(await textsIn(tides)).toEqual(['there', 'answer there'])
    await send('and more there', tides)
    const { id } = await take()
    const { history } = (await tenant.call(`/agent/context?prompt=${id}`)).body
    expect(history.map(({ text, conversation }) => [text, conversation])).toEqual([
      ['there', tides],
      ['answer there', tides],
    ])
    expect((await tenant.call(`/agent/context?prompt=${first.id}`)).body.history).toEqual([])
    expect(await textsIn('main')).toEqual(['here', 'here again'])
  })
})

describe('updateConversation', () => {
  it('names a conversation and archives it until the next message', async () => {
    const id = await start()
    expect((await person('PATCH', `/chat/conversations/${id}`, {})).status).toBe(400)
    expect((await person('PATCH', `/chat/conversations/main`, { title: 'x' })).status).toBe(400)
    await send('When is the tide?', id)
    const pinned = await person('PATCH', `/chat/conversations/${id}`, { pinned: true })
    expect(pinned.body.conversation).toMatchObject({ id, pinned: true, title: 'When is the tide?' })
    const renamed = await person('PATCH', `/chat/conversations/${id}`, { title: ' Tides ', archived: true })
    expect(renamed.body.conversation).toMatchObject({
      id,
      title: 'Tides',
      archived: true,
      pinned: true,
      startedBy: 'user',
    })
    await send('And tomorrow?', id)
    const { conversations } = (await person('GET', '/chat/conversations')).body
    expect(conversations).toMatchObject([{ id, title: 'Tides', archived: false }])
    expect((await changes()).map(({ title, archived }) => [title, archived])).toEqual([
      [null, false],
      ['When is the tide?', false],
      ['Tides', true],
    ])
  })
})

describe('the model of a conversation', () => {
  const modelFor = async (conversation: string) => {
    await send('Hello', conversation)
    const { id } = await take()
    const { model } = (await tenant.call(`/agent/context?prompt=${id}`)).body
    await tenant.call('/agent/feedback', { body: { promptId: id, outcome: 'completed' } })
    return model
  }

  it('is the chosen one, and otherwise the default of the instance', async () => {
    const id = await start()
    const usual = (await world.ports.instances.find(tenant.userId))?.model
    expect([await modelFor(id), await modelFor('main')]).toEqual([usual, usual])
    const chosen = await person('PATCH', `/chat/conversations/${id}`, { model: 'local/echo' })
    expect(chosen.body.conversation.model).toBe('local/echo')
    expect([await modelFor(id), await modelFor('main')]).toEqual(['local/echo', usual])
    const main = await person('PATCH', '/chat/conversations/main', { model: 'local/echo' })
    expect(main.body).toEqual({ main: { unread: false, model: 'local/echo' } })
    expect((await person('GET', '/chat/conversations')).body.main).toEqual(main.body.main)
    await person('PATCH', `/chat/conversations/${id}`, { model: null })
    expect([await modelFor(id), await modelFor('main')]).toEqual([usual, 'local/echo'])
  })

  it.each(['', 'none/such', 'local/echo-embedding', 'default'])('cannot be %j', async (model) => {
    for (const id of ['main', await start()])
      expect((await person('PATCH', `/chat/conversations/${id}`, { model })).body.error).toBe('validation')
  })

  it('falls back to the default after its removal', async () => {
    const id = await start()
    await world.ports.conversations.change(tenant.userId, id, { model: 'none/such' })
    expect(await modelFor(id)).toBe((await world.ports.instances.find(tenant.userId))?.model)
  })
})

describe('updateMainConversation and updateConversation', () => {
  const marks = async () => {
    const { conversations, main } = (await person('GET', '/chat/conversations')).body
    return [main.unread, ...conversations.map(({ unread }: Conversation) => unread)]
  }
  const say = (key: string, conversation?: string) => observe({ kind: 'message', key, text: 'x', conversation })
  beforeEach(() => {
    world.clock.nowMs += 1_000
  })

  it('marks a conversation after a message of the agent until its user opens it or writes', async () => {
    const id = await start()
    expect(await marks()).toEqual([false, false])
    await say('a', id)
    expect(await marks()).toEqual([false, true])
    const before = (await changes()).length
    expect((await person('PATCH', `/chat/conversations/${id}`, { unread: false })).body.conversation.unread).toBe(false)
    expect((await changes()).length).toBe(before)
    expect(await marks()).toEqual([false, false])
    await say('b', id)
    await send('I see', id)
    expect(await marks()).toEqual([false, false])
    await observe({ kind: 'message', key: 'c', text: 'x', startConversation: { title: 'Tides' } })
    expect(await marks()).toEqual([false, true, false])
  })

  it('marks the main conversation likewise', async () => {
    const mark = async (unread: boolean) =>
      (await person('PATCH', '/chat/conversations/main', { unread })).body.main.unread
    await say('a')
    // Nothing is known of earlier reading.
    expect(await marks()).toEqual([false])
    expect([await mark(true), await mark(false)]).toEqual([true, false])
    world.clock.nowMs += 1
    await say('b')
    expect(await marks()).toEqual([true])
    world.clock.nowMs += 1
    await send('Thanks')
    expect(await marks()).toEqual([false])
  })
})

describe('listConversations', () => {
  it('lists conversations by page, latest start first, and only to their user', async () => {
    const ids = [await start({ title: 'a' }), await start({ title: 'b' }), await start({ title: 'c' })]
    const list = (query: string, of = tenant) => person('GET', `/chat/conversations?${query}`, undefined, of)
    const { conversations, nextCursor } = (await list('limit=2')).body
    expect(conversations.map(({ id }: Conversation) => id)).toEqual([ids[2], ids[1]])
    const rest = (await list(`limit=2&cursor=${nextCursor}`)).body
    expect([rest.conversations.map(({ id }: Conversation) => id), rest.nextCursor]).toEqual([[ids[0]], null])
    expect((await list('', await world.tenant())).body).toEqual({
      conversations: [],
      main: { unread: false, model: null },
      nextCursor: null,
    })
  })
})

describe('observeAgent: message', () => {
  it('starts a conversation once, which its user can continue', async () => {
    const said = { kind: 'message', key: 'k', text: 'Low water at six.', startConversation: { title: 'Tides' } }
    const [first, again] = [await observe(said), await observe(said)]
    expect(again.body.message).toEqual(first.body.message)
    const { conversation } = first.body.message
    const { conversations } = (await person('GET', '/chat/conversations')).body
    expect(conversations).toMatchObject([{ id: conversation, title: 'Tides', startedBy: 'agent' }])
    expect(await changes()).toEqual(conversations)
    expect([await textsIn('main'), await textsIn(conversation)]).toEqual([[], ['Low water at six.']])
    expect((await send('Thanks', conversation)).status).toBe(202)
    expect(await take()).toMatchObject({ conversation, text: 'Thanks' })
    await observe({ kind: 'message', key: 'l', text: 'And high at noon.', conversation })
    expect(await textsIn(conversation)).toEqual(['Low water at six.', 'Thanks', 'And high at noon.'])
  })

  it('rejects both an existing and a new conversation at once, and an unknown one', async () => {
    const said = { kind: 'message', key: 'k', text: 'x' }
    const both = await observe({ ...said, conversation: 'main', startConversation: { title: 'y' } })
    expect(both).toMatchObject({ status: 400, body: { details: { startConversation: [expect.any(String)] } } })
    expect((await observe({ ...said, conversation: `cnv_${'0'.repeat(26)}` })).status).toBe(404)
    expect((await observe({ ...said, conversation: 'telegram' })).status).toBe(400)
  })
})
