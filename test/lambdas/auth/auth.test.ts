import { challengeTtlMs } from '../../../domain/lifetimes.ts'

import { authArea } from '../../../lambdas/auth/index.ts'
import { tokensArea } from '../../../lambdas/tokens/index.ts'
import { counted } from '../../adapters/engine.ts'
import { cases } from '../../counts.ts'
import { openWorld, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ areas: [authArea, tokensArea] })
})
afterAll(() => world.close())

const seeds = Array.from({ length: cases(200) }, (_, i) => i + 1)

test.each(seeds)('history %i: no request is accepted after a logout returned', async (seed) => {
  const userId = world.newUserId()
  const [mine, other] = [await world.session(userId), await world.session(userId)]
  const asks = Array.from({ length: 3 }, () => world.client(authArea.operations))
  let clock = 0
  let over = Number.POSITIVE_INFINITY
  const accepted: number[] = []
  const user = async (ask: ReturnType<typeof world.client>) => {
    for (let i = 0; i < 8; i++) {
      const began = ++clock
      const { status } = await ask({ path: '/auth/sessions', headers: mine.headers })
      if (status === 200) accepted.push(began)
    }
  }
  const leave = async () => {
    const [first, second] = asks
    for (let i = seed % 7; i > 0; i--) await second?.({ path: '/auth/sessions', headers: other.headers })
    const ended =
      seed % 2 === 0
        ? await first?.({ method: 'POST', path: '/auth/logout', headers: mine.headers })
        : await first?.({
            method: 'DELETE',
            path: `/auth/sessions/${mine.record.id}`,
            headers: other.headers,
          })
    expect(ended?.status).toBe(200)
    over = ++clock
  }
  await Promise.all([...asks.map(user), leave()])
  expect(accepted.filter((began) => began > over)).toEqual([])
  for (const ask of asks) expect((await ask({ path: '/auth/sessions', headers: mine.headers })).status).toBe(401)
  expect((await asks[0]?.({ path: '/auth/sessions', headers: other.headers }))?.status).toBe(200)
})

describe('the existence of an account', () => {
  const from = () => ({ method: 'POST', ip: `192.0.2.${Math.floor(Math.random() * 250)}` })

  test('is not revealed: responses and store requests are the same, and both get an e-mail', async () => {
    const ask = world.client(authArea.operations)
    await world.ports.users.findOrCreate('known@example.com', world.newUserId(), world.clock.nowMs)
    const seen = []
    for (const email of ['known@example.com', 'unknown@example.com']) {
      const tries = [
        { ...from(), path: '/auth/verify', body: JSON.stringify({ email, code: '000000' }) },
        { ...from(), path: '/auth/login', body: JSON.stringify({ email }) },
        { ...from(), path: '/auth/verify', body: JSON.stringify({ email, token: 'x'.repeat(22) }) },
      ]
      const answers = []
      for (const attempt of tries) {
        const { result, calls } = await counted(() => ask(attempt))
        answers.push([result.status, result.body, calls.map(({ operation }) => operation)])
      }
      seen.push(answers)
    }
    expect(seen[0]).toEqual(seen[1])
    expect(seen[0]?.map(([status]) => status)).toEqual([401, 202, 401])
    expect(world.cloud.cloud.mails().map(({ to }) => to)).toEqual(['known@example.com', 'unknown@example.com'])
  })
})

describe('the number of store requests', () => {
  test('is two for the admission, plus the operation’s own', async () => {
    const { headers, record } = await world.bearer()
    const ask = world.client(tokensArea.operations)
    const storeCalls = async (asked: Parameters<typeof ask>[0]) =>
      (await counted(() => ask({ headers, ...asked }))).calls.map(({ operation }) => operation)
    await storeCalls({ path: '/tokens' })
    const admitted = ['GetItem', 'UpdateItem']
    expect(await storeCalls({ path: '/tokens' })).toEqual([...admitted, 'Query', 'BatchGetItem'])
    const reroll = { path: `/tokens/${record.id}/reroll` }
    expect(await storeCalls({ method: 'POST', ...reroll, body: '{"graceHours":1}' })).toEqual([
      ...admitted,
      'GetItem',
      'Query',
      'TransactWriteItems',
      'PutItem',
    ])
    expect(await storeCalls({ method: 'DELETE', path: '/tokens', query: { id: record.id } })).toEqual([
      ...admitted,
      'GetItem',
      'TransactWriteItems',
      'GetItem',
      'GetItem',
      'UpdateItem',
      'PutItem',
      'PutItem',
      'DeleteItem',
    ])
  })

  test('is one, for the rate window, when a leak report contains no genuine token', async () => {
    const ask = world.client(tokensArea.operations)
    const body = JSON.stringify({ token: `oss_${'0'.repeat(36)}` })
    const { calls } = await counted(() => ask({ method: 'POST', path: '/tokens/leaked', body }))
    expect(calls).toHaveLength(1)
  })
})

describe('a passkey challenge', () => {
  test('is answered once, by one of many concurrent attempts, before it expires', async () => {
    const now = world.clock.nowMs
    await world.ports.passkeys.saveChallenge('c'.repeat(43), 'usr_1', now)
    const taken = await Promise.all(
      Array.from({ length: 8 }, () => world.ports.passkeys.takeChallenge('c'.repeat(43), now)),
    )
    expect(taken.filter((challenge) => challenge !== null)).toEqual([{ userId: 'usr_1' }])
    await world.ports.passkeys.saveChallenge('d'.repeat(43), null, now)
    expect(await world.ports.passkeys.takeChallenge('d'.repeat(43), now + challengeTtlMs)).toBeNull()
    expect(await world.ports.passkeys.takeChallenge('never-given-out-at-all', now)).toBeNull()
  })

  test('continues the passkey’s stored counter, so that a copied passkey is refused', async () => {
    const record = {
      name: 'x',
      createdAt: '2026-11-20T12:00:00.000Z',
      lastUsedAt: null,
      synced: false,
      userId: 'usr_1',
    }
    const kept = await world.ports.passkeys.add({
      ...record,
      credentialId: 'one',
      publicKey: 'AA',
      counter: 3,
      transports: [],
    })
    if (!kept) throw new Error('unreachable')
    expect(await world.ports.passkeys.recordUse(kept, 5, '2026-11-20T12:00:01.000Z')).toBe(true)
    expect(await world.ports.passkeys.recordUse(kept, 6, '2026-11-20T12:00:02.000Z')).toBe(false)
    expect(
      await world.ports.passkeys.add({
        ...record,
        credentialId: 'one',
        publicKey: 'BB',
        counter: 0,
        transports: [],
        userId: 'usr_2',
      }),
    ).toBeNull()
  })
})

describe('removePasskey', () => {
  const passkeyOf = async (userId: string) => {
    const credential = { credentialId: `of ${userId}`, publicKey: 'AA', counter: 0, transports: [], synced: false }
    const made = { ...credential, userId, name: 'a key', createdAt: '2026-11-20T12:00:00.000Z', lastUsedAt: null }
    return (await world.ports.passkeys.add(made))?.id ?? ''
  }
  const open = async (userId: string, passkeyId: string | null) => {
    const { record, cookie } = await world.ports.sessions.open(userId, world.clock.nowMs, 'a test', passkeyId)
    return { id: record.id, headers: { Cookie: `__Secure-service.session=${cookie}` } }
  }
  const openOf = async (userId: string) =>
    (await world.ports.sessions.list(userId, world.clock.nowMs)).map(({ id }) => id)

  test('signs out the passkey’s other sessions, but not the current browser or sessions from an e-mail or another passkey', async () => {
    const userId = world.newUserId()
    const id = await passkeyOf(userId)
    const [mine, lost, mailed, other] = [
      await open(userId, id),
      await open(userId, id),
      await open(userId, null),
      await open(userId, 'pky_other'),
    ]
    const remove = () => world.request({ method: 'DELETE', path: `/auth/passkeys/${id}`, headers: mine.headers })
    expect((await remove()).status).toBe(200)
    expect((await openOf(userId)).sort()).toEqual([mine.id, mailed.id, other.id].sort())
    expect((await world.request({ path: '/auth/sessions', headers: lost.headers })).status).toBe(401)
    expect((await remove()).status).toBe(404)
  })

  test('leaves nobody signed in when it is retried after a failure at any of its writes', async () => {
    for (let failing = 0; failing < 2; failing++) {
      const userId = world.newUserId()
      const id = await passkeyOf(userId)
      const [mine] = [await open(userId, id), await open(userId, id), await open(userId, id)]
      let closed = 0
      const sessions = {
        ...world.ports.sessions,
        close: async (user: string, session: string) => {
          if (closed++ === failing) throw new Error('the store is away')
          return world.ports.sessions.close(user, session)
        },
      }
      const sent = { method: 'DELETE', path: `/auth/passkeys/${id}`, headers: mine.headers }
      expect((await world.client(authArea.operations, { sessions })(sent)).status).toBe(500)
      expect((await world.request(sent)).status).toBe(200)
      expect(await openOf(userId)).toEqual([mine.id])
    }
  })

  test('also signs out a session that starts during the removal', async () => {
    const userId = world.newUserId()
    const id = await passkeyOf(userId)
    const mine = await open(userId, null)
    const passkeys = {
      ...world.ports.passkeys,
      remove: async (user: string, passkey: string) => {
        await open(userId, id)
        return world.ports.passkeys.remove(user, passkey)
      },
    }
    const sent = { method: 'DELETE', path: `/auth/passkeys/${id}`, headers: mine.headers }
    expect((await world.client(authArea.operations, { passkeys })(sent)).status).toBe(200)
    expect(await openOf(userId)).toEqual([mine.id])
  })
})
