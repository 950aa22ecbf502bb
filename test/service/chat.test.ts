import { createHash } from 'node:crypto'
import type { Event } from '../../domain/chat/event.ts'
import { ask, type Caller, call, hostedUser, origin, signIn, status, until, untilState } from './client.ts'

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

let user: Awaited<ReturnType<typeof hostedUser>>
beforeAll(async () => {
  user = await hostedUser(500)
})

/** Reads a user's event stream until `enough` is true, then leaves. */
async function readEvents(
  caller: Caller,
  enough: (events: Event[]) => boolean,
  lastEventId?: string,
): Promise<Event[]> {
  const leave = new AbortController()
  const answer = await fetch(`${origin}/api/events`, {
    headers: { cookie: caller.cookie ?? '', ...(lastEventId && { 'last-event-id': lastEventId }) },
    signal: AbortSignal.any([leave.signal, AbortSignal.timeout(150_000)]),
  })
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  const events: Event[] = []
  let text = ''
  for await (const chunk of answer.body ?? []) {
    text += new TextDecoder().decode(chunk)
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data) events.push(JSON.parse(data))
    }
    if (enough(events)) break
  }
  leave.abort()
  return events
}

describe('sendMessage', () => {
  test('without an agent is a conflict that advises to subscribe', async () => {
    const { status: code, body } = await call('POST', '/chat/messages', { text: 'hi' }, await signIn())
    expect([code, body.error, body.message]).toEqual([409, 'conflict', expect.stringContaining('Subscribe')])
  })

  test.each([{ text: '' }, { text: '   ' }, { text: 'x'.repeat(32_001) }, {}])(
    'refuses an empty or oversized text',
    async (wrong) => {
      const { status: code, body } = await call('POST', '/chat/messages', wrong, await signIn())
      expect([code, Object.keys(body.details)]).toEqual([400, ['text']])
    },
  )

  test('is answered once, in order, also when the message arrives while the instance pauses', async () => {
    const user = await hostedUser(500)
    await call('POST', '/instance/pause', undefined, user)
    const reply = await ask(user, 'are you awake?')
    expect(reply).toMatchObject({ role: 'agent', channel: 'web', text: expect.stringContaining('are you awake?') })
    await untilState(user, 'running')
    const { body } = await call('GET', '/chat/messages', undefined, user)
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'agent'])
  })
})

describe('listMessages', () => {
  test('returns the caller’s own conversation, oldest first, and continues after a message', async () => {
    await ask(user, 'first')
    await ask(user, 'second')
    const all = (await call('GET', '/chat/messages', undefined, user)).body.messages
    expect(all.map(({ role }: { role: string }) => role)).toEqual(['user', 'agent', 'user', 'agent'])
    const after = await call('GET', `/chat/messages?after=${all[1].id}`, undefined, user)
    expect(after.body.messages.map(({ id }: { id: string }) => id)).toEqual([all[2].id, all[3].id])
    expect((await call('GET', '/chat/messages', undefined, await signIn())).body.messages).toEqual([])
    expect((await call('GET', '/chat/messages?after=msg_1', undefined, user)).status).toBe(400)
  })
})

describe('deleteConversation', () => {
  const transcript = async (caller: Caller) =>
    (
      await fetch(`${origin}/api/instance/files/memory/transcript.jsonl`, { headers: { cookie: caller.cookie ?? '' } })
    ).text()
  const say = async (caller: Caller, conversation: string, text: string, attachments: string[] = []) =>
    (await call('POST', '/chat/messages', { conversation, text, attachments }, caller)).body.message.id

  test('deletes messages and files, stops the reply under way, and the machine forgets', async () => {
    const user = await hostedUser(500)
    const { id } = (await call('POST', '/chat/conversations', { title: 'Birds' }, user)).body.conversation
    const bytes = Buffer.from('a pelican')
    const described = { name: 'bird.txt', type: 'text/plain', bytes: bytes.length, sha256: sha256(bytes) }
    const { attachment, upload } = (await call('POST', '/chat/attachments', described, user)).body
    await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: bytes })
    await say(user, id, 'a pelican', [attachment.id])
    const path = `/chat/messages?conversation=${id}`
    const texts = async () => JSON.stringify((await call('GET', path, undefined, user)).body.messages)
    await until('a reply', texts, (seen) => seen.includes('"role":"agent"'))
    await ask(user, 'an otter')
    await until(
      'the transcript',
      () => transcript(user),
      (seen) => seen.includes('pelican'),
    )
    const { url } = (await call('GET', `/chat/attachments/${attachment.id}`, undefined, user)).body
    await say(user, id, '/slow 500 a pelican again')
    await call('DELETE', `/chat/conversations/${id}`, undefined, user)
    expect((await call('GET', path, undefined, user)).status).toBe(404)
    expect((await call('GET', `/chat/attachments/${attachment.id}`, undefined, user)).status).toBe(404)
    expect((await fetch(url)).ok).toBe(false)
    expect((await call('DELETE', `/chat/conversations/${id}`, undefined, user)).status).toBe(404)
    await until(
      'the machine',
      () => transcript(user),
      (seen) => !seen.includes('pelican'),
    )
    expect(await transcript(user)).toContain('otter')
    expect(await ask(user, 'a heron')).toMatchObject({ text: expect.stringContaining('a heron') })
    expect(await transcript(user)).not.toContain('pelican')
  })
})

describe('streamEvents', () => {
  test('reports events in order, to this user only, and resumes after an id', async () => {
    // A user gets no notice of a charge that follows another at once.
    const [user, other] = [await hostedUser(500), await hostedUser(500)]
    const seen = readEvents(user, (events) => events.some(({ type }) => type === 'message.sent'))
    const foreign = readEvents(other, (events) => events.some(({ type }) => type === 'message.sent'))
    await ask(user, 'mine')
    const mine = await seen
    await ask(other, 'theirs')
    expect(JSON.stringify(await foreign)).not.toContain('mine')
    expect(mine.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['message.received', 'wallet.charged', 'message.sent']),
    )
    const first = mine.find(({ type }) => type === 'message.received')
    const again = await readEvents(user, (events) => events.some(({ type }) => type === 'message.sent'), first?.id)
    expect(again.map(({ id }) => id)).not.toContain(first?.id)
    expect(again.map(({ id }) => id)).toEqual([...again.map(({ id }) => id)].sort())
  })

  test('is refused without a sign-in', async () => {
    const answer = await call('GET', '/events')
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized'])
  })
})

describe('proxyModelCall', () => {
  test('is for the machine only', async () => {
    const user = await signIn()
    const body = { model: 'local/echo', messages: [{ role: 'user', content: 'hi' }] }
    expect((await call('POST', '/llm/proxy', body, user)).status).toBe(401)
    const { plaintext } = (await call('POST', '/tokens', { name: 't' }, user)).body
    expect((await call('POST', '/llm/proxy', body, { bearer: plaintext })).status).toBe(401)
  })

  test('leaves no hold in the wallet after any charge', async () => {
    await ask(user, 'one')
    const { wallet } = await until(
      'the settlement',
      () => status(user),
      (seen) => seen.wallet.heldMicros === 0,
    )
    expect(wallet.balanceMicros).toBeLessThan(7_000_000)
  })
})
