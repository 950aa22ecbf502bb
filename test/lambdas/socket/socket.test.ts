import { endConnection } from '../../../app/socket/push.ts'
import { promptIdOf } from '../../../domain/chat/names.ts'
import { limits } from '../../../domain/rates/rate-limits.ts'
import { maxReaders } from '../../../domain/socket/connection.ts'
import { decideReroll } from '../../../domain/tokens/pat.ts'
import { eventsArea } from '../../../lambdas/events/index.ts'
import { origin } from '../../cloud.ts'
import { type SocketClient as Client, connectSocket } from '../../sockets.ts'
import { until } from '../../until.ts'
import { openWorld, type Tenant, type World } from '../../world.ts'
import { recordsIn } from '../kit/records.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ areas: [eventsArea], clock: 'running', ports: ['conversations', 'questions', 'tasks'] })
})
afterAll(() => world.close())

const connect = (headers: Record<string, string>) => connectSocket(world.socketApi?.url ?? '', headers)
const bySession = async (userId: string) => ({ Origin: origin, ...(await world.session(userId)).headers })
const closed = (client: Client) => until(() => !client.isOpen())
const heard = (client: Client, count: number) => until(() => client.got.length >= count)
const machineOf = async (tenant: Tenant, generation?: number) =>
  connect(await world.machine(tenant, 'agent', generation))

const piece = { promptId: 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0', draft: 1000, from: 0, text: 'High tide' }

describe('opening a connection', () => {
  test('requires a browser’s cookie and the dashboard’s origin', async () => {
    const { headers } = await world.session()
    expect((await connect({ ...headers, Origin: origin })).status).toBe(101)
    expect((await connect({ ...headers, Origin: 'https://evil.example' })).status).toBe(403)
    expect((await connect(headers)).status).toBe(403)
    expect((await connect({ Origin: origin, Cookie: 'service.session=nobody' })).status).toBe(401)
  })

  test('accepts a token from any origin, with a scope that may receive an event', async () => {
    expect((await connect((await world.bearer(['api:chat'])).headers)).status).toBe(101)
    expect((await connect((await world.bearer(['mcp:wallet.read'])).headers)).status).toBe(101)
    expect((await connect((await world.bearer(['api:llm'])).headers)).status).toBe(403)
    expect((await connect({ Authorization: 'Bearer oss_nothing' })).status).toBe(401)
    // A bad bearer never falls back to the cookie.
    expect((await connect({ Authorization: 'Bearer oss_no', ...(await bySession(world.newUserId())) })).status).toBe(
      401,
    )
  })

  test('requires a machine’s agent token of the running generation', async () => {
    const tenant = await world.tenant({ generation: 3 })
    expect((await machineOf(tenant)).status).toBe(101)
    expect((await machineOf(tenant, 2)).status).toBe(401)
    expect((await connect(await world.machine(tenant, 'llm'))).status).toBe(401)
  })

  test('above the limit ends the oldest connection of the same user only', async () => {
    const [userId, other] = [world.newUserId(), world.newUserId()]
    const foreign = await connect(await bySession(other))
    const readers: Client[] = []
    for (let made = 0; made < maxReaders + 1; made++) {
      readers.push(await connect(await bySession(userId)))
      world.clock.nowMs += 1
    }
    await closed(readers[0] as Client)
    expect([foreign, ...readers.slice(1)].map((client) => client.isOpen())).not.toContain(false)
  })

  test('by a machine ends the machine’s earlier connection', async () => {
    const tenant = await world.tenant()
    const first = await machineOf(tenant)
    const second = await machineOf(tenant)
    await closed(first)
    expect(second.isOpen()).toBe(true)
  })
})

describe('a pushed message', () => {
  test('about an event reaches its user’s readers, and no other user', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const [page, program, machine, foreign] = await Promise.all([
      connect(await bySession(tenant.userId)),
      connect((await world.bearer(['api:chat'], tenant.userId)).headers),
      machineOf(tenant),
      connect(await bySession(other.userId)),
    ])
    await world.ports.events.record(tenant.userId, 'wallet.low', {})
    await world.ports.events.record(tenant.userId, 'message.sent', {})
    await heard(page, 2)
    await heard(program, 1)
    expect(page.types()).toEqual(['wallet.low', 'message.sent'])
    expect(program.types()).toEqual(['message.sent'])
    await world.ports.events.record(other.userId, 'wallet.low', {})
    await heard(foreign, 1)
    expect(foreign.types()).toEqual(['wallet.low'])
    expect(machine.got).toEqual([])
  })

  test('about a prompt or a task tells the machine that work is waiting', async () => {
    const tenant = await world.tenant()
    const machine = await machineOf(tenant)
    const reader = await connect(await bySession(tenant.userId))
    await ask(tenant)
    await heard(machine, 1)
    await world.ports.tasks.add(tenant.userId, world.nextId('tsk'), { kind: 'drain' }, world.clock.now())
    await heard(machine, 2)
    expect(machine.got).toEqual([{ type: 'work' }, { type: 'work' }])
    expect(reader.got).toEqual([])
  })

  test('about a stopped prompt or an answered question reaches the machine', async () => {
    const tenant = await world.tenant()
    const machine = await machineOf(tenant)
    const { messageId, promptId } = await ask(tenant)
    const nowMs = world.clock.now()
    await world.ports.conversations.next(tenant.userId, tenant.instance.generation, nowMs, {
      prompts: true,
      tasks: false,
    })
    await world.ports.conversations.stop(tenant.userId, messageId, nowMs)
    const questionId = await recordsIn(world).question(tenant)
    await world.ports.questions.answer(tenant.userId, questionId, { approved: false }, nowMs)
    await heard(machine, 3)
    expect(machine.got).toEqual([{ type: 'work' }, { type: 'stop', promptId }, { type: 'answered', questionId }])
  })

  test('with a long event arrives whole', async () => {
    const userId = world.newUserId()
    const reader = await connect(await bySession(userId))
    const text = '漢"\\\n'.repeat(16_000)
    await world.ports.events.record(userId, 'message.sent', { message: { text } })
    await heard(reader, 1)
    expect(reader.events()[0]?.data).toEqual({ message: { text } })
  })

  test('after a resume has the later events that the caller may receive', async () => {
    const userId = world.newUserId()
    const before = await connect(await bySession(userId))
    for (const type of ['wallet.low', 'message.sent', 'wallet.empty'] as const)
      await world.ports.events.record(userId, type, {})
    await heard(before, 3)
    const [first] = await world.ports.events.after(userId, 'evt_', 1)
    const page = await connect(await bySession(userId))
    page.send({ action: 'resume', after: first?.id })
    await until(() => page.got.at(-1)?.type === 'resumed')
    expect(page.types()).toEqual(['message.sent', 'wallet.empty'])
    // An earlier event may still become visible.
    expect(page.got.at(-1)).toEqual({ type: 'resumed', upTo: first?.id })
    const program = await connect((await world.bearer(['api:chat'], userId)).headers)
    program.send({ action: 'resume', after: first?.id })
    await until(() => program.got.at(-1)?.type === 'resumed')
    expect(program.types()).toEqual(['message.sent'])
  })
})

describe('a growing reply', () => {
  test('goes from the machine to the user’s readers that may receive messages', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const [machine, page, wallet, foreign] = await Promise.all([
      machineOf(tenant),
      connect(await bySession(tenant.userId)),
      connect((await world.bearer(['mcp:wallet.read'], tenant.userId)).headers),
      connect(await bySession(other.userId)),
    ])
    machine.send({ action: 'text', ...piece })
    await heard(page, 1)
    expect(page.got).toEqual([{ type: 'text', ...piece }])
    // A page cannot write another reader's text.
    page.send({ action: 'text', ...piece, text: 'forged' })
    foreign.send({ action: 'text', ...piece, text: 'forged' })
    machine.send({ action: 'text', ...piece, from: 9, text: ' is at noon' })
    await heard(page, 2)
    expect(page.got[1]).toMatchObject({ from: 9 })
    expect([...wallet.got, ...foreign.got]).toEqual([])
  })

  test('is completed by its machine for a reader that lacks a part, and for that reader only', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const machine = await machineOf(tenant)
    const [page, second, foreign] = await Promise.all([
      connect(await bySession(tenant.userId)),
      connect(await bySession(tenant.userId)),
      machineOf(other),
    ])
    page.send({ action: 'missing', promptId: piece.promptId, draft: 1000, from: 4 })
    await heard(machine, 1)
    const asked = machine.got[0] as unknown as { to: string } // safe because `missing` names its reader
    expect(asked).toMatchObject({ type: 'missing', promptId: piece.promptId, from: 4 })
    machine.send({ action: 'text', ...piece, to: asked.to })
    await heard(page, 1)
    // Another user's machine cannot write to this reader, even with its id.
    foreign.send({ action: 'text', ...piece, text: 'forged', to: asked.to })
    machine.send({ action: 'text', ...piece, from: 9, text: '.' })
    await Promise.all([heard(page, 2), heard(second, 1)])
    expect(page.got).toEqual([
      { type: 'text', ...piece },
      { type: 'text', ...piece, from: 9, text: '.' },
    ])
    expect(second.got).toEqual([{ type: 'text', ...piece, from: 9, text: '.' }])
  })

  test('from a machine above its rate limit is ignored until it is within the limit, also over a new connection', async () => {
    const tenant = await world.tenant()
    const [, page] = [await machineOf(tenant), await connect(await bySession(tenant.userId))]
    const nowMs = world.clock.now()
    const admit = () => world.ports.rates.admit({ by: 'machine', userId: tenant.userId }, 'socket', nowMs)
    for (let counted = 0; counted < limits.socket; counted += 50) await Promise.all(Array.from({ length: 50 }, admit))
    expect((await admit()).admitted).toBe(false)
    const machine = await machineOf(tenant)
    machine.send({ action: 'text', ...piece })
    // A response to a later message shows that this one has been processed.
    page.send({ action: 'resume', after: null })
    await until(() => page.got.some(({ type }) => type === 'resumed'))
    expect(page.got.filter(({ type }) => type === 'text')).toEqual([])
    world.clock.nowMs += 80_000
    machine.send({ action: 'text', ...piece })
    await until(() => page.got.some(({ type }) => type === 'text'))
  })

  test('in an invalid form is ignored without an error', async () => {
    const tenant = await world.tenant()
    const [machine, page] = [await machineOf(tenant), await connect(await bySession(tenant.userId))]
    for (const message of [{}, { action: 'text' }, { action: 'text', ...piece, text: 'x'.repeat(5_001) }])
      machine.send(message)
    machine.send({ action: 'missing', promptId: piece.promptId, draft: 1, from: 0 })
    machine.send({ action: 'text', ...piece })
    await heard(page, 1)
    expect(page.got).toEqual([{ type: 'text', ...piece }])
    expect(world.socketApi?.faults).toEqual([])
  })
})

describe('the end of a connection', () => {
  test('follows the sign-out of its session, and no other session of its user', async () => {
    const userId = world.newUserId()
    const { record, headers } = await world.session(userId)
    const [ended, stays] = [await connect({ ...headers, Origin: origin }), await connect(await bySession(userId))]
    await world.ports.sessions.close(userId, record.id)
    await closed(ended)
    expect(stays.isOpen()).toBe(true)
    expect((await connect({ ...headers, Origin: origin })).status).toBe(401)
  })

  test('follows the revocation of its token', async () => {
    const { record, headers } = await world.bearer(['api:chat'])
    const [ended, stays] = [await connect(headers), await connect(await bySession(record.userId))]
    await world.ports.tokens.revoke(record.id, new Date(world.clock.now()).toISOString())
    await closed(ended)
    expect(stays.isOpen()).toBe(true)
  })

  test('follows a reroll of its token; it may reconnect until the grace period ends', async () => {
    const { record, headers } = await world.bearer(['api:chat'])
    const [ended, stays] = [await connect(headers), await connect(await bySession(record.userId))]
    const nowMs = world.clock.now()
    const owner = { kind: 'session', userId: record.userId, sessionId: 'ses_', signedInAt: '' } as const
    const { next, endsAt } = decideReroll(owner, record, 1, nowMs)
    await world.ports.tokens.reroll(record, next, endsAt)
    await closed(ended)
    expect(stays.isOpen()).toBe(true)
    expect((await connect(headers)).isOpen()).toBe(true)
    expect((await world.ports.connections.list(record.userId)).map(({ actor }) => actor)).toContainEqual(
      expect.objectContaining({ tokenId: record.id, expiresAt: endsAt }),
    )
  })

  test('follows the report of a newer generation of its machine', async () => {
    const tenant = await world.tenant()
    const machine = await machineOf(tenant)
    await world.ports.events.record(tenant.userId, 'instance.state_changed', { generation: tenant.instance.generation })
    await world.ports.events.record(tenant.userId, 'instance.state_changed', {
      generation: tenant.instance.generation + 1,
    })
    await closed(machine)
  })

  test('by its client removes its record', async () => {
    const userId = world.newUserId()
    const reader = await connect(await bySession(userId))
    expect(await world.ports.connections.list(userId)).toHaveLength(1)
    reader.close()
    await until(async () => (await world.ports.connections.list(userId)).length === 0)
  })

  test('that API Gateway refuses keeps its record, so that the next try finds the connection', async () => {
    const userId = world.newUserId()
    const reader = await connect(await bySession(userId))
    const sockets = { ...world.ports.sockets, end: () => Promise.reject(new Error('busy')) }
    const deps = { ...world.ports, sockets }
    const [record] = await world.ports.connections.list(userId)
    if (!record) throw new Error('no connection')
    await expect(endConnection(deps, record)).rejects.toThrow('busy')
    expect(await world.ports.connections.list(userId)).toEqual([record])
    await endConnection(world.ports, record)
    await closed(reader)
    expect(await world.ports.connections.list(userId)).toEqual([])
  })

  test('follows its next message when its record is lost, so that its client connects again', async () => {
    const tenant = await world.tenant()
    const machine = await machineOf(tenant)
    const [record] = await world.ports.connections.list(tenant.userId)
    if (!record) throw new Error('no connection')
    await world.ports.connections.close(record)
    machine.send({ action: 'text', ...piece })
    await closed(machine)
  })

  test('happens at once when its session was revoked between the check and the record', async () => {
    const { headers, record } = await world.session()
    const { open } = world.ports.connections
    world.ports.connections.open = async (made) => {
      await world.ports.sessions.close(record.userId, record.id)
      return open(made)
    }
    try {
      expect((await connect({ ...headers, Origin: origin })).status).toBe(401)
    } finally {
      world.ports.connections.open = open
    }
    expect(await world.ports.connections.list(record.userId)).toEqual([])
  })

  test('without a notice is found at the next write to it', async () => {
    const userId = world.newUserId()
    const session = await world.session(userId)
    const { id: sessionId, createdAt: signedInAt } = session.record
    const gone = { id: 'gone=', actor: { kind: 'session' as const, userId, sessionId, signedInAt }, openedMs: 0 }
    await world.ports.connections.open(gone)
    await world.ports.events.record(userId, 'wallet.low', {})
    await until(async () => (await world.ports.connections.list(userId)).length === 0)
  })
})

async function ask({ userId }: Tenant) {
  const at = new Date(world.clock.now()).toISOString()
  const message = {
    id: world.nextId('msg'),
    role: 'user' as const,
    text: 'When is the tide?',
    conversation: 'main',
    channel: 'web' as const,
    at,
  }
  await world.ports.conversations.receive(userId, message, 'chat')
  return { messageId: message.id, promptId: promptIdOf(message.id) }
}
