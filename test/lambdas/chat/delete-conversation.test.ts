import type { LinkRecord } from '../../../domain/channels/link.ts'
import { newConversation } from '../../../domain/chat/conversation.ts'
import { iso } from '../../../domain/time.ts'
import type { AgentTenant } from '../agent/agent-world.ts'
import { dying } from '../kit/crash-world.ts'
import { type DeletionWorld, openDeletionWorld, step } from './deletion-world.ts'

let world: DeletionWorld
let tenant: AgentTenant
beforeAll(async () => {
  world = await openDeletionWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  tenant = await world.tenant()
})

const person: ReturnType<DeletionWorld['person']> = (...asked) => world.person(tenant)(...asked)
const remove = (id: string) => person('DELETE', `/chat/conversations/${id}`)
const idsIn = async (conversation: string): Promise<string[]> =>
  (await person('GET', `/chat/messages?conversation=${conversation}`)).body.messages.map(({ id }: { id: string }) => id)
const withWord = async (word: string) => (await world.stored()).filter((row) => row.includes(word))

describe('deleteConversation', () => {
  it('leaves nothing that can be read or is stored, and keeps all other conversations', async () => {
    const [gone, kept] = [await world.filled(tenant, 'zanzibar'), await world.filled(tenant, 'lisbon')]
    await world.send(tenant, 'main', 'madeira')
    const [messages, others] = [await idsIn(gone), await idsIn(kept)]
    const before = (await withWord('lisbon')).sort()
    const file = (await person('GET', `/chat/messages?conversation=${gone}`)).body.messages[0].attachments[0].id
    const stored = await world.ports.attachments.find(tenant.userId, file, world.clock.nowMs)
    expect(stored && (await world.ports.attachmentFiles.isStored(stored))).toBe(true)
    const deleted = await remove(gone)
    expect(deleted).toMatchObject({ status: 200, body: { conversation: { id: gone, title: 'zanzibar' } } })
    expect(await world.readable(tenant, gone)).not.toContain('zanzibar')
    expect(await world.readableLater(tenant, messages)).not.toContain('zanzibar')
    expect(await withWord('zanzibar')).toEqual([])
    for (const [method, path] of [
      ['GET', `/chat/messages?conversation=${gone}`],
      ['GET', `/chat/search?text=zanzibar&conversation=${gone}`],
      ['GET', `/chat/attachments/${file}`],
      ['PATCH', `/chat/conversations/${gone}`],
      ['DELETE', `/chat/conversations/${gone}`],
    ] as const)
      expect([path, (await person(method, path, method === 'PATCH' ? { pinned: true } : undefined)).status]).toEqual([
        path,
        404,
      ])
    expect((await world.send(tenant, gone, 'zanzibar')).status).toBe(404)
    expect(stored && (await world.ports.attachmentFiles.isStored(stored))).toBe(false)
    await world.sweep()
    // Keys of the agent's own messages are kept for a day.
    const named = (await world.stored()).filter((row) => row.includes(gone) && !row.includes('once#messages#'))
    expect(named.sort()).toEqual([
      expect.stringContaining('"kind":"forget"'),
      expect.stringContaining('conversation.deleted'),
    ])
    expect((await withWord('lisbon')).sort()).toEqual(before)
    expect(await idsIn(kept)).toEqual(others)
    expect((await person('GET', '/chat/messages')).body.messages).toMatchObject([{ text: 'madeira' }])
  })

  it('sends one event, and leaves one line in the audit trail', async () => {
    const id = await world.start(tenant, 'tides')
    expect((await remove(id)).status).toBe(200)
    const told = (await tenant.events()).filter(({ type }) => type === 'conversation.deleted')
    expect(told.map(({ data }) => data)).toEqual([{ conversationId: id }])
    const { items } = await world.ports.audit.list(tenant.userId, { after: null, limit: 10 })
    expect(items).toMatchObject([{ operation: 'deleteConversation', record: id }])
  })

  it('does not delete the main conversation, or one of another user', async () => {
    expect((await remove('main')).status).toBeGreaterThanOrEqual(400)
    const theirs = await world.start(await world.tenant(), 'theirs')
    expect((await remove(theirs)).status).toBe(404)
    expect(await withWord('theirs')).not.toEqual([])
  })

  it('asks to unlink a chat that writes in it, and deletes it then', async () => {
    const conversation = newConversation({
      id: world.nextId('cnv'),
      title: 'Our trip',
      startedBy: 'user',
      createdAt: iso(world.clock.nowMs),
    })
    const link: LinkRecord = {
      ...{ id: world.nextId('lnk'), userId: tenant.userId, platform: 'telegram', kind: 'group', person: 'Ada' },
      ...{ personId: '7', conversation: conversation.id, home: false, state: 'linked' },
      chat: { platform: 'telegram', id: '-100', kind: 'group', title: 'Our trip' },
      createdAt: conversation.createdAt,
    }
    expect(await world.ports.channelLinks.add(link, null, conversation)).toBe(true)
    const refused = await remove(conversation.id)
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('“Our trip”')])
    expect((await person('GET', `/chat/messages?conversation=${conversation.id}`)).status).toBe(200)
    await world.ports.channelLinks.remove(tenant.userId, link.id)
    expect((await remove(conversation.id)).status).toBe(200)
  })

  it('deletes a long conversation in parts', async () => {
    const id = await world.start(tenant, 'long')
    for (let at = 0; at < 450; at++)
      await world.ports.conversations.say(
        tenant.userId,
        `k${at}`,
        { id: world.nextId('msg'), role: 'agent', text: 'zebra', conversation: id, channel: 'web', at: iso(0) },
        null,
        at * 3_600_000,
      )
    expect((await withWord('zebra')).length).toBe(450)
    await remove(id)
    expect(await withWord('zebra')).toEqual([])
  })
})

describe('a machine whose conversation is deleted', () => {
  it('hears that its prompt is stopped, and can leave nothing in the conversation', async () => {
    const id = await world.start(tenant, 'zanzibar')
    await world.send(tenant, id, 'zanzibar?')
    const prompt = await world.take(tenant)
    await world.observe(tenant, { kind: 'question', key: 'q', promptId: prompt.id, text: 'zanzibar?', answer: 'text' })
    await world.observe(tenant, { kind: 'message', key: 'm', text: 'zanzibar!', conversation: id })
    await remove(id)
    const promptId = prompt.id
    const reports = [
      { kind: 'reply', promptId, text: 'zanzibar' },
      { kind: 'progress', promptId, text: 'zanzibar' },
      { kind: 'draft', promptId, text: 'zanzibar' },
      { kind: 'activity', promptId, activities: [step('zanzibar')] },
      { kind: 'question', key: 'q2', promptId, text: 'zanzibar?', answer: 'text' },
      // Repeated calls would get what was stored first.
      { kind: 'question', key: 'q', promptId, text: 'zanzibar?', answer: 'text' },
      { kind: 'message', key: 'm', text: 'zanzibar!', conversation: id },
      { kind: 'message', key: 'm2', text: 'zanzibar!', conversation: id },
    ]
    for (const report of reports) expect([report, (await world.observe(tenant, report)).status]).toEqual([report, 404])
    expect((await tenant.call(`/agent/context?prompt=${promptId}`)).status).toBe(404)
    const closed = await tenant.call('/agent/feedback', { body: { promptId, outcome: 'completed' } })
    expect([closed.status, await world.take(tenant)]).toEqual([404, null])
    const heard = await world.observe(tenant, { kind: 'heartbeat', busy: true, promptId })
    expect(heard.body).toEqual({ accepted: true, stopped: true })
    expect(await withWord('zanzibar')).toEqual([])
  })

  it('forgets it once, and is not woken for that', async () => {
    const id = await world.start(tenant, 'tides')
    await remove(id)
    expect(await world.ports.tasks.listOpen(tenant.userId)).toEqual([])
    const { task } = (await tenant.call('/agent/prompt?tasks=only')).body
    expect(task?.job).toEqual({ kind: 'forget', conversation: id })
    await world.observe(tenant, { kind: 'task', taskId: task?.id, result: { kind: 'forget' } })
    await world.sweep()
    expect((await tenant.call('/agent/prompt?tasks=only')).body.task).toBeNull()
  })

  it('hears of it after its prompt has ended, which frees a place in the queue', async () => {
    const id = await world.filled(tenant, 'tides')
    await remove(id)
    const { messages, bytes } = await waiting()
    expect([messages, bytes]).toEqual([0, 0])
  })
})

async function waiting(): Promise<{ messages: number; bytes: number }> {
  const row = (await world.stored()).find((each) => each.includes(tenant.userId) && each.includes('"item":"waiting"'))
  return JSON.parse(row?.slice(row.indexOf('{')) ?? '{}')
}

describe('a function that dies while it deletes', () => {
  it('hides the conversation at once, and the outbox erases the rest', async () => {
    for (let writes = 1, died = true; died; writes++) {
      tenant = await world.tenant()
      const word = `quagga${writes}x`
      const id = await world.filled(tenant, word)
      const messages = await idsIn(id)
      died = await dying(writes, () => remove(id))
      // The first writes admit the request.
      if ((await person('GET', `/chat/messages?conversation=${id}`)).status === 200) continue
      expect(await world.readable(tenant, id)).not.toContain(word)
      expect((await person('GET', `/chat/search?text=${word}`)).body.found).toEqual([])
      expect((await world.take(tenant))?.conversation).not.toBe(id)
      if (died) expect((await remove(id)).status).toBe(404)
      await world.sweep()
      expect([writes, await withWord(word)]).toEqual([writes, []])
      expect(await world.readableLater(tenant, messages)).not.toContain(word)
    }
  })

  it('also when the outbox dies at each of its writes', async () => {
    for (let writes = 1, died = true; died; writes++) {
      tenant = await world.tenant()
      const word = `okapi${writes}x`
      const id = await world.filled(tenant, word)
      const { conversations, events, outbox, ids, clock } = world.ports
      const intent = { kind: 'erase-conversation' as const, conversation: id }
      await conversations.remove(
        tenant.userId,
        id,
        events.entry(tenant.userId, 'conversation.deleted', { conversationId: id }),
      )
      await outbox.add([{ userId: tenant.userId, id: ids.next('int'), createdMs: clock.now(), intent }])
      died = await dying(writes, () => world.sweep())
      expect(await world.readable(tenant, id)).not.toContain(word)
      await world.sweep()
      expect([writes, await withWord(word)]).toEqual([writes, []])
    }
  })
})
