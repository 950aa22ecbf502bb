import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import type { Scope } from '../../../domain/scopes.ts'
import { untilRevoked } from '../../../lambdas/kit/stream-lease.ts'
import { until } from '../../service/client.ts'
import { type McpTenant, type McpWorld, openMcpWorld, rpc } from './mcp-world.ts'

let world: McpWorld
let me: McpTenant
let other: McpTenant

beforeAll(async () => {
  world = await openMcpWorld()
})
beforeEach(async () => {
  ;[me, other] = [await world.tenant(), await world.tenant()]
})
afterAll(() => world.close())

interface Notice {
  id: string | undefined
  message: { method: string; params: { uri: string } }
}

/** Reads notifications from a stream until the test leaves it. */
async function listen(who: McpTenant, headers: Record<string, string> = {}, scopes: Scope[] = ['mcp:*']) {
  const leave = new AbortController()
  const answer = await fetch(`${world.url}/mcp`, {
    headers: { authorization: `Bearer ${await who.mint(scopes)}`, accept: 'text/event-stream', ...headers },
    signal: leave.signal,
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const notices: Notice[] = []
  let text = ''
  const reading = (async () => {
    for await (const part of answer.body ?? []) {
      text += Buffer.from(part).toString()
      notices.splice(0, notices.length, ...noticesIn(text))
    }
  })().catch(() => {})
  return {
    notices,
    text: () => text,
    async leave() {
      leave.abort()
      await reading
    },
  }
}

const noticesIn = (text: string): Notice[] =>
  text.split('\n\n').flatMap((block) => {
    const data = /^data: (.*)$/m.exec(block)?.[1]
    return data ? [{ id: /^id: (.*)$/m.exec(block)?.[1], message: JSON.parse(data) }] : []
  })

const happen = async (who: McpTenant) => {
  const { record } = world.ports.events
  await record(who.userId, 'wallet.credited', { amountMicros: 1 })
  await record(who.userId, 'message.received', { text: 'private' })
  await record(who.userId, 'persona.changed', { persona: 'default' })
  await record(who.userId, 'skill.changed', { skill: 'daily-brief', enabled: false })
}
const uris = (notices: Notice[]) => notices.map(({ message }) => message.params.uri)
const changed = ['berth://instance', 'berth://skills/daily-brief', 'berth://wallet']

describe('mcpEventStream', () => {
  test('sends this user’s changes, each once, and nothing of another user', async () => {
    const [mine, theirs] = [await listen(me), await listen(other)]
    await happen(me)
    await until(
      'three notices',
      async () => mine.notices.length,
      (count) => count >= 3,
    )
    expect(uris(mine.notices).sort()).toEqual(changed)
    for (const { id, message } of mine.notices) {
      expect(message).toEqual({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: message.params })
      expect(id).toMatch(/^evt_/)
    }
    await happen(other)
    await until(
      'their notices',
      async () => theirs.notices.length,
      (count) => count >= 3,
    )
    expect(mine.notices).toHaveLength(3)
    expect(mine.text()).not.toContain('private')
    await Promise.all([mine.leave(), theirs.leave()])
  })

  test('continues after Last-Event-ID', async () => {
    const first = await listen(me)
    await happen(me)
    await until(
      'three notices',
      async () => first.notices.length,
      (count) => count >= 3,
    )
    await first.leave()
    const again = await listen(me, { 'last-event-id': first.notices[0]?.id ?? '' })
    await until(
      'the other two',
      async () => again.notices.length,
      (count) => count >= 2,
    )
    expect(again.notices).toEqual(first.notices.slice(1))
    await again.leave()
  })

  test('with another user’s event as Last-Event-ID sends only this user’s own changes', async () => {
    await happen(other)
    await happen(me)
    const theirs = (await world.ports.events.after(other.userId, 'evt_0', 10))[0]
    const stream = await listen(me, { 'last-event-id': theirs?.id ?? '' })
    await until(
      'what changed',
      async () => uris(stream.notices),
      (seen) => seen.length >= changed.length,
    )
    const mine = new Set((await world.ports.events.after(me.userId, 'evt_0', 10)).map(({ id }) => id))
    expect(stream.notices.filter(({ id }) => !mine.has(id ?? ''))).toEqual([])
    await stream.leave()
  })

  test('sends only changes that the scopes may read', async () => {
    const stream = await listen(me, {}, ['mcp:wallet.read'])
    await happen(me)
    await until(
      'a notice',
      async () => stream.notices.length,
      (count) => count >= 1,
    )
    await world.ports.events.record(me.userId, 'wallet.low', {})
    await until(
      'another',
      async () => stream.notices.length,
      (count) => count >= 2,
    )
    expect(uris(stream.notices)).toEqual(['berth://wallet', 'berth://wallet'])
    await stream.leave()
  })

  test('is refused without a token, to other pages, and to a client that does not accept a stream', async () => {
    const open = async (headers: Record<string, string>) => (await fetch(`${world.url}/mcp`, { headers })).status
    const authorization = `Bearer ${me.bearer}`
    expect(await open({})).toBe(401)
    expect(await open({ authorization, origin: 'https://evil.example' })).toBe(403)
    expect(await open({ cookie: me.cookie, origin: 'https://evil.example' })).toBe(403)
    expect(await open({ authorization, accept: 'application/json' })).toBe(406)
  })
})

describe('subscriptions/listen of 2026-07-28', () => {
  test('sends a client its subscriptions, of its own user only', async () => {
    const client = new ModernClient({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    const headers = { authorization: `Bearer ${me.bearer}` }
    await client.connect(new ModernTransport(new URL(`${world.url}/mcp`), { requestInit: { headers } }))
    const seen: string[] = []
    client.setNotificationHandler('notifications/resources/updated', async ({ params }) => void seen.push(params.uri))
    const subscription = await client.listen({ resourceSubscriptions: ['berth://wallet'] })
    await happen(other)
    await happen(me)
    await until(
      'the update',
      async () => seen.length,
      (count) => count >= 1,
    )
    await world.ports.events.record(me.userId, 'wallet.low', {})
    await until(
      'another update',
      async () => seen.length,
      (count) => count >= 2,
    )
    expect(seen).toEqual(['berth://wallet', 'berth://wallet'])
    await subscription.close()
    await client.close()
  })

  test('ends when its caller is no longer authorized, even while it waits', async () => {
    const ended: string[] = []
    async function* silent(): AsyncGenerator<number> {
      yield 1
      await new Promise(() => {})
    }
    const lease = { renew: async () => false, release: async () => void ended.push('end') }
    const seen: number[] = []
    const from = Date.now()
    for await (const part of untilRevoked(silent(), lease, { everyMs: 10 })) seen.push(part)
    expect([seen, ended, Date.now() - from < 400]).toEqual([[1], ['end'], true])
  })
})

describe('two users', () => {
  test('cannot reach each other’s data by any tool or resource', async () => {
    const marks = { persona: 'secret-persona-of-mine', text: 'my most private words' }
    const save = { basedOn: 0, name: marks.persona, description: '', files: [{ path: 'SOUL.md', text: marks.text }] }
    const answer = await fetch(`${world.url}/personas/${marks.persona}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${me.bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(save),
    })
    expect(answer.status).toBe(200)
    const mine = [me.userId, me.instance.id, marks.persona, marks.text]
    const ask = async (who: McpTenant, method: string, params: object) =>
      JSON.stringify(
        (await rpc(`${world.url}/mcp`, { authorization: `Bearer ${who.bearer}` }, { method, params })).message,
      )
    const calls: [string, object][] = [
      ['wallet.balance', {}],
      ['wallet.transactions', {}],
      ['wallet.checkoutTopUp', { amountCents: 500 }],
      ['instance.status', {}],
      ['instance.setModel', { model: 'local/echo' }],
      ['instance.pause', {}],
      ['instance.resume', {}],
      ['instance.refreshEnv', {}],
      ['personas.list', {}],
      ['personas.activate', { id: marks.persona }],
      ['personas.deactivate', { id: marks.persona }],
      ['skills.list', {}],
      ['skills.show', { id: 'daily-brief' }],
    ]
    const before = await world.ports.instances.find(me.userId)
    for (const [name, args] of calls) {
      const told = await ask(other, 'tools/call', { name, arguments: args })
      for (const mark of mine) expect([name, told.includes(mark)]).toEqual([name, false])
    }
    const listed = JSON.parse(await ask(other, 'resources/list', {})).result.resources as { uri: string }[] // safe because that is the list's shape
    for (const { uri } of listed) {
      const told = await ask(other, 'resources/read', { uri })
      for (const mark of mine) expect([uri, told.includes(mark)]).toEqual([uri, false])
    }
    expect(await world.ports.instances.find(me.userId)).toEqual(before)
    expect(await ask(me, 'personas.list', {})).not.toContain('result')
    expect(await ask(me, 'tools/call', { name: 'personas.list', arguments: {} })).toContain(marks.persona)
    expect(await ask(me, 'tools/call', { name: 'instance.status', arguments: {} })).toContain(me.instance.id)
  })
})
