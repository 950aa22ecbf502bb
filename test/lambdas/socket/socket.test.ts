import { promptIdOf } from '../../../domain/chat/names.ts'
import { maxReaders } from '../../../domain/socket/connection.ts'
import { decideReroll } from '../../../domain/tokens/pat.ts'
import { limits } from '../../../domain/tokens/rate-limits.ts'
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

describe('opening a connection', () => {
  test('a browser shows its cookie and comes from the dashboard’s origin', async () => {
    const { headers } = await world.session()
    expect((await connect({ ...headers, Origin: origin })).status).toBe(101)
    expect((await connect({ ...headers, Origin: 'https://evil.example' })).status).toBe(403)
    expect((await connect(headers)).status).toBe(403)
    expect((await connect({ Origin: origin, Cookie: 'service.session=nobody' })).status).toBe(401)
  })

  test('a token shows itself, from anywhere, and wants a scope that something is heard with', async () => {
    expect((await connect((await world.bearer(['api:chat'])).headers)).status).toBe(101)
    expect((await connect((await world.bearer(['mcp:wallet.read'])).headers)).status).toBe(101)
    expect((await connect((await world.bearer(['api:llm'])).headers)).status).toBe(403)
    expect((await connect({ Authorization: 'Bearer oss_nothing' })).status).toBe(401)
    // A bad bearer never falls back to the cookie.
    expect((await connect({ Authorization: 'Bearer oss_no', ...(await bySession(world.newUserId())) })).status).toBe(
      401,
    )
  })

  test('a machine shows the agent’s token of the generation that runs', async () => {
    const tenant = await world.tenant({ generation: 3 })
    expect((await machineOf(tenant)).status).toBe(101)
    expect((await machineOf(tenant, 2)).status).toBe(401)
    expect((await connect(await world.machine(tenant, 'llm'))).status).toBe(401)
  })

  test('one more than there may be ends the oldest, of the same user alone', async () => {
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

  test('a machine that connects again ends the connection it had', async () => {
    const tenant = await world.tenant()
    const first = await machineOf(tenant)
    const second = await machineOf(tenant)
    await closed(first)
    expect(second.isOpen()).toBe(true)
  })
})

describe('what is pushed', () => {
  test('an event reaches its user’s readers, and nobody else', async () => {
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

  test('a prompt and a task tell the machine that work waits', async () => {
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

  test('a prompt that was stopped, and a question that was answered, are told to the machine', async () => {
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

  test('a long event comes whole', async () => {
    const userId = world.newUserId()
    const reader = await connect(await bySession(userId))
    const text = '漢"\\\n'.repeat(16_000)
    await world.ports.events.record(userId, 'message.sent', { message: { text } })
    await heard(reader, 1)
    expect(reader.events()[0]?.data).toEqual({ message: { text } })
  })

  test('resume sends what happened after an event, as far as it may be heard', async () => {
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
    // Another may still come into sight before those.
    expect(page.got.at(-1)).toEqual({ type: 'resumed', upTo: first?.id })
    const program = await connect((await world.bearer(['api:chat'], userId)).headers)
    program.send({ action: 'resume', after: first?.id })
    await until(() => program.got.at(-1)?.type === 'resumed')
    expect(program.types()).toEqual(['message.sent'])
  })
})

describe('a reply that grows', () => {
  const piece = { promptId: 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0', draft: 1000, from: 0, text: 'High tide' }

  test('goes from the machine to the user’s readers who may hear of messages', async () => {
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
    // No page can write another's.
    page.send({ action: 'text', ...piece, text: 'forged' })
    foreign.send({ action: 'text', ...piece, text: 'forged' })
    machine.send({ action: 'text', ...piece, from: 9, text: ' is at noon' })
    await heard(page, 2)
    expect(page.got[1]).toMatchObject({ from: 9 })
    expect([...wallet.got, ...foreign.got]).toEqual([])
  })

  test('what a reader lacks is asked of its machine, and comes to that reader alone', async () => {
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
    // Another user's machine cannot write to it, though it knows its id.
    foreign.send({ action: 'text', ...piece, text: 'forged', to: asked.to })
    machine.send({ action: 'text', ...piece, from: 9, text: '.' })
    await Promise.all([heard(page, 2), heard(second, 1)])
    expect(page.got).toEqual([
      { type: 'text', ...piece },
      { type: 'text', ...piece, from: 9, text: '.' },
    ])
    expect(second.got).toEqual([{ type: 'text', ...piece, from: 9, text: '.' }])
  })

  test('a machine that sends too much is not listened to until it is within its limit, over a new connection neither', async () => {
    const tenant = await world.tenant()
    const [, page] = [await machineOf(tenant), await connect(await bySession(tenant.userId))]
    const nowMs = world.clock.now()
    const admit = () => world.ports.rates.admit({ by: 'machine', userId: tenant.userId }, 'socket', nowMs)
    for (let counted = 0; counted < limits.socket; counted += 50) await Promise.all(Array.from({ length: 50 }, admit))
    expect((await admit()).admitted).toBe(false)
    const machine = await machineOf(tenant)
    machine.send({ action: 'text', ...piece })
    // An answer to what was sent after it says that it has been looked at.
    page.send({ action: 'resume', after: null })
    await until(() => page.got.some(({ type }) => type === 'resumed'))
    expect(page.got.filter(({ type }) => type === 'text')).toEqual([])
    world.clock.nowMs += 80_000
    machine.send({ action: 'text', ...piece })
    await until(() => page.got.some(({ type }) => type === 'text'))
  })

  test('what is no message of ours is nobody’s fault', async () => {
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
  test('a session that is signed out ends its own, and no other of its user', async () => {
    const userId = world.newUserId()
    const { record, headers } = await world.session(userId)
    const [ended, stays] = [await connect({ ...headers, Origin: origin }), await connect(await bySession(userId))]
    await world.ports.sessions.close(userId, record.id)
    await closed(ended)
    expect(stays.isOpen()).toBe(true)
    expect((await connect({ ...headers, Origin: origin })).status).toBe(401)
  })

  test('a token that is revoked ends its own', async () => {
    const { record, headers } = await world.bearer(['api:chat'])
    const [ended, stays] = [await connect(headers), await connect(await bySession(record.userId))]
    await world.ports.tokens.revoke(record.id, new Date(world.clock.now()).toISOString())
    await closed(ended)
    expect(stays.isOpen()).toBe(true)
  })

  test('a token that is rerolled ends its own; within its grace it connects again, until the grace is over', async () => {
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

  test('a machine’s ends when a newer generation is told of', async () => {
    const tenant = await world.tenant()
    const machine = await machineOf(tenant)
    await world.ports.events.record(tenant.userId, 'instance.state_changed', { generation: tenant.instance.generation })
    await world.ports.events.record(tenant.userId, 'instance.state_changed', {
      generation: tenant.instance.generation + 1,
    })
    await closed(machine)
  })

  test('one that its client ends is forgotten', async () => {
    const userId = world.newUserId()
    const reader = await connect(await bySession(userId))
    expect(await world.ports.connections.list(userId)).toHaveLength(1)
    reader.close()
    await until(async () => (await world.ports.connections.list(userId)).length === 0)
  })

  test('one that was revoked between its check and its note is refused', async () => {
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

  test('one that is gone without a word is forgotten when it is written to', async () => {
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
