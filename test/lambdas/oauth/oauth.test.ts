import { isOurResource } from '../../../domain/oauth/authorization.ts'
import { codeTtlMs, refreshGraceMs, registrationTtlMs } from '../../../domain/oauth/refresh.ts'
import { limits } from '../../../domain/rates/rate-limits.ts'
import { dayMs, hourMs, iso, minuteMs, secondMs } from '../../../domain/time.ts'
import { maxTokens } from '../../../domain/tokens/pat.ts'
import { cases, full, most } from '../../counts.ts'
import { challengeOf, openOauthWorld, redirectUri } from './oauth-world.ts'

type OauthWorld = Awaited<ReturnType<typeof openOauthWorld>>

const document = 'https://app.example/client.json'
const documents = {
  [document]: { client_id: document, client_name: 'App', redirect_uris: ['https://app.example/callback'] },
  'https://liar.example/client.json': { client_id: document, redirect_uris: ['https://liar.example/callback'] },
}

let world: OauthWorld
beforeAll(async () => {
  world = await openOauthWorld(documents)
})
afterAll(() => world.close())

const check = (body: object) => ({ method: 'POST', path: '/oauth/authorization/check', body })

/** The response to an authorization request, on the page and after the user's consent. */
async function ask(query: object) {
  const user = await world.session()
  const shown = await world.request({ ...check(query), headers: { ...user.headers } })
  const allowed = await world.consent(query, user, { scopes: shown.body.scopes ?? [] })
  expect(allowed.status).toBe(shown.status)
  return shown
}

describe('registerClient', () => {
  test('accepts programs’ descriptions of themselves, and makes each a public client', async () => {
    const { status, body } = await world.request({
      method: 'POST',
      path: '/oauth/register',
      body: {
        client_name: 'Some app',
        redirect_uris: ['cursor://x/callback'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    })
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ client_id: expect.stringMatching(/^cli_/), token_endpoint_auth_method: 'none' }),
    ])
    expect(body).not.toHaveProperty('client_secret')
  })

  test.each([
    { redirect_uris: [] },
    { redirect_uris: ['javascript:alert(1)'] },
    { redirect_uris: ['data:text/html,x'] },
    { redirect_uris: ['http://evil.example/callback'] },
    { redirect_uris: ['https://app.example/#fragment'] },
    { redirect_uris: ['https://app.example@evil.example/'] },
    { redirect_uris: ['https://app.example\\@evil.example/'] },
    { redirect_uris: Array.from({ length: 21 }, (_, i) => `https://app.example/${i}`) },
    { redirect_uris: [`https://app.example/${'x'.repeat(500)}`] },
    { client_name: 'x'.repeat(30_000), redirect_uris: ['https://app.example/'] },
    {},
  ])('rejects %j', async (body) => {
    const answer = await world.request({ method: 'POST', path: '/oauth/register', body, ip: '192.0.2.9' })
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_redirect_uri'])
  })

  test('stores a registration for 30 days, and counts it by the caller', async () => {
    const client = await world.register()
    world.clock.nowMs += registrationTtlMs
    expect((await ask(world.begin(client).query)).status).toBe(400)
    const body = { redirect_uris: ['https://app.example/'] }
    const statuses = []
    for (let i = 0; i < 31; i++)
      statuses.push((await world.request({ method: 'POST', path: '/oauth/register', body, ip: '192.0.2.10' })).status)
    expect(statuses.slice(-2)).toEqual([201, 429])
  })
})

describe('refuseRegistration', () => {
  test('names the next step, in OAuth’s shape and the API’s', async () => {
    const { status, body } = await world.request({ method: 'POST', path: '/register', body: { redirect_uris: [] } })
    expect([status, body.error, body.message]).toEqual([
      400,
      'invalid_client_metadata',
      expect.stringMatching(/Mint a token .* or connect to \/api\/mcp/),
    ])
    expect(body.error_description).toBe(body.message)
  })
})

describe('checkAuthorizationRequest', () => {
  test('returns the program, its origin and its scopes, only to a signed-in browser', async () => {
    const { query } = world.begin(await world.register(), { scope: 'openid mcp:wallet.read api:tokens.write' })
    expect((await ask(query)).body).toEqual({
      client: { id: query.client_id, name: 'Test app', host: null },
      redirectHost: 'this computer',
      scopes: ['mcp:wallet.read'],
    })
    expect((await world.request(check(query))).status).toBe(401)
    const { headers } = await world.bearer(['mcp:*'])
    expect((await world.request({ ...check(query), headers })).status).toBe(403)
  })

  test('identifies a program by the address of its document, if the document says so itself', async () => {
    const change = { redirect_uri: 'https://app.example/callback' }
    expect((await ask(world.begin({ id: document }, change).query)).body.client).toEqual({
      id: document,
      name: 'App',
      host: 'app.example',
    })
    const wrong = [
      'https://liar.example/client.json',
      'https://none.example/client.json',
      'http://app.example/client.json',
    ]
    for (const id of wrong) expect([id, (await ask(world.begin({ id }, change).query)).status]).toEqual([id, 400])
  })

  test('reads missing scopes, or a scope for all tools, as each tool’s scope', async () => {
    const client = await world.register()
    const seven = (await ask(world.begin(client, { scope: undefined }).query)).body.scopes
    expect(seven).toHaveLength(7)
    expect((await ask(world.begin(client, { scope: 'mcp:*' }).query)).body.scopes).toEqual(seven)
  })

  // RFC 9700: an invalid request redirects nowhere, so the server is not an open redirector.
  test.each<[string, Record<string, string | undefined>]>([
    ['another host', { redirect_uri: 'https://evil.example/callback' }],
    ['a longer path', { redirect_uri: 'http://127.0.0.1:4444/callback/x' }],
    ['another name of this machine', { redirect_uri: 'http://localhost:4444/callback' }],
    ['a query', { redirect_uri: 'http://127.0.0.1:4444/callback?x' }],
    ['a user name before the host', { redirect_uri: 'http://127.0.0.1:4444@evil.example/callback' }],
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
    ['plain PKCE', { code_challenge_method: 'plain' }],
    ['PKCE without a method, which means plain', { code_challenge_method: undefined }],
    ['the implicit flow', { response_type: 'token' }],
    ['another service’s tokens', { resource: 'https://evil.example/mcp' }],
    ['an unknown client', { client_id: 'cli_nobody' }],
  ])('rejects %s without a redirect', async (_, change) => {
    const { status, body } = await ask(world.begin(await world.register(), change).query)
    expect([status, body.error, body.redirectTo]).toEqual([400, 'validation', undefined])
  })

  test('accepts a registered loopback address with any port', async () => {
    const client = await world.register(['http://localhost:1/cb', 'http://[::1]/cb'])
    for (const uri of ['http://localhost:65000/cb', 'http://[::1]:8080/cb'])
      expect((await ask(world.begin(client, { redirect_uri: uri }).query)).status).toBe(200)
  })
})

describe('answerAuthorizationRequest', () => {
  test('redirects with a code, the state and the issuer', async () => {
    const user = await world.session()
    const { body } = await world.consent(world.begin(await world.register()).query, user)
    const url = new URL(body.redirectTo)
    expect(`${url.origin}${url.pathname}`).toBe(redirectUri)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      code: expect.stringMatching(/^osa_[\w-]{43}$/),
      state: 'some state',
      iss: `${world.origin}/api`,
    })
  })

  test('redirects with a refusal and no code', async () => {
    const { body } = await world.consent(world.begin(await world.register()).query, await world.session(), {
      allow: false,
    })
    const { searchParams } = new URL(body.redirectTo)
    expect([searchParams.get('error'), searchParams.get('code'), searchParams.get('iss')]).toEqual([
      'access_denied',
      null,
      `${world.origin}/api`,
    ])
  })

  test('serves only our own page', async () => {
    const { query } = world.begin(await world.register())
    const user = await world.session()
    for (const headers of [{ Origin: 'https://evil.example' }, { Origin: undefined }, { Origin: 'null' }]) {
      const { status } = await world.request({
        method: 'POST',
        path: '/oauth/authorization',
        headers: { ...user.headers, ...headers },
        body: { ...query, allow: true, scopes: ['mcp:wallet.read'] },
      })
      expect(status).toBe(403)
    }
    expect(await world.apps(user)).toEqual([])
  })

  // https://github.com/web3-storage/web3.storage/issues/27: the number of an account's tokens was unlimited.
  test('fails for an account without a free token place, and names the next step', async () => {
    const userId = world.newUserId()
    const user = await world.session(userId)
    const client = await world.register()
    const { query, verifier } = world.begin(client)
    const early = await world.consent(query, user, { scopes: ['mcp:skills.read'] })
    const at = world.clock.nowMs
    const record = {
      ...{ userId, name: 'n', scopes: ['mcp:*' as const] },
      lastUsedAt: null,
      revokedAt: null,
    }
    const wanted = { ...record, createdAt: iso(at), expiresAt: iso(at + dayMs) }
    for (let left = maxTokens; left > 0; left -= 25)
      await Promise.all(Array.from({ length: Math.min(25, left) }, () => world.ports.tokens.mint(wanted)))
    const refused = await world.consent(query, user, { scopes: ['mcp:skills.read'] })
    expect([refused.status, refused.body.error]).toEqual([409, 'conflict'])
    expect(refused.body.message).toMatch(/500 live tokens and connected programs.*Revoke the ones that nothing uses/)
    const late = await world.redeem(client, world.codeOf(early.body.redirectTo), verifier)
    expect([late.status, late.body.error]).toEqual([400, 'invalid_grant'])
    expect(late.body.error_description).toContain('Revoke')
    expect((await world.consent(query, user, { allow: false })).status).toBe(200)
    const [one] = await world.ports.tokens.list(userId)
    await world.ports.tokens.revoke(one?.id ?? '', iso(at))
    const { body } = await world.consent(query, user, { scopes: ['mcp:skills.read'] })
    expect((await world.redeem(client, world.codeOf(body.redirectTo), verifier)).status).toBe(200)
    expect((await world.consent(query, user, { scopes: ['mcp:skills.read'] })).status).toBe(409)
  })

  test('may grant less than the request, never more', async () => {
    const user = await world.session()
    const client = await world.register()
    const { query, verifier } = world.begin(client)
    for (const scopes of [['mcp:wallet.write'], ['mcp:*'], []])
      expect((await world.consent(query, user, { scopes })).status).toBe(400)
    const { body } = await world.consent(query, user, {
      scopes: ['mcp:skills.read'],
      capMicros: 5_000_000,
      expiresInDays: 7,
    })
    const tokens = (await world.redeem(client, world.codeOf(body.redirectTo), verifier)).body
    expect(tokens.scope).toBe('mcp:skills.read')
    const [app, ...others] = await world.apps(user)
    expect(others).toEqual([])
    expect(app).toMatchObject({
      name: 'Test app',
      scopes: ['mcp:skills.read'],
      status: 'active',
      app: { clientId: client.id, host: 'this computer', capMicros: 5_000_000 },
    })
    expect(Date.parse(app.expiresAt)).toBe(world.clock.nowMs + 7 * dayMs)
    const line = (await world.ports.audit.list(user.record.userId, { after: null, limit: 9 })).items[0]
    expect(line).toMatchObject({ operation: 'answerAuthorizationRequest', record: app.id })
  })
})

describe('issueTokens', () => {
  const invalidGrant = [400, 'invalid_grant']
  const seen = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error]

  /** A code that the user has just allowed. */
  async function code(change: Record<string, string> = {}) {
    const [user, client] = [await world.session(), await world.register()]
    const { query, verifier } = world.begin(client, change)
    const { body } = await world.consent(query, user)
    return { user, client, verifier, code: world.codeOf(body.redirectTo) }
  }

  test('returns an access token that is one of the account’s tokens, within its scopes, for an hour', async () => {
    const { tokens } = await world.connect()
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^oss_/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^osr_/),
      scope: 'mcp:wallet.read mcp:skills.read',
    })
    expect(await world.use(tokens.access_token)).toBe(204)
    expect((await world.ports.tokens.findByPlaintext(tokens.access_token))?.scopes).toEqual(tokens.scope.split(' '))
    world.clock.nowMs += hourMs
    expect(await world.use(tokens.access_token)).toBe(401)
  })

  test('stores no plaintext of a code or token', async () => {
    const { tokens } = await world.connect()
    const record = await world.ports.grants.findByRefreshToken(tokens.refresh_token)
    const { item } = await import('../../../adapters/dynamo/calls.ts').then(async ({ get }) => ({
      item: await get(world.env.table('tokens'), { id: record?.id ?? '' }),
    }))
    const text = JSON.stringify(item)
    for (const secret of [tokens.access_token, tokens.refresh_token.slice(26, 48), tokens.refresh_token.slice(48)])
      expect(text).not.toContain(secret)
  })

  test.each<[string, Record<string, string>]>([
    ['another client', { client_id: document }],
    ['another client’s verifier', { code_verifier: 'x'.repeat(43) }],
    ['the challenge instead of the verifier', { code_verifier: challengeOf('x') }],
    ['no verifier', { code_verifier: '' }],
    ['another redirect address', { redirect_uri: 'http://127.0.0.1:5555/callback' }],
    ['no redirect address', { redirect_uri: '' }],
  ])('rejects a code with %s', async (_, change) => {
    const { client, code: given, verifier } = await code()
    expect(seen(await world.redeem(client, given, verifier, change))).toEqual(invalidGrant)
    expect((await world.redeem(client, given, verifier)).status).toBe(200)
  })

  test('accepts a resource with other case in its scheme and host, but not in its path', async () => {
    const { host } = new URL(world.resource)
    for (const same of [
      world.resource.replace('http', 'HTTP'),
      world.resource.replace(host, host.toUpperCase()),
      `${world.resource}/`,
    ])
      expect([same, isOurResource(same, world.origin)]).toEqual([same, true])
    for (const other of [world.resource.replace('/mcp', '/MCP'), `${world.resource}#x`, `${world.resource}?x`, 'mcp'])
      expect([other, isOurResource(other, world.origin)]).toEqual([other, false])
  })

  test('issues tokens only for this service: another resource and foreign tokens are rejected', async () => {
    const { client, code: given, verifier } = await code()
    const foreign = { resource: 'https://evil.example/mcp' }
    expect(seen(await world.redeem(client, given, verifier, foreign))).toEqual([400, 'invalid_target'])
    const { body } = await world.redeem(client, given, verifier)
    expect(seen(await world.refresh(client, body.refresh_token, foreign))).toEqual([400, 'invalid_target'])
    expect(await world.use('eyJhbGciOiJub25lIn0.eyJhdWQiOiJodHRwczovL2V2aWwuZXhhbXBsZSJ9.')).toBe(401)
    expect(await world.use(body.refresh_token)).toBe(401)
  })

  test('accepts a code for a minute', async () => {
    const { client, code: given, verifier } = await code()
    world.clock.nowMs += codeTtlMs
    expect(seen(await world.redeem(client, given, verifier))).toEqual(invalidGrant)
  })

  test('serves one of 50 concurrent redemptions of a code, and its tokens stay valid', async () => {
    const { user, client, code: given, verifier } = await code()
    const answers = await Promise.all(Array.from({ length: 50 }, () => world.redeem(client, given, verifier)))
    const won = answers.filter(({ status }) => status === 200)
    expect([won.length, answers.filter((each) => seen(each)[1] === 'invalid_grant').length]).toEqual([1, 49])
    expect(await world.use(won[0]?.body.access_token)).toBe(204)
    expect(await world.apps(user)).toHaveLength(1)
  })

  test('revokes a code’s tokens when the code is used again later, or without its verifier', async () => {
    for (const late of [true, false]) {
      const { user, client, code: given, verifier } = await code()
      const { body } = await world.redeem(client, given, verifier)
      if (late) world.clock.nowMs += 11 * secondMs
      expect(seen(await world.redeem(client, given, late ? verifier : 'y'.repeat(43)))).toEqual(invalidGrant)
      expect(await world.use(body.access_token)).toBe(401)
      expect(seen(await world.refresh(client, body.refresh_token))).toEqual(invalidGrant)
      expect(await world.apps(user)).toEqual([expect.objectContaining({ status: 'revoked' })])
    }
  })

  test('asks a program with an expired registration to register again', async () => {
    const { client, tokens } = await world.connect()
    world.clock.nowMs += registrationTtlMs
    expect((await world.refresh(client, tokens.refresh_token)).status).toBe(200)
    expect(seen(await world.refresh(client, `${tokens.refresh_token}x`))).toEqual([401, 'invalid_client'])
  })

  test.each<[string, string, string, Record<string, string>]>([
    ['no client', 'invalid_client', '401', { client_id: '' }],
    ['another grant', 'unsupported_grant_type', '400', { grant_type: 'password' }],
    ['a made-up refresh token', 'invalid_grant', '400', { client_id: document, refresh_token: 'osr_x' }],
    ['a client that is not registered', 'invalid_client', '401', {}],
  ])('%s is %s', async (_, error, status, change) => {
    const answer = await world.refresh({ id: 'cli_x' }, 'osr_x', change)
    expect(answer.body).toEqual({ error, error_description: answer.body.message, message: expect.any(String) })
    expect(answer.status).toBe(Number(status))
  })

  test('counts wrong requests by their sender, and right ones not at all', async () => {
    const { client, tokens } = await world.connect()
    for (let i = 0; i <= limits.read; i++) await world.refresh(client, 'osr_x')
    expect((await world.refresh(client, 'osr_x')).status).toBe(429)
    expect((await world.refresh(client, tokens.refresh_token)).status).toBe(200)
    world.clock.nowMs += 2 * minuteMs
  })

  test('keeps the rate window of a renewed token, separate from the user’s own tokens', async () => {
    const { user, client, tokens } = await world.connect()
    // An earlier refresh returns the same token again.
    world.clock.nowMs += 2 * minuteMs
    const renewed = await world.refresh(client, tokens.refresh_token)
    expect(renewed.body.access_token).not.toBe(tokens.access_token)
    for (let i = 0; i < limits.read; i++) expect(await world.use(tokens.access_token)).toBe(204)
    expect(await world.use(tokens.access_token)).toBe(429)
    expect(await world.use(renewed.body.access_token)).toBe(429)
    const own = await world.bearer(['mcp:*'], user.record.userId)
    expect(await world.use(own.plaintext)).toBe(204)
    world.clock.nowMs += 2 * minuteMs
    expect(await world.use(renewed.body.access_token)).toBe(204)
  })

  test('rejects an invalid form, or one with a repeated field', async () => {
    const body = 'grant_type=refresh_token&client_id=a&client_id=b'
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    expect(seen(await world.request({ method: 'POST', path: '/oauth/token', body, headers }))).toEqual([
      400,
      'invalid_request',
    ])
    expect(seen(await world.request({ method: 'POST', path: '/oauth/token', body: { grant_type: 'x' } }))).toEqual([
      400,
      'invalid_request',
    ])
  })

  test('binds a refresh token to its client, and ends it with the connection', async () => {
    const { client, tokens } = await world.connect({ expiresInDays: 1 })
    expect(seen(await world.refresh({ id: document }, tokens.refresh_token))).toEqual(invalidGrant)
    world.clock.nowMs += dayMs - 30 * minuteMs
    const { body } = await world.refresh(client, tokens.refresh_token)
    expect(body.expires_in).toBe(1800)
    world.clock.nowMs += 30 * minuteMs
    expect(seen(await world.refresh(client, body.refresh_token))).toEqual(invalidGrant)
  })

  test('ignores an invented token of a known connection', async () => {
    const { client, tokens } = await world.connect()
    const forged = `${tokens.refresh_token.slice(0, 26)}${'A'.repeat(65)}`
    expect(seen(await world.refresh(client, forged))).toEqual(invalidGrant)
    expect(await world.use(tokens.access_token)).toBe(204)
  })

  test('accepts a replaced refresh token for two minutes; a later use ends the connection', async () => {
    const { client, tokens } = await world.connect()
    world.clock.nowMs += hourMs
    const second = (await world.refresh(client, tokens.refresh_token)).body
    expect(second.refresh_token).not.toBe(tokens.refresh_token)
    world.clock.nowMs += refreshGraceMs - 1
    expect((await world.refresh(client, tokens.refresh_token)).body).toMatchObject({
      access_token: second.access_token,
      refresh_token: second.refresh_token,
    })
    world.clock.nowMs += 1
    expect(await world.use(second.access_token)).toBe(204)
    expect(seen(await world.refresh(client, tokens.refresh_token))).toEqual(invalidGrant)
    expect(await world.use(second.access_token)).toBe(401)
    expect(seen(await world.refresh(client, second.refresh_token))).toEqual(invalidGrant)
  })

  test('leaves no valid token after a refresh that races a revocation', async () => {
    for (let i = 0; i < cases(12); i++) {
      const { user, client, tokens } = await world.connect()
      world.clock.nowMs += hourMs
      const [app] = await world.apps(user)
      const { grants, tokens: port } = world.ports
      const [refreshed] = await Promise.all([
        grants.refresh(tokens.refresh_token, client.id, world.clock.nowMs),
        port.revoke(app.id, iso(world.clock.nowMs)),
      ])
      if (refreshed.kind === 'issued') expect(await world.use(refreshed.issued.accessToken)).toBe(401)
    }
  })

  test('lets 50 programs share one connection for 30 days of refreshes without a new sign-in', async () => {
    const { user, client, tokens } = await world.connect()
    let shared = tokens
    let forced = 0
    const rounds = full ? most(30 * 24, 90) : 3
    for (let round = 0; round < rounds; round++) {
      world.clock.nowMs += (30 * dayMs) / rounds
      const held = shared.refresh_token
      const answers = await Promise.all(Array.from({ length: 50 }, () => world.refresh(client, held)))
      forced += answers.filter(({ status }) => status !== 200).length
      // All programs have the same token now, in any order of writing.
      expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
      shared = answers.at(-1)?.body
      // One program was slow, and another has refreshed again meanwhile.
      world.clock.nowMs += 70 * secondMs
      const next = await world.refresh(client, shared.refresh_token)
      const slow = await world.refresh(client, held)
      forced += [next, slow].filter(({ status }) => status !== 200).length
      shared = slow.body
      expect(shared.refresh_token).toBe(next.body.refresh_token)
    }
    expect(forced).toBe(0)
    expect(await world.use(shared.access_token)).toBe(204)
    expect(await world.apps(await world.session(user.record.userId))).toHaveLength(1)
    expect(seen(await world.refresh(client, tokens.refresh_token))).toEqual(invalidGrant)
    expect(await world.use(shared.access_token)).toBe(401)
  })
})

describe('revokeGrant', () => {
  test.each(['access_token', 'refresh_token'])('ends the connection with either token: %s', async (kind) => {
    const { user, client, tokens } = await world.connect()
    const { status } = await world.form('/oauth/revoke', { token: tokens[kind], client_id: client.id })
    expect(status).toBe(200)
    expect(await world.use(tokens.access_token)).toBe(401)
    expect((await world.refresh(client, tokens.refresh_token)).status).toBe(400)
    const { items } = await world.ports.audit.list(user.record.userId, { after: null, limit: 9 })
    expect(items.map(({ operation }) => operation)).toEqual(['revokeGrant', 'answerAuthorizationRequest'])
  })

  test('leaves a person’s own token, and reveals nothing about it', async () => {
    const { plaintext } = await world.bearer(['mcp:*'])
    for (const token of [plaintext, 'oss_x', ''])
      expect((await world.form('/oauth/revoke', { token, client_id: 'x' })).status).toBe(200)
    expect(await world.use(plaintext)).toBe(204)
  })

  test('a connection is listed with the last use of any of its tokens, and the program’s name', async () => {
    const { user, client, tokens } = await world.connect()
    const seen = async () => {
      const [app] = await world.apps(user)
      return [Date.parse(app.lastUsedAt) - Date.parse(app.createdAt), app.lastClient]
    }
    expect(await seen()).toEqual([0, undefined])
    world.clock.nowMs += 20 * minuteMs
    await world.use(tokens.access_token)
    expect(await seen()).toEqual([20 * minuteMs, undefined])
    world.clock.nowMs += 20 * minuteMs
    const { body: next } = await world.refresh(client, tokens.refresh_token)
    expect(await seen()).toEqual([40 * minuteMs, undefined])
    world.clock.nowMs += minuteMs
    await world.request({
      method: 'DELETE',
      path: '/mcp',
      headers: { Authorization: `Bearer ${next.access_token}`, 'User-Agent': 'claude-code/2.1.330' },
    })
    expect(await seen()).toEqual([41 * minuteMs, 'Claude Code'])
    world.clock.nowMs += minuteMs
    await world.use(tokens.access_token)
    expect((await seen())[0]).toBe(42 * minuteMs)
  })

  test('a user can also revoke a connection on the tokens page, and tokens that the app minted end with it', async () => {
    const { user, tokens } = await world.connect()
    const minted = await world.request({
      method: 'POST',
      path: '/tokens',
      headers: { Authorization: `Bearer ${tokens.access_token}` },
      body: { name: 'more', scopes: ['mcp:skills.read'] },
    })
    expect(minted.status).toBe(201)
    const [app] = (await world.apps(user)).filter((token: { app?: object }) => token.app)
    const reroll = { method: 'POST', path: `/tokens/${app.id}/reroll`, headers: { ...user.headers }, body: {} }
    expect((await world.request(reroll)).status).toBe(409)
    await world.request({ method: 'DELETE', path: '/tokens', query: { id: app.id }, headers: { ...user.headers } })
    expect([await world.use(tokens.access_token), await world.use(minted.body.plaintext)]).toEqual([401, 401])
  })
})
