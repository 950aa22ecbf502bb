import { AsyncLocalStorage } from 'node:async_hooks'
import Anthropic from '@anthropic-ai/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { budgetOf } from '../../../app/tokens/budget.ts'
import { recheckMs } from '../../../domain/lifetimes.ts'
import { alikeLimit } from '../../../domain/models/call-limits.ts'
import { pricedModels } from '../../../domain/models/prices.ts'
import { iso } from '../../../domain/time.ts'
import { noCaps } from '../../../domain/tokens/caps.ts'
import { decideMint, decideReroll, type PatRecord } from '../../../domain/tokens/pat.ts'
import { capsOf } from '../../../domain/wallet/limits.ts'
import { closedReason } from '../../../domain/wallet/state.ts'
import { llmArea } from '../../../lambdas/llm/index.ts'
import { until } from '../../until.ts'
import { openWorld, readResponse, type World } from '../../world.ts'
import { anthropic, responses } from './format-cases.ts'
import { echo, modelsOver } from './ports.ts'
import { answering, delta, sse, startUpstream, stop, usage, usageChunk } from './upstream.ts'

let world: World
let upstream: Awaited<ReturnType<typeof startUpstream>>
const [embedding = echo] = pricedModels.filter(({ id }) => id === 'local/echo-embedding')
/** Runs between the admission of a call and its hold. */
let meanwhile = async (): Promise<void> => {}
beforeAll(async () => {
  upstream = await startUpstream()
  const models = modelsOver(upstream.url, [echo, embedding, responses.model, anthropic.model])
  // The snapshot keeps the writes of this test out of the transaction that the call has open.
  const elsewhere = AsyncLocalStorage.snapshot()
  world = await openWorld({
    areas: [llmArea],
    ports: ['grants', 'users'],
    replace: ({ wallets }) => {
      const hold: typeof wallets.hold = async (...asked) => {
        await elsewhere(() => meanwhile())
        return wallets.hold(...asked)
      }
      return { models, wallets: { ...wallets, hold } }
    },
  })
})
beforeEach(() => {
  meanwhile = async () => {}
  upstream.use(answering(200, { choices: [{ message: { content: 'Hi' } }], usage: usage(1_000, 10) }))
})
afterEach(() => {
  jest.useRealTimers()
  upstream.drop()
})
afterAll(async () => {
  await world.close()
  await upstream.close()
})

const hello = { model: 'local/echo', messages: [{ role: 'user', content: 'Anything to do?' }], max_tokens: 100 }

/** A person with a token for their own programs and no machine. */
async function person(micros = 1_000_000, capMicros?: number) {
  const userId = world.newUserId()
  const credited = iso(world.clock.nowMs)
  if (micros > 0) await world.ports.wallets.creditOnce(userId, 'start', micros, 'adjustment', 'Start', credited)
  const times = { createdAt: credited, expiresAt: iso(world.clock.nowMs + 864e5), lastUsedAt: null, revokedAt: null }
  const wanted = { userId, name: 'laptop', scopes: ['api:llm' as const], ...times }
  const { record, plaintext } = await world.ports.tokens.mint({
    ...wanted,
    ...(capMicros !== undefined && { capMicros }),
  })
  return { userId, token: record, plaintext, headers: { Authorization: `Bearer ${plaintext}` } }
}

const call = (headers: Record<string, string>, body: object = hello, path = '/v1/chat/completions') =>
  world.request({ method: 'POST', path, headers, body })

async function receiptsOf(userId: string) {
  const { items } = await world.ports.wallets.transactions(userId, { after: null, limit: 50, type: 'usage' })
  return items.flatMap(({ receipt }) => receipt ?? [])
}

describe('callModel', () => {
  test.each([
    ['/v1/chat/completions', hello],
    ['/v1/v1/chat/completions', hello],
  ])('%s is paid from the wallet, with a receipt of trigger api', async (path, body) => {
    const { userId, token, headers } = await person()
    expect(await call(headers, body, path)).toMatchObject({ status: 200, body: { choices: [{}] } })
    const [receipt] = await receiptsOf(userId)
    expect(receipt).toMatchObject({ trigger: 'api', tokenId: token.id, settledBecause: 'usage' })
    expect(await world.ports.wallets.spentByTokens(userId, world.clock.nowMs)).toMatchObject({
      [token.id]: { total: receipt?.settledMicros },
    })
    expect(await world.ports.wallets.read(userId)).toMatchObject({
      available: 1_000_000 - (receipt?.settledMicros ?? 0),
    })
  })

  test('serves Anthropic’s own client with the host as base URL and the key in x-api-key', async () => {
    upstream.use(answering(200, { content: [], usage: { input_tokens: 10, output_tokens: 1 } }))
    const { plaintext } = await person()
    const asked: string[] = []
    const fetch = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
      const { pathname } = new URL(String(url))
      asked.push(pathname)
      const headers = Object.fromEntries(new Headers(init.headers))
      const { status, text } = await world.request({ method: 'POST', path: pathname, headers, body: String(init.body) })
      return new Response(text, { status, headers: { 'content-type': 'application/json' } })
    }
    const claude = new Anthropic({ baseURL: 'https://berth.example.com', apiKey: plaintext, maxRetries: 0, fetch })
    await claude.messages.create(anthropic.ask)
    expect(asked).toEqual(['/v1/messages'])
    expect(upstream.seen).toMatchObject([{ path: '/anthropic-messages' }])
    const poor = new Anthropic({ baseURL: 'https://berth.example.com', apiKey: (await person(0)).plaintext, fetch })
    await expect(poor.messages.create(anthropic.ask)).rejects.toMatchObject({
      status: 402,
      error: { type: 'error', error: { code: 'wallet-empty' } },
    })
  })

  test('requires a token with its own scope, and that token opens no address of a machine', async () => {
    const { headers } = await person()
    const tenant = await world.tenant()
    const others = [
      [401, {}],
      [401, { Authorization: 'Bearer oss_nonsense' }],
      [401, (await world.session()).headers],
      [401, await world.machine(tenant, 'llm')],
      [403, (await world.bearer(['mcp:*', 'api:chat', 'api:instance', 'api:tokens.write'])).headers],
    ] as const
    for (const [status, their] of others) expect(await call(their)).toMatchObject({ status, body: { error: {} } })
    expect(await call(headers, hello, '/llm/proxy')).toMatchObject({ status: 401 })
    expect(upstream.seen).toEqual([])
  })

  test('rejects a claim of another trigger, and a machine’s claim of trigger api', async () => {
    const { userId, headers } = await person()
    await call({ ...headers, 'x-berth-trigger': 'chat', 'x-berth-turn': 'anything' })
    expect(await receiptsOf(userId)).toMatchObject([{ trigger: 'api' }])
    const tenant = await world.tenant({ generation: 1 })
    const machine = { ...(await world.machine(tenant, 'llm')), 'x-berth-trigger': 'api' }
    expect(await call(machine, hello, '/llm/proxy')).toMatchObject({ status: 400, body: { error: 'validation' } })
  })

  test('does not lock a machine out of its own address after it tries its key here', async () => {
    const tenant = await world.tenant({ generation: 1 })
    await world.ports.wallets.creditOnce(tenant.userId, 'start', 1_000, 'adjustment', 'Start', iso(world.clock.nowMs))
    const machine = await world.machine(tenant, 'llm')
    expect(await call(machine)).toMatchObject({ status: 401 })
    expect(await call(machine, hello, '/llm/proxy')).toMatchObject({ status: 200 })
  })

  test('keeps no machine awake', async () => {
    const { userId } = await world.tenant()
    await world.ports.wallets.creditOnce(userId, 'start', 1_000_000, 'adjustment', 'Start', iso(world.clock.nowMs))
    const before = await world.ports.instances.find(userId)
    const { headers } = await world.bearer(['api:llm'], userId)
    expect(await call(headers)).toMatchObject({ status: 200 })
    expect(await world.ports.instances.find(userId)).toEqual(before)
  })

  test('is refused by a suspended wallet, by the day’s cap and by the cap on the user’s own programs', async () => {
    const frozen = await person()
    await world.ports.wallets.freeze(frozen.userId, 'a dispute', world.clock.nowMs)
    expect(await call(frozen.headers)).toMatchObject({ status: 402, body: { error: { code: 'wallet-suspended' } } })
    const capped = await person()
    const caps = capsOf({ dailyCapCents: 500, triggerCapsCents: { api: 0 } })
    await world.ports.wallets.setCaps(capped.userId, caps, world.clock.nowMs)
    const refused = await call(capped.headers)
    expect(refused).toMatchObject({ status: 402, body: { error: { code: 'spending-limit' } } })
    expect(refused.body.error.message).toContain('Today’s limit of $0.00 for your own clients')
  })

  test('called repeatedly with the same prompt by a program does not silence the user’s machine', async () => {
    const tenant = await world.tenant({ generation: 1 })
    const { userId } = tenant
    await world.ports.wallets.creditOnce(userId, 'start', 4_000_000, 'adjustment', 'Start', iso(world.clock.nowMs))
    const { headers } = await world.bearer(['api:llm'], userId)
    for (let i = 0; i <= alikeLimit; i++) expect(await call(headers)).toMatchObject({ status: 200 })
    expect(await call(await world.machine(tenant, 'llm'), hello, '/llm/proxy')).toMatchObject({ status: 200 })
  })
})

describe('createApiEmbeddings', () => {
  const vectors = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.5] }], model: 'm' }
  const ask = (headers: Record<string, string>, path = '/v1/embeddings') =>
    call(headers, { model: 'local/echo-embedding', input: 'Hi' }, path)

  test('is paid from the wallet and the token’s cap, with a receipt of trigger api', async () => {
    upstream.use(answering(200, { ...vectors, usage: { prompt_tokens: 4, total_tokens: 4 } }))
    for (const path of ['/v1/embeddings', '/v1/v1/embeddings']) {
      const { userId, token, headers } = await person()
      expect(await ask(headers, path)).toMatchObject({ status: 200, body: { data: [{ embedding: [0.5] }] } })
      const [receipt] = await receiptsOf(userId)
      expect(receipt).toMatchObject({ trigger: 'api', tokenId: token.id, inputTokens: 4, settledBecause: 'usage' })
      expect(await world.ports.wallets.spentByTokens(userId, world.clock.nowMs)).toMatchObject({
        [token.id]: { total: receipt?.settledMicros },
      })
    }
  })

  test('requires a token with its own scope, and refuses with errors in OpenAI’s format', async () => {
    expect(await ask({})).toMatchObject({ status: 401, body: { error: { type: 'authentication_error' } } })
    const other = await world.bearer(['mcp:*', 'api:chat'])
    expect(await ask(other.headers)).toMatchObject({ status: 403, body: { error: { type: 'permission_error' } } })
    expect(await ask((await person(0)).headers)).toMatchObject({
      status: 402,
      body: { error: { code: 'wallet-empty' } },
    })
    expect(upstream.seen).toEqual([])
  })

  test('has its models in the list for OpenAI’s SDKs, but not in the list for Anthropic’s', async () => {
    const { headers } = await person()
    const list = async (more: object = {}) => {
      const { body } = await world.request({ method: 'GET', path: '/v1/models', headers: { ...headers, ...more } })
      return body.data.map(({ id }: { id: string }) => id)
    }
    expect(await list()).toContain('local/echo-embedding')
    expect(await list({ 'anthropic-version': '2023-06-01' })).not.toContain('local/echo-embedding')
  })
})

describe('the addresses of SDKs', () => {
  const ask = async (method: string, path: string, headers: Record<string, string> = {}) =>
    readResponse(await world.areaHandler(llmArea)({ method, path, headers }))

  // https://github.com/1rgs/claude-code-proxy/issues/60, https://github.com/bricks-cloud/BricksLLM/issues/80
  test.each([
    ['POST', '/v1/completions', 404],
    ['GET', '/v1/models/openai/gpt-5-mini/more', 404],
    ['POST', '/llm/proxy/v1/images/generations', 404],
    ['GET', '/v1/chat/completions', 405],
    ['DELETE', '/llm/proxy/v1/models', 405],
  ])(
    '%s %s is unknown and fails in OpenAI’s format, or in Anthropic’s for its clients',
    async (method, path, status) => {
      const error = { message: expect.any(String), type: 'not_found_error', code: 'not-found' }
      const openai = await ask(method, path)
      expect(openai).toMatchObject({
        status,
        body: { error: { message: expect.any(String), code: 'not-found', param: null } },
      })
      const anthropic = await ask(method, path, { 'anthropic-version': '2023-06-01' })
      expect(anthropic).toMatchObject({
        status,
        body: { type: 'error', error: { message: error.message, code: 'not-found' } },
      })
      expect(openai.headers.Allow === undefined).toBe(status === 404)
    },
  )

  test('below /v1/messages fail in Anthropic’s format for every client, and all others as before', async () => {
    expect(await ask('GET', '/v1/messages')).toMatchObject({ status: 405, body: { type: 'error' } })
    expect(await ask('GET', '/v1/messages/batches')).toMatchObject({ status: 404, body: { type: 'error' } })
    expect(await ask('GET', '/llm/proxy')).toMatchObject({ status: 405, body: { error: 'not-found' } })
    expect(await ask('GET', '/v2/models')).toMatchObject({ status: 404, body: { error: 'not-found' } })
  })
})

describe('callModel and the cap of its token', () => {
  test('a call above the cap fails with a message that names the token and the page to change it', async () => {
    const { userId, token, headers } = await person(1_000_000, 50)
    const refused = await call(headers, { ...hello, messages: [{ role: 'user', content: 'x'.repeat(2_000) }] })
    expect(refused).toMatchObject({ status: 402, body: { error: { code: 'spending-limit' } } })
    expect(refused.body.error.message).toMatch(
      /^The token “laptop” has \$0\.00005 left of the \$0\.00005 .* Change its limit on the tokens page of the dashboard\.$/,
    )
    expect(upstream.seen).toEqual([])
    await world.ports.tokens.change(token, { capMicros: 1_000_000 })
    expect(await call(headers)).toMatchObject({ status: 200 })
    const [receipt] = await receiptsOf(userId)
    expect(await world.ports.wallets.spentByTokens(userId, world.clock.nowMs)).toMatchObject({
      [token.id]: { total: receipt?.settledMicros },
    })
  })

  test.each(['dailyCapMicros', 'monthlyCapMicros'] as const)(
    'a new %s applies at once, and the refusal offers to wait',
    async (cap) => {
      const { userId, token, headers } = await person(1_000_000)
      await world.ports.tokens.change(token, { [cap]: 0 })
      const refused = await call(headers)
      expect(refused).toMatchObject({ status: 402, body: { error: { code: 'spending-limit' } } })
      expect(refused.body.error.message).toMatch(/ on the tokens page of the dashboard, or wait until 00:00 UTC/)
      const period = iso(world.clock.nowMs).slice(0, cap === 'dailyCapMicros' ? 10 : 7)
      const told = (await world.ports.events.after(userId, 'evt_', 50)).filter(
        ({ type }) => type === 'wallet.limit_reached',
      )
      expect(told).toMatchObject([{ data: { period, capMicros: 0, tokenId: token.id, name: 'laptop' } }])
      await world.ports.tokens.change(token, { [cap]: null })
      expect(await call(headers)).toMatchObject({ status: 200 })
    },
  )

  // https://github.com/BerriAI/litellm/issues/27394 and https://github.com/BerriAI/litellm/issues/11962
  test('a cap on the token does not lift a cap on the account', async () => {
    const { userId, headers } = await person(1_000_000, 900_000)
    const caps = capsOf({ dailyCapCents: 500, triggerCapsCents: { api: 0 } })
    await world.ports.wallets.setCaps(userId, caps, world.clock.nowMs)
    const refused = await call(headers)
    expect(refused).toMatchObject({ status: 402, body: { error: { code: 'spending-limit' } } })
    expect(refused.body.error.message).toContain('Today’s limit')
  })

  test('the rest of the cap limits the response, and other tokens still work', async () => {
    const { userId, headers } = await person(1_000_000, 1_000)
    await call(headers, { ...hello, max_tokens: 8_000 })
    expect(upstream.seen[0]?.body.max_tokens ?? upstream.seen[0]?.body.max_completion_tokens).toBeLessThan(8_000)
    const other = await world.bearer(['api:llm'], userId)
    expect(await call(other.headers)).toMatchObject({ status: 200 })
  })

  // https://github.com/BerriAI/litellm/issues/1632
  test('a cap that is set later includes the spending of tokens minted earlier, at any depth', async () => {
    const { userId, token, headers } = await person()
    const mintBy = async (by: PatRecord) => {
      const { caps: _, ...count } = await budgetOf(world.ports, by)
      const actor = { kind: 'pat' as const, userId, tokenId: by.id, scopes: by.scopes, expiresAt: by.expiresAt }
      const wanted = decideMint(actor, { name: 'below', scopes: ['api:llm'] }, world.clock.nowMs, {
        ...count,
        caps: noCaps,
      })
      const { record, plaintext } = await world.ports.tokens.mint(wanted)
      return { record, headers: { Authorization: `Bearer ${plaintext}` } }
    }
    const child = await mintBy(token)
    const grandchild = await mintBy(child.record)
    for (const by of [child, grandchild]) expect(await call(by.headers)).toMatchObject({ status: 200 })
    const spent = (await receiptsOf(userId)).reduce((sum, { settledMicros }) => sum + settledMicros, 0)
    expect(await world.ports.wallets.spentByTokens(userId, world.clock.nowMs)).toMatchObject({
      [token.id]: { total: spent },
    })
    await world.ports.tokens.change(token, { capMicros: spent })
    for (const by of [{ headers }, child, grandchild]) expect(await call(by.headers)).toMatchObject({ status: 402 })
  })

  test('a cap that is set later limits tokens minted before tokens recorded their ancestors', async () => {
    const { token } = await person()
    const { id: _, tokenPrefix: __, ...wanted } = token
    const child = await world.ports.tokens.mint({ ...wanted, mintedBy: token.id })
    const grandchild = await world.ports.tokens.mint({ ...wanted, mintedBy: child.record.id })
    await world.ports.tokens.change(token, { dailyCapMicros: 0 })
    for (const { plaintext } of [child, grandchild])
      expect(await call({ Authorization: `Bearer ${plaintext}` })).toMatchObject({ status: 402 })
  })

  test('a cap set on a rerolled token also limits the token it replaces, while that is valid', async () => {
    const { userId, token, headers } = await person()
    const session = { kind: 'session' as const, userId, sessionId: 'ses_x', signedInAt: iso(world.clock.nowMs) }
    const { next, endsAt } = decideReroll(session, token, 24, world.clock.nowMs)
    const { record, plaintext } = await world.ports.tokens.reroll(token, next, endsAt)
    expect(await call(headers)).toMatchObject({ status: 200 })
    await world.ports.tokens.change(record, { name: 'new', capMicros: 1 })
    for (const by of [headers, { Authorization: `Bearer ${plaintext}` }])
      expect(await call(by)).toMatchObject({ status: 402, body: { error: { code: 'spending-limit' } } })
    expect(await world.ports.tokens.find(token.id)).toMatchObject({ name: 'laptop' })
  })

  test('all tokens of an app share one count, however often the app refreshes them', async () => {
    const { userId } = await person()
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
    const [clientId, redirectUri] = ['cli_x', 'http://127.0.0.1/callback']
    const grantId = world.ports.tokens.newSecret().id
    const allowed = { grantId, userId, clientId, name: 'An app', host: 'here', redirectUri, challenge }
    const grantEndsAt = iso(world.clock.nowMs + 30 * 864e5)
    const code = await world.ports.grants.issueCode(
      { ...allowed, scopes: ['api:llm'], grantEndsAt, capMicros: 1_000_000 },
      world.clock.nowMs,
    )
    const first = await world.ports.grants.redeem(code, { clientId, redirectUri, verifier }, world.clock.nowMs)
    if (first.kind !== 'issued') throw new Error(first.kind)
    const spend = (accessToken: string) => call({ Authorization: `Bearer ${accessToken}` })
    expect(await spend(first.issued.accessToken)).toMatchObject({ status: 200 })
    world.clock.nowMs += 5 * 60_000
    const next = await world.ports.grants.refresh(first.issued.refreshToken, clientId, world.clock.nowMs)
    if (next.kind !== 'issued') throw new Error(next.kind)
    expect(next.issued.accessToken).not.toBe(first.issued.accessToken)
    expect(await spend(next.issued.accessToken)).toMatchObject({ status: 200 })
    const receipts = await receiptsOf(userId)
    expect(receipts.map(({ tokenId }) => tokenId)).toEqual([grantId, grantId])
    const spent = receipts.reduce((sum, { settledMicros }) => sum + settledMicros, 0)
    expect(await world.ports.wallets.spentByTokens(userId, world.clock.nowMs)).toEqual({
      [grantId]: { total: spent, day: spent, month: spent },
    })
    // A changed cap also applies to the tokens that the grant has already issued.
    const grant = await world.ports.tokens.find(grantId)
    if (grant) await world.ports.tokens.change(grant, { capMicros: spent })
    expect(await spend(next.issued.accessToken)).toMatchObject({ status: 402 })
  })
})

/** Runs an action in the middle of a streamed response, and returns whether the next check cut the call. */
async function cutWhileAnswered(headers: Record<string, string>, act: () => Promise<unknown>) {
  let begun: () => void = () => {}
  const began = new Promise<void>((resolve) => {
    begun = resolve
  })
  let isLetGo = false
  upstream.use((response) => {
    response.on('close', () => {
      isLetGo = true
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(sse(delta('Some words of an answer that goes on')))
    begun()
  })
  const others = ['nextTick', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout', 'Date'] as const
  jest.useFakeTimers({ doNotFake: [...others, 'performance', 'hrtime', 'queueMicrotask'] })
  const answer = call(headers, { ...hello, stream: true })
  await began
  await act()
  await jest.advanceTimersByTimeAsync(recheckMs)
  const wasCut = await until(() => isLetGo, 3_000).catch(() => false)
  upstream.drop()
  return { wasCut, text: (await answer).text }
}

describe('callModel when its wallet is suspended', () => {
  // Closing an account suspends its wallet before it ends anything else.
  test('cuts a running response at the next check, although its token is still valid', async () => {
    const { userId, headers } = await person()
    const { wasCut } = await cutWhileAnswered(headers, () =>
      world.ports.wallets.freeze(userId, closedReason, world.clock.nowMs),
    )
    expect(wasCut).toBe(true)
    expect(await receiptsOf(userId)).toMatchObject([{ settledBecause: 'interrupted' }])
    expect(await world.ports.wallets.read(userId)).toMatchObject({ holds: {} })
  })
})

describe('callModel when its token is revoked', () => {
  test('refuses a call before its hold, and holds nothing', async () => {
    const { userId, token, headers } = await person()
    meanwhile = async () => void (await world.ports.tokens.revoke(token.id, iso(world.clock.nowMs)))
    expect(await call(headers)).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } })
    expect(upstream.seen).toEqual([])
    expect(await world.ports.wallets.read(userId)).toMatchObject({ available: 1_000_000, holds: {} })
    expect(await world.ports.wallets.spentByTokens(userId, world.clock.nowMs)).toEqual({})
  })

  test('cuts a running response at the next check, and charges for the delivered part', async () => {
    const { userId, token, headers } = await person()
    const { wasCut, text } = await cutWhileAnswered(headers, () =>
      world.ports.tokens.revoke(token.id, iso(world.clock.nowMs)),
    )
    expect(wasCut).toBe(true)
    expect(text).toContain('The model provider ended the stream early')
    const [receipt] = await receiptsOf(userId)
    expect(receipt).toMatchObject({ settledBecause: 'interrupted', trigger: 'api' })
    expect(await world.ports.wallets.read(userId)).toMatchObject({ holds: {} })
    expect(await world.ports.wallets.spentByTokens(userId, world.clock.nowMs)).toMatchObject({
      [token.id]: { total: receipt?.settledMicros },
    })
  })

  test('completes a response whose token expires or is replaced meanwhile', async () => {
    const { token, headers } = await person()
    upstream.use((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      world.clock.nowMs += 864e5
      response.end(sse(delta('Hi'), stop, usageChunk(usage(10, 1)), '[DONE]'))
    })
    expect((await call(headers, { ...hello, stream: true })).text).toContain('[DONE]')
    expect(Date.parse(token.expiresAt)).toBeLessThanOrEqual(world.clock.nowMs)
    expect(await call(headers)).toMatchObject({ status: 401 })
  })
})

describe('listApiModels', () => {
  test('lists the models that can be called, in the format of the calling SDK', async () => {
    const { headers } = await person()
    const listed = await world.request({ path: '/v1/models', headers })
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toContain('local/echo')
    expect(await world.request({ path: '/v1/models' })).toMatchObject({ status: 401 })
  })
})

describe('getApiModel', () => {
  test('returns one model, or not-found in the format of the calling SDK', async () => {
    const { headers } = await person()
    const found = await world.request({ path: '/v1/models/local%2Fecho', headers })
    expect(found).toMatchObject({ status: 200, body: { id: 'local/echo' } })
    const theirs = { ...headers, 'anthropic-version': '2023-06-01' }
    expect(await world.request({ path: '/v1/models/nothing', headers: theirs })).toMatchObject({
      status: 404,
      body: { type: 'error' },
    })
  })
})

describe('countApiTokens', () => {
  test('is free', async () => {
    const { userId, headers } = await person()
    const counted = await call(headers, anthropic.ask, '/v1/messages/count_tokens')
    expect(counted).toMatchObject({ status: 200, body: { input_tokens: expect.any(Number) } })
    expect(await world.ports.wallets.read(userId)).toMatchObject({ available: 1_000_000 })
  })
})
