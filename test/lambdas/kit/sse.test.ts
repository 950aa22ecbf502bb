import { setTimeout as sleep } from 'node:timers/promises'
import type { UserActor } from '../../../domain/actor.ts'
import { openStream, recheckMs, type SseEvent, sse, streamPlaces, whileAllowed } from '../../../lambdas/kit/sse.ts'
import { counted } from '../../adapters/engine.ts'
import { type Doorway, openDoorway } from './doorway.ts'

let world: Doorway
beforeAll(async () => {
  world = await openDoorway()
})
afterAll(() => world.close())

const session = (userId: string, sessionId = 'ses_1'): UserActor => ({
  kind: 'session',
  userId,
  sessionId,
  signedInAt: '2026-11-20T12:00:00.000Z',
})
const open = (actor: UserActor) => openStream(actor, world.ports)

describe('places of streams', () => {
  test('are four a user, whatever the session or token', async () => {
    const userId = world.user()
    const tried = await Promise.allSettled(Array.from({ length: 12 }, (_, i) => open(session(userId, `ses_${i}`))))
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(streamPlaces.most)
    const refused = tried.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    for (const reason of refused) expect(reason).toMatchObject({ code: 'rate-limited' })
    expect((await open(session(world.user()))).end).toBeDefined()
  })

  test('are given back', async () => {
    const userId = world.user()
    const held = await Promise.all([1, 2, 3, 4].map(() => open(session(userId))))
    await expect(open(session(userId))).rejects.toMatchObject({ code: 'rate-limited', retryAfterSeconds: 20 })
    await held[2]?.end()
    await open(session(userId))
    await expect(open(session(userId))).rejects.toMatchObject({ code: 'rate-limited' })
  })

  test('an older stream makes room for a new one, and hears of it; one that fell silent too', async () => {
    const userId = world.user()
    const { record } = await world.session(userId)
    const me = session(userId, record.id)
    const oldest = await open(me)
    world.clock.nowMs += 5_000
    const others = await Promise.all([1, 2, 3].map(() => open(me)))
    expect(await oldest.still()).toBe(true)
    await expect(open(me)).rejects.toMatchObject({ retryAfterSeconds: 15 })
    world.clock.nowMs += 15_000
    await open(me)
    expect(await oldest.still()).toBe(false)
    expect(await others[0]?.still()).toBe(true)
    world.clock.nowMs += 40_000
    await Promise.all([1, 2, 3, 4].map(() => open(me)))
    expect(await others[1]?.still()).toBe(false)
  })

  test('cost one write to take, and a write and a read to keep', async () => {
    const bearer = await world.bearer()
    const { userId, id: tokenId, scopes, expiresAt } = bearer.record
    const actor: UserActor = { kind: 'pat', userId, tokenId, scopes, expiresAt }
    await (await open(actor)).end()
    const taken = await counted(() => open(actor))
    expect(taken.calls).toHaveLength(1)
    expect((await counted(() => taken.result.still())).calls).toHaveLength(2)
  })
})

describe('leave to listen', () => {
  test('ends with the session', async () => {
    const { record } = await world.session()
    const leave = await open(session(record.userId, record.id))
    expect(await leave.still()).toBe(true)
    await world.ports.sessions.close(record.userId, record.id)
    expect(await leave.still()).toBe(false)
  })

  test('ends with the token, revoked or expired', async () => {
    for (const how of ['revoked', 'expired']) {
      const { record } = await world.bearer()
      const { userId, id: tokenId, scopes, expiresAt } = record
      const leave = await open({ kind: 'pat', userId, tokenId, scopes, expiresAt })
      expect(await leave.still()).toBe(true)
      if (how === 'revoked') await world.ports.tokens.revoke(tokenId, new Date(world.clock.nowMs).toISOString())
      else world.clock.nowMs = Date.parse(expiresAt)
      expect(await leave.still()).toBe(false)
    }
  })
})

describe('a stream', () => {
  async function* silence(): AsyncGenerator<SseEvent | null> {
    await sleep(60_000, undefined, { ref: false })
    yield null
  }
  async function* some(): AsyncGenerator<SseEvent | null> {
    yield { id: '1', event: 'a', data: { b: 1 } }
    yield null
  }
  const read = async (body: unknown) => new Response(body as ReadableStream).text() // safe because sse answers a stream
  const leave = (still: () => Promise<boolean>) => {
    let ended = 0
    return { still, over: new AbortController().signal, end: async () => void ended++, ended: () => ended }
  }

  test('re-checks often enough to end within 15 s', () => expect(recheckMs).toBeLessThanOrEqual(13_000))

  test('writes events, and gives its place back once at its end', async () => {
    const held = leave(async () => true)
    expect(await read(sse(some(), held).body)).toBe(
      ': still here\n\nid: 1\nevent: a\ndata: {"b":1}\n\n: still here\n\n',
    )
    expect(held.ended()).toBe(1)
  })

  test.each([
    ['its caller is no longer welcome', async () => false],
    ['that cannot be told', async () => Promise.reject(new Error('store down'))],
  ])('ends though its source is silent when %s', async (_, still) => {
    const held = leave(still)
    const began = Date.now()
    expect(await read(sse(silence(), held, 50).body)).toBe(': still here\n\n')
    expect(Date.now() - began).toBeLessThan(5_000)
    expect(held.ended()).toBe(1)
  })

  test('gives its place back when its reader leaves', async () => {
    const held = leave(async () => true)
    const { body } = sse(silence(), held)
    await (body as ReadableStream).cancel() // safe because sse answers a stream
    expect(held.ended()).toBe(1)
  })
})

describe('a long download', () => {
  /** Four parts, each of which takes its time. */
  async function* parts() {
    for (const part of [1, 2, 3, 4]) {
      world.clock.nowMs += recheckMs / 2
      yield part
    }
  }
  const taken = async (actor: UserActor, also: (part: number) => Promise<unknown> = async () => {}) => {
    const seen: number[] = []
    const reading = (async () => {
      for await (const part of whileAllowed(parts(), actor, world.ports)) {
        seen.push(part)
        await also(part)
      }
    })()
    return { seen, ended: await reading.catch(({ code }) => code) }
  }

  test('goes on while its session lives, and looks every 12 s only', async () => {
    const { record } = await world.session()
    const { result, calls } = await counted(() => taken(session(record.userId, record.id)))
    expect([result.seen, calls.length]).toEqual([[1, 2, 3, 4], 2])
  })

  test('breaks off when its session or token has ended', async () => {
    const { record } = await world.session()
    const out = await taken(session(record.userId, record.id), () =>
      world.ports.sessions.close(record.userId, record.id),
    )
    expect(out).toEqual({ seen: [1], ended: 'unauthorized' })
    const { record: token } = await world.bearer()
    const { userId, id: tokenId, scopes, expiresAt } = token
    const at = '2026-11-20T12:00:00.000Z'
    const by = await taken({ kind: 'pat', userId, tokenId, scopes, expiresAt }, () =>
      world.ports.tokens.revoke(tokenId, at),
    )
    expect(by).toEqual({ seen: [1], ended: 'unauthorized' })
  })
})
