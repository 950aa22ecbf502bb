import { createHmac } from 'node:crypto'
import * as z from 'zod'
import type { UserActor } from '../../../domain/actor.ts'
import { limits, streamSlots } from '../../../domain/rates/rate-limits.ts'
import { formatPat } from '../../../domain/tokens/pat.ts'
import { type AnyOperation, operation } from '../../../lambdas/kit/operation.ts'
import { leaseStream } from '../../../lambdas/kit/stream-lease.ts'
import { counted } from '../../adapters/engine.ts'
import { edgeKey } from '../../cloud.ts'
import { openWorld, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())
beforeEach(() => {
  world.clock.nowMs += 3_600_000
})

const getThing = operation({
  id: 'getThing',
  summary: 'A thing',
  http: { method: 'GET', path: '/thing' },
  auth: 'user',
  scope: 'mcp:wallet.read',
  limit: 'read',
  input: z.strictObject({}),
  output: z.object({ userId: z.string() }),
  errors: [],
  uses: {},
  run: async ({ actor }) => ({ userId: actor.userId }),
})
const like = (more: Partial<AnyOperation>): AnyOperation => ({ ...getThing, ...more })
const anybody = like({
  auth: 'none',
  scope: undefined,
  limit: 'login',
  run: async ({ actor }) => ({ userId: actor.kind === 'anonymous' ? actor.ip : '' }),
})

const rate = (headers: Record<string, string>) =>
  ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].map((name) => Number(headers[name]))

describe('the rate window', () => {
  test('is in the headers of every limited response: success, refused scope, bad input and rate limit', async () => {
    const ask = world.client([getThing])
    const { headers } = await world.bearer()
    expect(rate((await ask({ headers })).headers)).toEqual([limits.read, limits.read - 1, 75])
    const bad = await world.client([like({ input: z.strictObject({ n: z.coerce.number() }) })])({
      headers,
      query: { n: 'x' },
    })
    expect([bad.status, ...rate(bad.headers)]).toEqual([400, limits.read, limits.read - 2, 75])
    const poor = await world.bearer(['mcp:skills.read'])
    const refused = await ask({ headers: poor.headers })
    expect([refused.status, ...rate(refused.headers)]).toEqual([403, limits.read, limits.read - 1, 75])
  })

  test('is not used up by concurrent streams: the response has the remainder and the seconds until a stream ends', async () => {
    const open = async ({ actor }: { actor: unknown }) => {
      const { userId } = actor as UserActor // safe because the operation is for users
      await leaseStream(actor as UserActor, world.ports) // safe for the same reason
      return { userId }
    }
    const ask = world.client([like({ run: open })])
    const userId = world.newUserId()
    const answers = []
    for (let i = 0; i <= streamSlots.max; i++)
      answers.push(await ask({ headers: (await world.bearer(['mcp:*'], userId)).headers }))
    const last = answers.at(-1)
    expect(answers.map(({ status }) => status)).toEqual([...Array(streamSlots.max).fill(200), 429])
    expect(Number(last?.headers['X-RateLimit-Remaining'])).toBeGreaterThan(0)
    expect(last?.headers['Retry-After']).toBe(String(last?.body.retryAfterSeconds))
    expect(last?.body.message).toContain(`Try again in ${last?.body.retryAfterSeconds} seconds.`)
  })

  test('a refusal states the same seconds in header, body and message, from the store and from memory', async () => {
    const ask = world.client([like({ limit: 'write' })])
    const { headers } = await world.bearer()
    for (let i = 0; i < limits.write; i++) expect((await ask({ headers })).status).toBe(200)
    for (const _ of ['store', 'memory']) {
      const { status, body, headers: told } = await ask({ headers })
      expect([status, body.error]).toEqual([429, 'rate-limited'])
      expect(told['Retry-After']).toBe(String(body.retryAfterSeconds))
      expect(body.message).toContain(`${body.retryAfterSeconds} seconds`)
      expect(rate(told)).toEqual([limits.write, 0, body.retryAfterSeconds])
    }
    const { body } = await ask({ headers })
    world.clock.nowMs += body.retryAfterSeconds * 1000
    expect((await ask({ headers })).status).toBe(200)
  })

  test('1,000 refused requests cost at most ten store requests', async () => {
    const ask = world.client([like({ limit: 'write' })])
    const [limited, revoked] = [await world.bearer(), await world.bearer()]
    const closed = await world.session()
    await world.ports.tokens.revoke(revoked.record.id, new Date(world.clock.nowMs).toISOString())
    await world.ports.sessions.close(closed.record.userId, closed.record.id)
    for (let i = 0; i < limits.write; i++) await ask({ headers: limited.headers })
    const never = { Authorization: `Bearer ${formatPat('T0', Buffer.alloc(64, 7))}` }
    const bogus = { Authorization: 'Bearer oss_0123456789012345678901234567890123456' }
    const subjects = [limited.headers, revoked.headers, closed.headers, never, bogus, {}]
    const { result, calls } = await counted(async () => {
      const statuses = []
      for (let i = 0; i < 1_000; i++) statuses.push((await ask({ headers: subjects[i % subjects.length] })).status)
      return statuses
    })
    expect(calls.length).toBeLessThanOrEqual(10)
    expect(new Set(result)).toEqual(new Set([401, 429]))
    expect(result.filter((status) => status === 429)).toHaveLength(167)
  })

  test('an admitted request costs a read and a write of one unit each', async () => {
    const ask = world.client([getThing])
    for (const { headers } of [await world.bearer(), await world.session()]) {
      await ask({ headers })
      const { calls } = await counted(() => ask({ headers }))
      expect(calls.map(({ operation: name }) => name)).toEqual(['GetItem', 'UpdateItem'])
      for (const { capacity } of calls) expect(capacity.map(({ CapacityUnits }) => CapacityUnits)).toEqual([1])
    }
  })
})

describe('a route', () => {
  const stream = like({
    http: { method: 'GET', path: '/stream', stream: true },
    run: async () => ({ status: 200, headers: {}, body: new ReadableStream({ cancel: () => void ended++ }) }),
  })
  let ended = 0
  const ask = () => world.client([getThing, like({ http: { method: 'DELETE', path: '/thing' } }), stream])

  test('responds to HEAD like GET, with its headers and no body', async () => {
    const { headers } = await world.bearer()
    const [get, head] = [await ask()({ headers }), await ask()({ method: 'HEAD', headers })]
    expect([get.status, head.status, head.text]).toEqual([200, 200, ''])
    expect(head.headers['Content-Type']).toBe(get.headers['Content-Type'])
    expect((await ask()({ method: 'HEAD', path: '/stream', headers })).text).toBe('')
    expect(ended).toBe(1)
  })

  test('called with another method returns 405 with its own methods, before any authentication', async () => {
    const { status, body, headers } = await ask()({
      method: 'PATCH',
      headers: { 'Content-Type': 'image/png' },
      body: 'x',
    })
    expect([status, body.error, headers.Allow]).toEqual([405, 'not-found', 'GET, HEAD, DELETE'])
    expect(headers).not.toHaveProperty('X-RateLimit-Limit')
    expect((await ask()({ method: 'PATCH', path: '/nowhere' })).status).toBe(404)
  })

  test('ignores unknown query parameters of a GET, and rejects those of a DELETE', async () => {
    const { headers } = await world.session()
    expect((await ask()({ headers, query: { utm_source: 'x', __proto__: 'y' } })).status).toBe(200)
    expect(
      (await ask()({ method: 'DELETE', headers: { ...headers, Origin: 'http://localhost' }, query: { no: '1' } }))
        .status,
    ).toBe(400)
  })
})

describe('a caller’s credential', () => {
  test.each([
    ['no token', {}],
    ['another authentication scheme', { Authorization: 'Basic b3NzOg==' }],
    ['an empty bearer token', { Authorization: 'Bearer ' }],
    ['a bearer token in two parts', { Authorization: 'Bearer a b' }],
    ['a text without a checksum', { Authorization: `Bearer oss_${'a'.repeat(36)}` }],
    ['a machine’s token', { Authorization: `Bearer bmt_llm.${'a'.repeat(20)}.${'b'.repeat(43)}` }],
    ['an unknown cookie', { Cookie: `__Secure-service.session=${'c'.repeat(43)}` }],
    ['a cookie under another name', { Cookie: `service.session=${'c'.repeat(43)}` }],
    ['a malformed cookie', { Cookie: ';;=;__Secure-service.session=;===' }],
  ])('%s returns 401', async (_, headers) => {
    const { status, body } = await world.client([getThing])({ headers })
    expect([status, body.error]).toEqual([401, 'unauthorized'])
  })

  test('when missing returns the next step: a browser signs in, a program mints a token, a machine stops', async () => {
    const [session, pat] = [await world.session(), await world.bearer()]
    await world.ports.sessions.close(session.record.userId, session.record.id)
    await world.ports.tokens.revoke(pat.record.id, new Date(world.clock.nowMs).toISOString())
    const said = async (operation: AnyOperation, headers: Record<string, string>) => {
      const ask = world.client([operation])
      const [first, again] = [await ask({ headers }), await ask({ headers })]
      expect([first.status, again.body]).toEqual([401, first.body])
      return first.body.message
    }
    expect(await said(getThing, session.headers)).toMatch(/^Your session has ended. Sign in again/)
    expect(await said(getThing, pat.headers)).toMatch(/Mint another/)
    expect(await said(like({ auth: 'agent', scope: undefined }), pat.headers)).toMatch(/stop working and exit/)
    expect(await said(getThing, {})).toMatch(/Sign in again, or send a valid token/)
  })

  test('with a bad bearer token never falls back to a good cookie', async () => {
    const { headers } = await world.session()
    const ask = world.client([getThing])
    expect((await ask({ headers })).status).toBe(200)
    for (const Authorization of ['Bearer nonsense', 'Basic x', 'Bearer', '', 'Bearer oss_short']) {
      expect((await ask({ headers: { ...headers, Authorization } })).status).toBe(401)
    }
  })

  test('with a refused cookie value does not block other callers of that name', async () => {
    const login = { ...anybody, id: 'login', http: { method: 'POST', path: '/login' } } as const
    const ask = world.client([getThing, login])
    const { headers, plaintext } = await world.bearer()
    const address = 'login#192.0.2.1'
    for (const name of [address, plaintext].flatMap((of) => [of, `anonymous#${of}`, `pat#${of}`, `session#${of}`])) {
      const asked = await ask({ headers: { Cookie: `__Secure-service.session=${name}` } })
      expect(asked.status).toBe(401)
    }
    expect((await ask({ method: 'POST', path: '/login' })).status).toBe(200)
    expect((await ask({ headers })).status).toBe(200)
  })

  test('for a session-only operation returns 403 to a good token and 401 to a bad one', async () => {
    const ask = world.client([like({ auth: 'session', scope: undefined })])
    const good = await world.bearer()
    expect((await ask({ headers: good.headers })).status).toBe(403)
    await world.ports.tokens.revoke(good.record.id, new Date(world.clock.nowMs).toISOString())
    expect((await ask({ headers: good.headers })).status).toBe(401)
    expect((await ask({ headers: (await world.session()).headers })).status).toBe(200)
  })

  test('is invalid at the instant its token expires', async () => {
    const { headers } = await world.bearer(['mcp:*'], world.newUserId(), 1)
    world.clock.nowMs += 86_400_000 - 1
    expect((await world.client([getThing])({ headers })).status).toBe(200)
    world.clock.nowMs += 1
    expect((await world.client([getThing])({ headers })).status).toBe(401)
  })
})

describe('the caller’s network address', () => {
  const viewer = (key: string, address: string) => ({ 'X-Berth-Edge-Key': key, 'X-Berth-Viewer': address })
  const seen = async (ip: string, headers = {}) => (await world.client([anybody])({ ip, headers })).body.userId

  test('is API Gateway’s, unless CloudFront’s key accompanies the viewer’s address', async () => {
    expect(await seen('192.0.2.7')).toBe('192.0.2.7')
    expect(await seen('192.0.2.7', viewer(edgeKey, '198.51.100.9'))).toBe('198.51.100.9')
    expect(await seen('192.0.2.7', viewer(`${edgeKey}x`, '198.51.100.9'))).toBe('192.0.2.7')
    expect(await seen('192.0.2.7', viewer('', '198.51.100.9'))).toBe('192.0.2.7')
    expect(await seen('192.0.2.7', viewer(edgeKey, 'not an address'))).toBe('192.0.2.7')
    expect(await seen('192.0.2.7', { 'X-Forwarded-For': '198.51.100.9' })).toBe('192.0.2.7')
  })

  test.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:198.51.100.9', '198.51.100.9'],
  ])('%s counts as %s', async (ip, counts) => {
    expect(await seen(ip)).toBe(counts)
    expect(await seen('192.0.2.7', viewer(edgeKey, ip))).toBe(counts)
  })

  test('has a window of its own', async () => {
    const ask = world.client([anybody])
    for (let i = 0; i < limits.login; i++) await ask({ ip: '2001:db8:9:9::1' })
    expect((await ask({ ip: '2001:db8:9:9::2' })).status).toBe(429)
    expect((await ask({ ip: '2001:db8:9:a::2' })).status).toBe(200)
  })
})

describe('a machine token', () => {
  const forAgent = like({ auth: 'files', scope: undefined, limit: 'agent' })
  const instance = { instances: { admitMachine: async () => ({ admitted: true, record: null, counts: {} }) } }
  const claims = (bornMs: number, expiresMs: number) => ({
    audience: 'files' as const,
    userId: 'usr_1',
    instanceId: 'ins_1',
    generation: 2,
    bornMs,
    expiresMs,
  })
  const ask = async (bornMs: number, expiresMs: number) => {
    const token = await world.ports.machineTokens.sign(claims(bornMs, expiresMs))
    // safe because the admission needs only this of an instance
    const answer = await world.client([forAgent], instance as never)({ headers: { Authorization: `Bearer ${token}` } })
    return { status: answer.status, renewed: answer.headers['X-Machine-Token'] }
  }
  const minute = 60_000

  test('is renewed by a response in the second half of its life, until seven days from its first issue', async () => {
    const now = world.clock.nowMs
    expect(await ask(now, now + 30 * minute + 1)).toEqual({ status: 200, renewed: undefined })
    const { renewed } = await ask(now - 30 * minute, now + 30 * minute)
    const expected = { ...claims(now - 30 * minute, now + 60 * minute) }
    expect(await world.ports.machineTokens.verify(renewed ?? '', 'files', now)).toEqual(expected)
    const week = 7 * 24 * 60 * minute
    const last = await ask(now - week + minute, now + 1)
    expect(await world.ports.machineTokens.verify(last.renewed ?? '', 'files', now)).toEqual(
      claims(now - week + minute, now + minute),
    )
    expect(await ask(now - week, now + 1)).toEqual({ status: 200, renewed: undefined })
    expect((await ask(now - minute, now)).status).toBe(401)
  })

  test('for another audience, a forged one and a PAT return 401 without a store request', async () => {
    const ask = world.client([forAgent])
    const now = world.clock.nowMs
    const other = await world.ports.machineTokens.sign({ ...claims(now, now + minute), audience: 'llm' })
    const body = other.split('.')[1] ?? ''
    const forged = `bmt_files.${body}.${createHmac('sha256', 'guess').update(`bmt_files.${body}`).digest('base64url')}`
    const { plaintext } = await world.bearer()
    for (const token of [other, forged, plaintext, 'bmt_files..', '']) {
      const { result, calls } = await counted(() => ask({ headers: { Authorization: `Bearer ${token}` } }))
      expect([result.status, calls.length]).toEqual([401, 0])
    }
  })
})
