import { limits } from '../../../domain/rates/rate-limits.ts'
import { scopes } from '../../../domain/scopes.ts'
import { minuteMs } from '../../../domain/time.ts'
import { tokensArea } from '../../../lambdas/tokens/index.ts'
import { counted } from '../../adapters/engine.ts'
import { openWorld, type Tenant, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ areas: [tokensArea] })
})
afterAll(() => world.close())

type Headers = Readonly<Record<string, string>>
const bearerOf = (plaintext: string): Headers => ({ Authorization: `Bearer ${plaintext}` })

/** A new token of the user, minted with these headers. */
async function mint(headers: Headers): Promise<string> {
  const body = { name: 'one more', scopes: ['mcp:*', 'api:tokens.write'] }
  const minted = await world.request({ method: 'POST', path: '/tokens', headers, body })
  if (minted.status !== 201) throw new Error(`no token was minted: ${minted.text}`)
  return minted.body.plaintext
}

const noSuchToken = { method: 'DELETE', path: '/tokens', query: { id: 'tok_none' } }

/** Requests a change of an unknown id: 404, or 429 above the limit. */
const write = async (headers: Headers) => (await world.request({ ...noSuchToken, headers: { ...headers } })).status

/** Number of successful writes when each of these callers writes as often as it may. */
async function writesOf(callers: readonly Headers[]): Promise<number> {
  let done = 0
  for (const headers of callers)
    for (let i = 0; i <= limits.write; i++) {
      const status = await write(headers)
      expect([404, 429]).toContain(status)
      if (status === 429) break
      done++
    }
  return done
}

const sessionsOf = async ({ userId }: Tenant, count: number) => {
  const opened: Headers[] = []
  for (let i = 0; i < count; i++) opened.push((await world.session(userId)).headers)
  return opened
}
const tokensOf = async ({ userId }: Tenant, count: number) => {
  const minted: Headers[] = []
  for (let i = 0; i < count; i++) minted.push((await world.bearer([...scopes], userId)).headers)
  return minted
}

describe('a user’s requests per minute', () => {
  // https://github.com/skyportal/skyportal/pull/2132: a limit per token limits nobody who may have many tokens.
  test('are no more with ten tokens than with one', async () => {
    const tenant = await world.tenant()
    expect(await writesOf(await tokensOf(tenant, 10))).toBe(limits.write)
    world.clock.nowMs += 2 * minuteMs
    expect(await writesOf(await tokensOf(tenant, 10))).toBe(limits.write)
  })

  // https://github.com/jsocol/django-ratelimit/issues/56: a caller counted by session can throw the cookie away.
  test('are no more with ten sign-ins than with one', async () => {
    expect(await writesOf(await sessionsOf(await world.tenant(), 10))).toBe(limits.write)
  })

  test('are no more with tokens minted by tokens, rerolled or revoked in that minute', async () => {
    const tenant = await world.tenant()
    const { headers, record } = await world.bearer([...scopes], tenant.userId)
    const child = bearerOf(await mint(headers))
    const reroll = { method: 'POST', path: `/tokens/${record.id}/reroll`, body: { graceHours: 1 } }
    const rerolled = bearerOf((await world.request({ ...reroll, headers })).body.plaintext)
    await world.request({ method: 'DELETE', path: '/tokens', query: { id: record.id }, headers: rerolled })
    const [session = {}] = await sessionsOf(tenant, 1)
    const fresh = bearerOf(await mint(session))
    // Minting, rerolling and revoking are writes of the same window.
    const before = 3
    expect(await write(child)).toBe(401)
    expect(await writesOf([fresh, bearerOf(await mint(session))])).toBe(limits.write - before)
  })

  test('are no more in one class through another class, operation or function instance', async () => {
    const tenant = await world.tenant()
    const [first = {}, second = {}] = await tokensOf(tenant, 2)
    await writesOf([first])
    const other = world.areaHandler(tokensArea)
    const rename = { method: 'PATCH', path: '/tokens/tok_none', headers: { ...second }, body: { name: 'x' } }
    expect((await other(rename)).status).toBe(429)
    const read = await world.request({ path: '/tokens', headers: second })
    expect([read.status, read.headers['X-RateLimit-Limit']]).toEqual([200, String(limits.read)])
  })
})

describe('a flood', () => {
  // https://github.com/jambonz/jambonz-api-server/pull/455: heavy use of the API must not lock a person out of the
  // portal.
  test('from tokens blocks neither the user’s sessions, where the tokens are revoked, nor another user', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const tokens = await tokensOf(tenant, 3)
    await writesOf(tokens)
    const [session = {}] = await sessionsOf(tenant, 1)
    const [theirs = {}] = await tokensOf(other, 1)
    expect([await write(session), await write(theirs)]).toEqual([404, 404])
    const listed = await world.request({ path: '/tokens', headers: session })
    for (const { id } of listed.body.tokens)
      expect((await world.request({ method: 'DELETE', path: '/tokens', query: { id }, headers: session })).status).toBe(
        200,
      )
  })

  test('from sessions blocks neither the user’s tokens nor another user', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    await writesOf(await sessionsOf(tenant, 3))
    const [token = {}] = await tokensOf(tenant, 1)
    const [theirs = {}] = await sessionsOf(other, 1)
    expect([await write(token), await write(theirs)]).toEqual([404, 404])
  })

  test('from one token costs the store nothing once it is refused, and one read per call of the user’s other tokens', async () => {
    const tenant = await world.tenant()
    const [first = {}, second = {}] = await tokensOf(tenant, 2)
    await write(second)
    await writesOf([first])
    const callsOf = async (headers: Headers) =>
      (await counted(() => write(headers))).calls.map(({ operation }) => operation)
    expect([await callsOf(first), await callsOf(second), await callsOf(second)]).toEqual([[], ['GetItem'], ['GetItem']])
  })
})
