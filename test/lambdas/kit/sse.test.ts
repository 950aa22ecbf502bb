import { setTimeout as sleep } from 'node:timers/promises'
import { jest } from '@jest/globals'
import type { UserActor } from '../../../domain/actor.ts'
import { unauthorized } from '../../../domain/errors.ts'
import { recheckMs } from '../../../domain/lifetimes.ts'
import { streamSlots } from '../../../domain/rates/rate-limits.ts'
import { type SseEvent, sse } from '../../../lambdas/kit/sse.ts'
import { callerLease, leaseStream, untilRevoked } from '../../../lambdas/kit/stream-lease.ts'
import { counted } from '../../adapters/engine.ts'
import { openWorld, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const session = (userId: string, sessionId = 'ses_1'): UserActor => ({
  kind: 'session',
  userId,
  sessionId,
  signedInAt: '2026-11-20T12:00:00.000Z',
})
const open = (actor: UserActor) => leaseStream(actor, world.ports)

describe('slots of streams', () => {
  test('are four per user, for all sessions and tokens together', async () => {
    const userId = world.newUserId()
    const tried = await Promise.allSettled(Array.from({ length: 12 }, (_, i) => open(session(userId, `ses_${i}`))))
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(streamSlots.max)
    const refused = tried.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    for (const reason of refused) expect(reason).toMatchObject({ code: 'rate-limited' })
    expect((await open(session(world.newUserId()))).release).toBeDefined()
  })

  test('are freed', async () => {
    const userId = world.newUserId()
    const held = await Promise.all([1, 2, 3, 4].map((i) => open(session(userId, `ses_${i}`))))
    const another = () => open(session(userId, 'ses_another'))
    await expect(another()).rejects.toMatchObject({ code: 'rate-limited', retryAfterSeconds: 20 })
    await held[2]?.release()
    await another()
    await expect(open(session(userId, 'ses_more'))).rejects.toMatchObject({ code: 'rate-limited' })
  })

  test('a client above its four replaces its own oldest stream at once, and no other client’s', async () => {
    const { record } = await world.session()
    const { userId } = record
    const sessions = [record, (await world.session(userId)).record]
    const [mine, theirs] = sessions.map(({ id }) => session(userId, id)) as [UserActor, UserActor] // safe because there are two
    const their = await open(theirs)
    const held = []
    for (let i = 0; i < 4; i++) {
      world.clock.nowMs += 1
      held.push(await open(mine))
    }
    expect(await Promise.all([their, ...held].map((slot) => slot.renew()))).toEqual([true, false, true, true, true])
  })

  test('an older stream is replaced by a new one, and notified; so is a silent one', async () => {
    const userId = world.newUserId()
    const { record } = await world.session(userId)
    const me = session(userId, record.id)
    const another = session(userId, 'ses_another')
    const oldest = await open(me)
    world.clock.nowMs += 5_000
    const others = await Promise.all([1, 2, 3].map(() => open(me)))
    expect(await oldest.renew()).toBe(true)
    await expect(open(another)).rejects.toMatchObject({ retryAfterSeconds: 15 })
    world.clock.nowMs += 15_000
    await open(another)
    expect(await oldest.renew()).toBe(false)
    expect(await others[0]?.renew()).toBe(true)
    world.clock.nowMs += 40_000
    await Promise.all([1, 2, 3, 4].map(() => open(me)))
    expect(await others[1]?.renew()).toBe(false)
  })

  test('cost one write to take, and a write and a read to keep', async () => {
    const bearer = await world.bearer()
    const { userId, id: tokenId, scopes, expiresAt } = bearer.record
    const actor: UserActor = { kind: 'pat', userId, tokenId, scopes, expiresAt }
    await (await open(actor)).release()
    const taken = await counted(() => open(actor))
    expect(taken.calls).toHaveLength(1)
    expect((await counted(() => taken.result.renew())).calls).toHaveLength(2)
  })
})

describe('the lease of a stream', () => {
  test('ends with the session', async () => {
    const { record } = await world.session()
    const lease = await open(session(record.userId, record.id))
    expect(await lease.renew()).toBe(true)
    await world.ports.sessions.close(record.userId, record.id)
    expect(await lease.renew()).toBe(false)
  })

  test('ends with the token, revoked or expired', async () => {
    for (const how of ['revoked', 'expired']) {
      const { record } = await world.bearer()
      const { userId, id: tokenId, scopes, expiresAt } = record
      const lease = await open({ kind: 'pat', userId, tokenId, scopes, expiresAt })
      expect(await lease.renew()).toBe(true)
      if (how === 'revoked') await world.ports.tokens.revoke(tokenId, new Date(world.clock.nowMs).toISOString())
      else world.clock.nowMs = Date.parse(expiresAt)
      expect(await lease.renew()).toBe(false)
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
  const lease = (renew: () => Promise<boolean>) => {
    let released = 0
    return {
      renew,
      signal: new AbortController().signal,
      release: async () => void released++,
      released: () => released,
    }
  }

  test('re-checks often enough to end within 15 s', () => expect(recheckMs).toBeLessThanOrEqual(13_000))

  test('writes events, and frees its slot once at its end', async () => {
    const held = lease(async () => true)
    expect(await read(sse(some(), held).body)).toBe(': still here\nid: 1\nevent: a\ndata: {"b":1}\n\n: still here\n')
    expect(held.released()).toBe(1)
  })

  test.each([
    ['its caller is no longer authorized', async () => false],
    ['its check fails', async () => Promise.reject(new Error('store down'))],
  ])('ends although its source is silent when %s', async (_, renew) => {
    const held = lease(renew)
    const began = Date.now()
    expect(await read(sse(silence(), held, 50).body)).toBe(': still here\n')
    expect(Date.now() - began).toBeLessThan(5_000)
    expect(held.released()).toBe(1)
  })

  test('frees its slot when its reader leaves', async () => {
    const held = lease(async () => true)
    const { body } = sse(silence(), held)
    await (body as ReadableStream).cancel() // safe because sse answers a stream
    expect(held.released()).toBe(1)
  })
})

describe('a long download', () => {
  test('continues while its session is valid, with a check every 12 s', async () => {
    jest.useFakeTimers()
    try {
      async function* parts() {
        yield* [1, 2, 3, 4]
      }
      let looked = 0
      const lease = { renew: async () => looked++ >= 0, release: async () => {} }
      const seen: number[] = []
      for await (const part of untilRevoked(parts(), lease, { error: unauthorized() })) {
        seen.push(part)
        await jest.advanceTimersByTimeAsync(recheckMs / 2)
      }
      expect([seen, looked, jest.getTimerCount()]).toEqual([[1, 2, 3, 4], 2, 0])
    } finally {
      jest.useRealTimers()
    }
  })

  test('breaks off when its session or token has ended, even while it waits', async () => {
    async function* parts() {
      yield 1
      await new Promise(() => {})
    }
    const download = async (actor: UserActor, revoke: () => Promise<unknown>) => {
      const seen: number[] = []
      const reading = async () => {
        const lease = callerLease(actor, world.ports)
        for await (const part of untilRevoked(parts(), lease, { everyMs: 10, error: unauthorized() })) {
          seen.push(Number(part))
          await revoke()
        }
      }
      return { seen, ended: await reading().catch(({ code }) => code) }
    }
    const { record } = await world.session()
    const endSession = () => world.ports.sessions.close(record.userId, record.id)
    const brokenOff = { seen: [1], ended: 'unauthorized' }
    expect(await download(session(record.userId, record.id), endSession)).toEqual(brokenOff)
    const { record: token } = await world.bearer()
    const { userId, id: tokenId, scopes, expiresAt } = token
    const revoke = () => world.ports.tokens.revoke(tokenId, '2026-11-20T12:00:00.000Z')
    expect(await download({ kind: 'pat', userId, tokenId, scopes, expiresAt }, revoke)).toEqual(brokenOff)
  })

  test('costs one read per check', async () => {
    const { record } = await world.session()
    const lease = callerLease(session(record.userId, record.id), world.ports)
    expect((await counted(() => lease.renew())).calls).toHaveLength(1)
  })
})
