import { createHash } from 'node:crypto'
import { keepAttachment } from '../../../app/chat/attachments.ts'
import { receiveMessage } from '../../../app/chat/receive-message.ts'
import { dayBytes, dayFiles, keptMs, unusedMs } from '../../../domain/chat/attachment.ts'
import { maxAttachmentBytes } from '../../../domain/chat/attachment-limits.ts'
import type { Message } from '../../../domain/chat/message.ts'
import { attachmentKey, foldersOf } from '../../../domain/files/storage.ts'
import { dayMs, secondMs } from '../../../domain/time.ts'
import { chatArea } from '../../../lambdas/chat/index.ts'
import { type AgentTenant, type AgentWorld, openAgentWorld, type Reply } from '../agent/agent-world.ts'

let world: AgentWorld
let tenant: AgentTenant
beforeAll(async () => {
  // Presigned URLs follow the clock of the signing process.
  world = await openAgentWorld([chatArea])
})
afterAll(() => world.close())
beforeEach(async () => {
  world.clock.nowMs = Date.now()
  tenant = await world.tenant()
})

const png = Buffer.from('89504e470d0a1a0a00', 'hex')
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const described = (bytes: Uint8Array = png, more: object = {}) => ({
  name: 'tides.png',
  type: 'image/png',
  bytes: bytes.length,
  sha256: sha256(bytes),
  ...more,
})
const ask = (given: object, of = tenant) => world.person('POST', '/chat/attachments', of.userId, given)
const askAgent = (given: object, of = tenant) => of.call('/agent/attachments', { body: given })
const put = ({ url, headers }: { url: string; headers: Record<string, string> }, bytes: Uint8Array) =>
  fetch(url, { method: 'PUT', body: new Uint8Array(bytes), headers })

/** A stored attachment that waits for its message. */
async function uploaded(
  more: object = {},
  of = tenant,
  by: (given: object, of: AgentTenant) => Promise<Reply> = ask,
): Promise<string> {
  const { attachment, upload } = (await by(described(png, more), of)).body
  expect((await put(upload, png)).status).toBe(200)
  return attachment.id
}
const send = (attachments: string[], of = tenant, text = 'What is this?') =>
  world.person('POST', '/chat/messages', of.userId, { text, attachments })
const read = async (of = tenant): Promise<Message[]> =>
  (await world.person('GET', '/chat/messages', of.userId)).body.messages
const where = (id: string, of = tenant) => world.person('GET', `/chat/attachments/${id}`, of.userId)
const shown = (id: string) => ({ id, name: 'tides.png', type: 'image/png', bytes: png.length })

describe('createAttachment', () => {
  it('accepts exactly the announced bytes', async () => {
    const { status, body } = await ask(described())
    expect(status).toBe(201)
    const longer = Buffer.concat([png, png])
    const other = Buffer.from(png).fill(1, 0, 1)
    expect((await put(body.upload, longer)).status).toBe(403)
    expect((await put(body.upload, other)).status).toBe(400)
    expect((await put({ ...body.upload, headers: {} }, png)).status).toBe(403)
    expect((await put(body.upload, png)).status).toBe(200)
  })

  it.each([
    [{ name: '../../etc/passwd' }, /name alone/],
    [{ name: 'a\\b' }, /name alone/],
    [{ name: '..' }, /name alone/],
    [{ name: 'a\u202egnp.exe' }, /name alone/],
    [{ name: 'x'.repeat(201) }, /at most 200/],
    [{ type: 'IMAGE/PNG' }, /media type/],
    [{ type: 'text/html; charset=utf-8' }, /media type/],
    [{ bytes: 0 }, /empty/],
    [{ bytes: maxAttachmentBytes + 1 }, /20 MB at most/],
    [{ sha256: 'abc' }, /SHA-256/],
    [{ role: 'agent' }, /no such field/],
  ])('rejects %j', async (more, message) => {
    const { status, body } = await ask(described(png, more))
    expect([status, body.error]).toEqual([400, 'validation'])
    expect(JSON.stringify(body.details)).toMatch(message)
  })

  it('limits files and bytes per day, for a user and their agent together', async () => {
    const most = dayBytes(5)
    const large = { bytes: maxAttachmentBytes }
    expect((await ask(described(png, large))).status).toBe(201)
    expect((await askAgent(described(png, large))).status).toBe(200)
    const rest = most - 2 * maxAttachmentBytes
    const tooMuch = await ask(described(png, { bytes: rest + 1 }))
    expect([tooMuch.status, tooMuch.body.error]).toEqual([429, 'rate-limited'])
    expect(tooMuch.body.retryAfterSeconds).toBe(Math.ceil((dayMs - (world.clock.nowMs % dayMs)) / 1000))
    expect((await ask(described(png, { bytes: rest }))).status).toBe(201)
    expect((await ask(described(png, { bytes: 1 }))).status).toBe(429)
    // Other users are not affected, and the limit resets the next day.
    expect((await ask(described(), await world.tenant())).status).toBe(201)
    world.clock.nowMs += dayMs
    expect((await ask(described())).status).toBe(201)
    const many = await world.tenant()
    for (let made = 0; made < dayFiles; made++) {
      world.clock.nowMs += 3_000
      expect((await ask(described(), many)).status).toBe(201)
    }
    expect((await ask(described(), many)).status).toBe(429)
  })

  it('requires an agent', async () => {
    const userId = world.newUserId()
    expect((await world.person('POST', '/chat/attachments', userId, described())).status).toBe(409)
  })
})

describe('sendMessage with attachments', () => {
  it('stores them with the message, sends readers their metadata, and gives the machine a URL', async () => {
    const id = await uploaded()
    const { status, body } = await send([id])
    expect([status, body.message.attachments]).toEqual([202, [shown(id)]])
    expect((await read()).at(-1)?.attachments).toEqual([shown(id)])
    const [told] = (await tenant.events()).filter(({ type }) => type === 'message.received')
    expect(told?.data.message).toMatchObject({ attachments: [shown(id)] })
    expect(JSON.stringify(told)).not.toMatch(/Signature|sha256/)
    const { prompt } = (await tenant.call('/agent/prompt')).body
    expect(prompt.attachments).toEqual([{ ...shown(id), sha256: sha256(png), url: expect.stringContaining(id) }])
    const fetched = await fetch(prompt.attachments?.[0]?.url ?? '')
    expect(Buffer.from(await fetched.arrayBuffer())).toEqual(png)
    const { body: context } = await tenant.call(`/agent/context?prompt=${prompt.id}`)
    expect(context.prompt.attachments?.[0]).toMatchObject({ id, url: expect.stringContaining('Signature') })
    expect(context.history.concat()).toEqual([])
  })

  it('requires text or attachments', async () => {
    expect((await send([await uploaded()], tenant, '')).status).toBe(202)
    const { status, body } = await send([], tenant, ' ')
    expect([status, body.details.text]).toEqual([400, ['Send words, or attachments.']])
  })

  it('names a conversation that begins without text after the file', async () => {
    const { conversation } = (await world.person('POST', '/chat/conversations', tenant.userId, {})).body
    const body = { text: '', conversation: conversation.id, attachments: [await uploaded()] }
    expect((await world.person('POST', '/chat/messages', tenant.userId, body)).status).toBe(202)
    const { conversations } = (await world.person('GET', '/chat/conversations', tenant.userId)).body
    expect(conversations).toMatchObject([{ id: conversation.id, title: 'tides.png' }])
    const nobodys = { ...body, conversation: `cnv_${'0'.repeat(26)}`, attachments: [await uploaded()] }
    const refused = await world.person('POST', '/chat/messages', tenant.userId, nobodys)
    expect([refused.status, refused.body.message]).toEqual([404, expect.stringContaining('conversation')])
  })

  it('uses each once, also for two concurrent messages', async () => {
    const id = await uploaded()
    const both = await Promise.all([send([id]), send([id])])
    expect(both.map(({ status }) => status).sort()).toEqual([202, 409])
    const again = await send([id, await uploaded()])
    expect([again.status, again.body.message]).toEqual([409, expect.stringContaining('another message')])
    // The rejected messages stored nothing.
    expect(await read()).toHaveLength(1)
    expect((await tenant.call('/agent/prompt')).body.prompt).not.toBeNull()
    expect((await tenant.call('/agent/prompt')).body.prompt).toBeNull()
  })

  it.each<[string, (id: string) => Promise<string>]>([
    ['another user’s attachment', async () => uploaded({}, await world.tenant())],
    ['the agent’s own attachment', async () => uploaded({}, tenant, askAgent)],
    ['an unknown id', async () => 'att_01KAHB2N3P4Q5R6S7T8V9WXYZ0'],
  ])('rejects %s like an unknown attachment', async (_, make) => {
    const { status, body } = await send([await make('')])
    expect([status, body.message]).toEqual([404, 'There is no such attachment. Check the id.'])
    expect(await read()).toEqual([])
  })

  it('rejects an attachment that is missing, of another size, or without its checksum', async () => {
    const { attachment } = (await ask(described())).body
    const refused = await send([attachment.id])
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('tides.png was not uploaded')])
    const key = attachmentKey(tenant.instance.id, attachment.id)
    const { storage } = world.ports
    await fetch(await storage.putAddress(key, png.length), { method: 'PUT', body: png })
    expect((await send([attachment.id])).status).toBe(409)
    const longer = Buffer.concat([png, png])
    const headers = { 'x-amz-checksum-sha256': createHash('sha256').update(longer).digest('base64') }
    const url = await storage.putAddress(key, longer.length, sha256(longer))
    await fetch(url, { method: 'PUT', body: longer, headers })
    expect((await send([attachment.id])).status).toBe(409)
    expect(await read()).toEqual([])
  })

  it('accepts ten, each named once, within a day', async () => {
    const id = await uploaded()
    expect((await send([id, id])).body.details.attachments).toEqual(['Name each attachment once.'])
    const eleven = Array.from({ length: 11 }, (_, i) => `att_01KAHB2N3P4Q5R6S7T8V9WXY${i + 10}`)
    expect((await send(eleven)).status).toBe(400)
    const ten = [id]
    for (let made = 1; made < 10; made++) ten.push(await uploaded())
    expect((await send(ten)).status).toBe(202)
    const late = await uploaded()
    world.clock.nowMs += unusedMs
    expect((await send([late])).status).toBe(404)
  })

  it('keeps them for a machine that slept for weeks', async () => {
    await send([await uploaded()])
    world.clock.nowMs += keptMs - dayMs
    const { prompt } = (await tenant.call('/agent/prompt')).body
    expect((await fetch(prompt.attachments?.[0]?.url ?? '')).status).toBe(200)
  })
})

describe('getAttachment', () => {
  it('returns a URL on another host, only to the owner, while the bytes are stored', async () => {
    const id = await uploaded()
    await send([id])
    const { status, body } = await where(id)
    expect([status, body.attachment]).toEqual([200, shown(id)])
    expect(body.url).not.toContain(new URL(world.env.settings().publicOrigin).host)
    expect((await where(id, await world.tenant())).status).toBe(404)
    world.clock.nowMs += keptMs + secondMs
    expect((await where(id)).status).toBe(404)
  })

  it.each([
    ['image/png', 'image/png', 'inline'],
    ['image/svg+xml', 'application/octet-stream', 'attachment'],
    ['text/html', 'application/octet-stream', 'attachment'],
    ['application/pdf', 'application/octet-stream', 'attachment'],
  ])('%s is served as %s', async (type, served, disposition) => {
    const { body } = await where(await uploaded({ type, name: 'a "b".html' }))
    const { headers } = await fetch(body.url)
    expect(headers.get('content-type')).toBe(served)
    expect(headers.get('content-disposition')).toBe(
      `${disposition}; filename="a _b_.html"; filename*=UTF-8''a%20%22b%22.html`,
    )
  })
})

describe('createAgentAttachment', () => {
  const answer = async (text = 'What is the tide?') => {
    const { promptId } = await tenant.say(text)
    await tenant.call('/agent/prompt')
    return promptId
  }
  const observe = (body: object, of = tenant) => of.call('/agent/observe', { body })

  it('adds a file to a reply, in the same write', async () => {
    const promptId = await answer()
    const id = await uploaded({}, tenant, askAgent)
    const reply = { kind: 'reply', promptId, text: 'Here.', attachments: [id] }
    const first = await observe(reply)
    expect([first.status, first.body.message.attachments]).toEqual([200, [shown(id)]])
    // A machine that lost the response repeats the report, with the same file or with a new upload.
    expect((await observe(reply)).body.message).toEqual(first.body.message)
    const anew = await observe({ ...reply, attachments: [await uploaded({}, tenant, askAgent)] })
    expect(anew.body.message).toEqual(first.body.message)
    expect((await read()).at(-1)?.attachments).toEqual([shown(id)])
    expect((await where(id)).status).toBe(200)
    const sent = (await tenant.events()).filter(({ type }) => type === 'message.sent')
    expect(sent[0]?.data.message).toMatchObject({ attachments: [shown(id)] })
  })

  it('adds a file to an unprompted message, once', async () => {
    const id = await uploaded({}, tenant, askAgent)
    const said = { kind: 'message', key: 'a', text: 'Done.', attachments: [id] }
    const first = await observe(said)
    expect(first.body.message.attachments).toEqual([shown(id)])
    expect((await observe(said)).body.message).toEqual(first.body.message)
    expect((await observe({ ...said, key: 'b' })).status).toBe(409)
    expect(await read()).toHaveLength(1)
  })

  it('leaves the prompt unanswered when a file is missing, used, or another user’s', async () => {
    const promptId = await answer()
    const reply = (id: string) => observe({ kind: 'reply', promptId, text: 'Here.', attachments: [id] })
    const used = await uploaded({}, tenant, askAgent)
    await observe({ kind: 'message', key: 'a', text: 'Done.', attachments: [used] })
    const { attachment } = (await askAgent(described())).body
    expect((await reply(used)).status).toBe(409)
    expect((await reply(attachment.id)).status).toBe(409)
    expect((await reply(await uploaded({}, await world.tenant(), askAgent))).status).toBe(404)
    // A person's upload can only be part of that person's message.
    expect((await reply(await uploaded())).status).toBe(404)
    expect((await read()).filter(({ inReplyTo }) => inReplyTo)).toEqual([])
    expect((await reply(await uploaded({}, tenant, askAgent))).status).toBe(200)
  })

  it('rejects a superseded machine', async () => {
    await tenant.nextGeneration()
    const { status } = await tenant.call('/agent/attachments', { body: described(), generation: 1 })
    expect(status).toBe(401)
  })
})

describe('keepAttachment', () => {
  it('stores a file that came with a channel’s message', async () => {
    const { ports, clock } = world
    const file = { name: 'voice.ogg', type: 'audio/ogg', content: new Uint8Array(png) }
    const { id } = await keepAttachment(ports, tenant.userId, file, clock.nowMs)
    const said = { text: '', conversation: 'main', channel: 'telegram', attachments: [id] } as const
    const { message } = await receiveMessage(ports, tenant.userId, said, clock.nowMs)
    expect(message.attachments).toEqual([{ id, name: 'voice.ogg', type: 'audio/ogg', bytes: png.length }])
    const { prompt } = (await tenant.call('/agent/prompt')).body
    expect((await fetch(prompt.attachments?.[0]?.url ?? '')).status).toBe(200)
    const folder = { ...file, name: 'a/b' }
    await expect(keepAttachment(ports, tenant.userId, folder, clock.nowMs)).rejects.toThrow(/name alone/)
  })
})

test('the attachments of an instance are deleted with it', async () => {
  const id = await uploaded()
  const key = attachmentKey(tenant.instance.id, id)
  expect(foldersOf(tenant.instance.id).some((folder) => key.startsWith(folder))).toBe(true)
})
