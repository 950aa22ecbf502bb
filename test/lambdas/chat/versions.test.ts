import type { Message } from '../../../domain/chat/message.ts'
import { promptIdOf } from '../../../domain/chat/names.ts'
import { chatArea } from '../../../lambdas/chat/index.ts'
import { type AgentTenant, type AgentWorld, openAgentWorld } from '../agent/agent-world.ts'

let world: AgentWorld
let tenant: AgentTenant
beforeAll(async () => {
  world = await openAgentWorld([chatArea])
})
afterAll(() => world.close())
beforeEach(async () => {
  tenant = await world.tenant()
})

const person = (method: 'GET' | 'POST', path: string, body?: object) => world.person(method, path, tenant.userId, body)
async function send(text: string, more: object = {}): Promise<Message> {
  world.clock.nowMs += 1_000
  const { status, body } = await person('POST', '/chat/messages', { text, ...more })
  expect([status, body.message?.text]).toEqual([202, text])
  return body.message
}
const refused = async (more: object) => (await person('POST', '/chat/messages', { text: 'Again', ...more })).body
const close = (messageId: string, outcome: string) =>
  tenant.call('/agent/feedback', { body: { promptId: promptIdOf(messageId), outcome } })
const textsOf = (messages: readonly Message[]) => messages.map(({ text }) => text)

/** Takes the next prompt, answers it, and returns the texts of its history. */
async function answer(text = 'Fine.'): Promise<string[]> {
  world.clock.nowMs += 1_000
  const { prompt } = (await tenant.call('/agent/prompt')).body
  const { history } = (await tenant.call(`/agent/context?prompt=${prompt.id}`)).body
  await tenant.call('/agent/observe', { body: { kind: 'reply', promptId: prompt.id, text } })
  await close(prompt.messageId, 'completed')
  return textsOf(history)
}
const page = async (query = '') => (await person('GET', `/chat/messages${query}`)).body

describe('sendMessage: replaces', () => {
  it('gives the agent the conversation before the replaced message, also over several versions', async () => {
    await send('one')
    await answer('a')
    const two = await send('two')
    expect(await answer('b')).toEqual(['one', 'a'])
    await send('three')
    expect(await answer('c')).toEqual(['one', 'a', 'two', 'b'])
    const second = await send('two again', { replaces: two.id })
    expect(second.replaces).toBe(two.id)
    expect(await answer('d')).toEqual(['one', 'a'])
    await send('four')
    expect(await answer('e')).toEqual(['one', 'a', 'two again', 'd'])
    const third = await send('two at last', { replaces: second.id })
    expect(third.replaces).toBe(two.id)
    expect(await answer('f')).toEqual(['one', 'a'])
    expect(textsOf((await page()).messages)).toHaveLength(12)
  })

  it('finds what was said before a message that was replaced long after it', async () => {
    await send('Remember the tide.')
    await answer('I do.')
    const two = await send('When is it?')
    await answer('At noon.')
    for (let i = 0; i < 45; i++) {
      const { promptId } = await tenant.say(`more ${i}`)
      await world.ports.conversations.close(tenant.userId, promptId, 'completed')
    }
    await send('When was it?', { replaces: two.id })
    const { prompt } = (await tenant.call('/agent/prompt')).body
    const { history, replaced } = (await tenant.call(`/agent/context?prompt=${prompt.id}`)).body
    expect(textsOf(history)).toEqual(['Remember the tide.', 'I do.'])
    expect(replaced).toEqual([{ from: two.id, before: prompt.messageId }])
  })

  it('refuses a message that is unknown, of the agent, or of another conversation', async () => {
    const { id } = await send('one')
    await answer()
    const reply = (await page()).messages.at(-1)
    expect(await refused({ replaces: 'msg_00000000000000000000000000' })).toMatchObject({ error: 'not-found' })
    const { conversation } = (await person('POST', '/chat/conversations', {})).body
    expect(await refused({ replaces: id, conversation: conversation.id })).toMatchObject({ error: 'not-found' })
    expect(await refused({ replaces: reply.id })).toMatchObject({
      error: 'validation',
      details: { replaces: [expect.any(String)] },
    })
    expect(await refused({ replaces: 'x' })).toMatchObject({ error: 'validation' })
  })

  it('refuses what would leave out messages of another chat platform', async () => {
    const { id } = await send('one')
    const { conversations } = world.ports
    world.clock.nowMs += 1_000
    const at = new Date(world.clock.nowMs).toISOString()
    const said = { role: 'user', text: 'on the way', conversation: 'main', channel: 'telegram', at } as const
    const there = world.ports.ids.next('msg')
    await conversations.receive(tenant.userId, { ...said, id: there }, 'chat')
    for (const replaces of [id, there])
      expect(await refused({ replaces })).toMatchObject({ error: 'conflict', message: /platform/ })
    const later = await send('two')
    expect((await send('two again', { replaces: later.id })).replaces).toBe(later.id)
  })

  it('refuses an agent that keeps its own memory of a conversation', async () => {
    const { id } = await send('one')
    await world.ports.instances.setRuntime(tenant.userId, 'pi')
    expect(await refused({ replaces: id })).toMatchObject({ error: 'conflict', message: /^pi keeps its own memory/ })
  })
})

describe('listMessages', () => {
  it('shows how a message without a reply ended, and that a reply was stopped', async () => {
    const waiting = await send('one')
    await person('POST', `/chat/messages/${waiting.id}/stop`, {})
    const two = await send('two')
    await tenant.call('/agent/prompt')
    await person('POST', `/chat/messages/${two.id}/stop`, {})
    const begun = { kind: 'reply', promptId: promptIdOf(two.id), text: 'It beg' }
    await tenant.call('/agent/observe', { body: begun })
    await close(two.id, 'stopped')
    const three = await send('three')
    await tenant.call('/agent/prompt')
    await close(three.id, 'failed')
    await send('four')
    await answer('Yes.')
    const { messages } = await page()
    expect(messages.map(({ text, outcome }: Message) => [text, outcome])).toEqual([
      ['one', 'stopped'],
      ['two', undefined],
      ['It beg', 'stopped'],
      ['three', 'failed'],
      ['four', undefined],
      ['Yes.', undefined],
    ])
  })

  it('keeps questions and answers in their place, on each page', async () => {
    const ask = (key: string, promptId: string) => {
      world.clock.nowMs += 1_000
      const question = { kind: 'question', key, promptId, text: `${key}?`, answer: 'approve', expiresInSeconds: 30 }
      return tenant.call('/agent/observe', { body: question })
    }
    const one = await send('one')
    await tenant.call('/agent/prompt')
    const { id } = (await ask('yes', promptIdOf(one.id))).body.question
    await person('POST', `/chat/questions/${id}/answer`, { answer: { approved: true } })
    await ask('later', promptIdOf(one.id))
    world.clock.nowMs += 31_000
    await close(one.id, 'completed')
    const two = await send('two')
    await answer()
    const { conversation } = (await person('POST', '/chat/conversations', {})).body
    const three = await send('three', { conversation: conversation.id })
    await tenant.call('/agent/prompt')
    await ask('elsewhere', promptIdOf(three.id))
    world.clock.nowMs += 8 * 24 * 3_600_000

    const asked = async (query: string) =>
      (await page(query)).asked.map(({ text, state, given }: Record<string, unknown>) => [text, state, given])
    const both = [
      ['yes?', 'answered', { approved: true }],
      ['later?', 'expired', null],
    ]
    expect(await asked('')).toEqual(both)
    expect(await asked('?limit=2')).toEqual([])
    expect(await asked(`?limit=2&before=${two.id}`)).toEqual(both)
    expect(await asked(`?limit=1&after=${one.id}`)).toEqual(both)
    expect(await asked(`?conversation=${conversation.id}`)).toEqual([['elsewhere?', 'expired', null]])
  })
})
