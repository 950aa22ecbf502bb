import { createHash } from 'node:crypto'
import type { CallBodies } from '../../../app/ports/files.ts'
import { callBodyKey } from '../../../domain/files/storage.ts'
import { bodySlots, maxCallBytes } from '../../../domain/models/call-limits.ts'
import { limits } from '../../../domain/rates/rate-limits.ts'
import { maxBodyBytes } from '../../../lambdas/kit/body-limit.ts'
import { llmArea } from '../../../lambdas/llm/index.ts'
import { llmLargeArea } from '../../../lambdas/llm-large/index.ts'
import { counted } from '../../adapters/engine.ts'
import { openWorld, type Tenant, type TestRequest, type World } from '../../world.ts'
import { modelsOver } from './ports.ts'
import { answering, startUpstream, usage } from './upstream.ts'

let world: World
let upstream: Awaited<ReturnType<typeof startUpstream>>
/** The requests to S3, in order. */
let asked: string[] = []

beforeAll(async () => {
  upstream = await startUpstream()
  upstream.use(answering(200, { choices: [{ message: { content: 'Hi' } }], usage: usage(1_000, 10) }))
  world = await openWorld({
    areas: [llmArea, llmLargeArea],
    ports: ['storage'],
    clock: 'running',
    replace: ({ callBodies }) => ({ models: modelsOver(upstream.url), callBodies: noted(callBodies) }),
  })
})
beforeEach(() => {
  asked = []
  upstream.seen.length = 0
})
afterAll(async () => {
  await world.close()
  await upstream.close()
})

const noted = (port: CallBodies): CallBodies => ({
  putAddress: (...of) => port.putAddress(...of),
  read(...of) {
    asked.push('GET')
    return port.read(...of)
  },
  remove(...of) {
    asked.push('DELETE')
    return port.remove(...of)
  },
})

/** A user with a live machine of generation 2, and a hundred dollars by default. */
async function running(micros = 100_000_000): Promise<Tenant> {
  const tenant = await world.tenant({ generation: 2 })
  const at = '2026-11-20T12:00:00.000Z'
  if (micros > 0) await world.ports.wallets.creditOnce(tenant.userId, 'start', micros, 'adjustment', 'Start', at)
  return tenant
}

const image = (bytes: number) => `data:image/png;base64,${'A'.repeat(bytes)}`
const bodyOf = (bytes: number, word = 'What is this?') =>
  JSON.stringify({
    model: 'local/echo',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: word },
          { type: 'image_url', image_url: { url: image(bytes) } },
        ],
      },
    ],
  })
/** A body above the size limit of a request. Smaller bodies may be uploaded too, so most here are small. */
const beyond = bodyOf(5 * 2 ** 20)
const large = bodyOf(200_000)

const sha256 = (body: string) => createHash('sha256').update(body).digest()
const send = async (tenant: Tenant, sent: TestRequest, generation = 2) => {
  const headers = { ...(await world.machine(tenant, 'llm', generation)), ...sent.headers }
  return world.request({ method: 'POST', ...sent, headers })
}
const sign = (tenant: Tenant, body: string, more: TestRequest = {}, generation?: number) =>
  send(
    tenant,
    { path: '/llm/proxy/bodies', body: { size: body.length, sha256: sha256(body).toString('hex') }, ...more },
    generation,
  )
const put = (url: string, body: string, checksum = sha256(body).toString('base64')) =>
  fetch(url, { method: 'PUT', body, headers: { 'x-amz-checksum-sha256': checksum } })
const call = (tenant: Tenant, id: string, path = '/llm/proxy/large/v1/chat/completions', generation?: number) =>
  send(tenant, { path, headers: { 'x-berth-body': id } }, generation)

/** A stored body that waits for its call. */
async function handedOver(tenant: Tenant, body = large): Promise<string> {
  const { body: signed } = await sign(tenant, body)
  expect((await put(signed.url, body)).status).toBe(200)
  return signed.id
}

async function stored({ instance }: Tenant): Promise<string[]> {
  const keys: string[] = []
  for await (const key of world.ports.storage.list(callBodyKey(instance.id, ''))) keys.push(key)
  return keys
}

const accepts = (path: string, body: string, status: number) =>
  test(`reads and deletes an uploaded body at ${path}`, async () => {
    const tenant = await running()
    expect((await call(tenant, await handedOver(tenant, body), path)).status).toBe(status)
    expect([asked, await stored(tenant)]).toEqual([['GET', 'DELETE'], []])
  })

describe('signCallBody', () => {
  test('a call that names its body is treated like a call with the body', async () => {
    const tenant = await running()
    const answer = await call(tenant, await handedOver(tenant))
    expect([answer.status, answer.body.choices[0].message.content]).toEqual([200, 'Hi'])
    const seen = upstream.seen[0]?.body ?? {}
    expect(seen.messages).toEqual(JSON.parse(large).messages)
    const small = bodyOf(100)
    await send(tenant, { path: '/llm/proxy/v1/chat/completions', body: small })
    const without = (body: object) => ({ ...body, messages: null, max_completion_tokens: null, max_tokens: null })
    expect(without(seen)).toEqual(without(upstream.seen[1]?.body ?? {}))
  })

  describe('proxyLargeModelCall', () => accepts('/llm/proxy/large', beyond, 200))
  describe('countLargeTokens', () =>
    accepts('/llm/proxy/large/v1/messages/count_tokens', JSON.stringify({ ...JSON.parse(large), max_tokens: 5 }), 200))
  // The model cannot embed.
  describe('createLargeEmbeddings', () => accepts('/llm/proxy/large/v1/embeddings', large, 400))

  test('costs three store requests for the URL, and a call four more than one with its body', async () => {
    const tenant = await running()
    // The first call of each kind creates items that later calls find.
    await call(tenant, await handedOver(tenant))
    asked = []
    const signed = await counted(() => sign(tenant, large))
    expect(signed.calls.map(({ operation }) => operation)).toEqual(['UpdateItem', 'GetItem', 'UpdateItem'])
    await put(signed.result.body.url, large)
    const direct = await counted(() => send(tenant, { path: '/llm/proxy', body: bodyOf(100) }))
    const handed = await counted(() => call(tenant, signed.result.body.id, '/llm/proxy/large'))
    expect(handed.calls.map(({ operation }) => operation)).toEqual([
      ...['UpdateItem', 'UpdateItem', 'UpdateItem', 'GetItem'],
      ...direct.calls.map(({ operation }) => operation),
    ])
    expect(asked).toEqual(['GET', 'DELETE'])
  })

  test('accepts bodies up to 32 MB, and returns 413 above', async () => {
    const tenant = await running()
    const body = { size: maxCallBytes, sha256: '0'.repeat(64) }
    expect((await sign(tenant, '', { body })).status).toBe(200)
    const refused = await sign(tenant, '', { body: { ...body, size: maxCallBytes + 1 } })
    expect([refused.status, refused.body.error]).toEqual([413, 'too-large'])
  })
})

describe('an upload URL for a body', () => {
  test('accepts only these bytes', async () => {
    const tenant = await running()
    const { body: signed } = await sign(tenant, large)
    const other = large.replace('What', 'That')
    const tries = [
      put(signed.url, `${large} `),
      put(signed.url, large.slice(1)),
      put(signed.url, other),
      put(signed.url, other, sha256(large).toString('base64')),
      fetch(signed.url, { method: 'PUT', body: large }),
      fetch(signed.url),
      fetch(signed.url, { method: 'DELETE' }),
      put(signed.url.replace(signed.id, `1${signed.id}`), large),
      put(signed.url.replace(tenant.instance.id, 'ins_other'), large),
    ]
    for (const { status } of await Promise.all(tries)) expect([400, 403]).toContain(status)
    expect(await stored(tenant)).toEqual([])
    expect((await call(tenant, signed.id)).status).toBe(404)
  })

  test.each([-1, 1, 2 ** 16])('accepts its signed size, and none that differs by %i bytes', async (by) => {
    const tenant = await running()
    const body = { size: large.length - by, sha256: sha256(large).toString('hex') }
    const { body: signed } = await sign(tenant, large, { body })
    // The bytes match the checksum, so only the size is wrong.
    expect((await put(signed.url, large)).status).toBe(403)
    expect(await stored(tenant)).toEqual([])
  })

  test('is valid for five minutes', async () => {
    const { body: signed } = await sign(await running(), large)
    expect(new URL(signed.url).searchParams.get('X-Amz-Expires')).toBe('300')
  })
})

describe('a stored body of a call', () => {
  test('is used once, also by twenty concurrent calls, and is deleted then', async () => {
    const tenant = await running()
    const id = await handedOver(tenant)
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(tenant, id)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(19).fill(404)])
    expect([asked, await stored(tenant), upstream.seen.length]).toEqual([['GET', 'DELETE'], [], 1])
  })

  test('is downloaded once, even when more calls than the window allows name it', async () => {
    const tenant = await running()
    const id = await handedOver(tenant)
    const answers = await Promise.all(Array.from({ length: 100 }, () => call(tenant, id)))
    // A call that took the body may find the window full when it gets to its hold.
    for (const { status } of answers) expect([200, 404, 429]).toContain(status)
    expect([asked, await stored(tenant)]).toEqual([['GET', 'DELETE'], []])
    expect(upstream.seen.length).toBeLessThanOrEqual(1)
  })

  test('from another instance is unknown, and stays its owner’s', async () => {
    const [owner, other] = [await running(), await running()]
    const id = await handedOver(owner)
    const answer = await call(other, id)
    expect([answer.status, answer.body]).toEqual([
      404,
      { error: { type: 'not_found_error', code: 'not-found', message: expect.any(String), param: null } },
    ])
    expect(asked).toEqual([])
    expect((await call(owner, id)).status).toBe(200)
  })

  test.each([
    '../../../instances/x/chunks/0',
    '%2e%2e%2f',
    '1763640000000-abcdefghijkl--/../x',
    '1763640000000-abcdefghijkl--',
    '#open',
    '',
    'x'.repeat(5_000),
  ])('with the name %s does not exist: nothing is downloaded', async (id) => {
    const answer = await call(await running(), id, '/llm/proxy/large/v1/messages')
    expect([answer.status, answer.body.type, answer.body.error.type]).toEqual([404, 'error', 'not_found_error'])
    expect(asked).toEqual([])
  })

  test('that was never uploaded does not exist', async () => {
    const tenant = await running()
    const { body: signed } = await sign(tenant, large)
    expect((await call(tenant, signed.id)).status).toBe(404)
  })

  test('is rejected next to a second body', async () => {
    const tenant = await running()
    const headers = { 'x-berth-body': await handedOver(tenant) }
    const answer = await send(tenant, { path: '/llm/proxy/large', body: bodyOf(10), headers })
    expect([answer.status, answer.body.details]).toEqual([400, { 'x-berth-body': [expect.any(String)] }])
    expect(asked).toEqual([])
  })

  test.each([
    '/llm/proxy',
    '/llm/proxy/v1/messages',
    '/llm/proxy/v1/embeddings',
    '/llm/proxy/v1/messages/count_tokens',
  ])('is refused at %s, whose function has too little memory, and stays valid', async (path) => {
    const tenant = await running()
    const id = await handedOver(tenant)
    const answer = await call(tenant, id, path)
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining('/llm/proxy/large')])
    expect(asked).toEqual([])
    expect((await call(tenant, id)).status).toBe(200)
  })

  test('is required by the addresses for uploaded bodies', async () => {
    const answer = await send(await running(), { path: '/llm/proxy/large', body: bodyOf(10) })
    expect([answer.status, answer.body.details]).toEqual([400, { 'x-berth-body': [expect.any(String)] }])
  })

  test('is useless to a token of the user’s own programs', async () => {
    const tenant = await running()
    const id = await handedOver(tenant)
    const { headers } = await world.bearer(['api:llm'], tenant.userId)
    for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/messages/count_tokens']) {
      const { status, body } = await world.request({
        method: 'POST',
        path,
        headers: { ...headers, 'x-berth-body': id },
      })
      expect([status, body.error.code]).toEqual([400, 'invalid-json'])
    }
    const signed = { path: '/llm/proxy/bodies', body: { size: 1, sha256: '0'.repeat(64) } }
    expect((await world.request({ method: 'POST', ...signed, headers })).status).toBe(401)
    expect(asked).toEqual([])
    expect((await call(tenant, id)).status).toBe(200)
  })

  test('with a field that the rules reject is rejected like any other, and deleted', async () => {
    const tenant = await running()
    const closed = JSON.stringify({ ...JSON.parse(large), background: true })
    const answer = await call(tenant, await handedOver(tenant, closed))
    expect([answer.status, answer.body.error.param]).toEqual([400, 'background'])
    const broken = await call(tenant, await handedOver(tenant, large.slice(0, -1)))
    expect([broken.status, broken.body.error.code]).toEqual([400, 'invalid-json'])
    expect([await stored(tenant), upstream.seen]).toEqual([[], []])
  })

  test('with millions of small values is rejected, because its parts would fill the memory', async () => {
    const tenant = await running()
    const text = large.replace('{', `{"x":[${'{},'.repeat(1_000_000)}{}],`)
    const answer = await call(tenant, await handedOver(tenant, text))
    expect([answer.status, answer.body.error.code, upstream.seen]).toEqual([413, 'too-large', []])
  })

  test('is deleted when its instance is erased', async () => {
    const tenant = await running()
    await handedOver(tenant)
    expect(await stored(tenant)).toHaveLength(1)
    const { artifacts } = await import('../../../adapters/aws/artifacts.ts')
    expect(await artifacts(world.env).erase(tenant.instance.id)).toBe(true)
    expect(await stored(tenant)).toEqual([])
  })
})

describe('nothing is signed, downloaded or stored', () => {
  test('for a dead machine', async () => {
    const tenant = await running()
    const id = await handedOver(tenant)
    const answers = [await sign(tenant, large, {}, 1), await call(tenant, id, '/llm/proxy/large', 1)]
    expect(answers.map(({ status }) => status)).toEqual([401, 401])
    expect(asked).toEqual([])
  })

  test('for a machine above its rate limit, whose refusals cost nothing', async () => {
    const tenant = await running()
    const id = await handedOver(tenant)
    const headers = await world.machine(tenant, 'llm')
    const again = (more: TestRequest) => world.request({ method: 'POST', headers, ...more })
    const body = { size: large.length, sha256: '0'.repeat(64) }
    for (let i = 0; i <= limits.llm; i++) await again({ path: '/llm/proxy/bodies', body: {} })
    const { result, calls } = await counted(async () => [
      await again({ path: '/llm/proxy/large', headers: { ...headers, 'x-berth-body': id } }),
      await again({ path: '/llm/proxy/bodies', body }),
    ])
    expect([result.map(({ status }) => status), calls, asked]).toEqual([[429, 429], [], []])
  })

  test.each([
    ['an empty wallet', 'wallet-empty', 0, async () => {}],
    [
      'a suspended wallet',
      'wallet-suspended',
      1_000_000,
      (userId: string) => world.ports.wallets.freeze(userId, 'fraud', 1),
    ],
    [
      'a reached limit',
      'spending-limit',
      1_000_000,
      async (userId: string) => {
        const { caps } = await world.ports.wallets.read(userId)
        await world.ports.wallets.setCaps(userId, { ...caps, day: 0 }, Date.now())
      },
    ],
  ])('for %s', async (_, code, micros, befall) => {
    const tenant = await running(micros)
    const early = micros > 0 ? await handedOver(tenant) : null
    await befall(tenant.userId)
    const refused = await sign(tenant, large)
    expect([refused.status, refused.body.error]).toEqual([402, code])
    if (early) {
      const answer = await call(tenant, early)
      expect([answer.status, answer.body.error.code, asked]).toEqual([402, code, ['DELETE']])
    }
    expect(await stored(tenant)).toEqual([])
    const events = await world.ports.events.after(tenant.userId, 'evt_', 50)
    const told = events.filter(({ type }) => type === 'wallet.limit_reached')
    expect(told.map(({ data }) => data.of)).toEqual(code === 'spending-limit' ? ['day'] : [])
  })

  test('above thirty at once, however many are requested', async () => {
    const tenant = await running()
    const answers = await Promise.all(Array.from({ length: 50 }, () => sign(tenant, large)))
    const given = answers.filter(({ status }) => status === 200)
    expect(given).toHaveLength(bodySlots.max)
    for (const { status, headers } of answers.filter((answer) => !given.includes(answer))) {
      expect(status).toBe(429)
      expect(Number(headers['Retry-After'])).toBeLessThanOrEqual(bodySlots.ttlMs / 1000 + 1)
    }
    // The URL of a used body stays valid, so a used body frees no place.
    expect((await call(tenant, given[0]?.body.id)).status).toBe(404)
    expect((await sign(tenant, large)).status).toBe(429)
    world.clock.nowMs += bodySlots.ttlMs
    expect((await sign(tenant, large)).status).toBe(200)
  })
})

describe('a call with a body above 4 MB', () => {
  const over = bodyOf(maxBodyBytes)
  test.each([
    ['/v1/chat/completions', { error: { type: 'invalid_request_error', code: 'too-large', param: null } }],
    ['/v1/responses', { error: { type: 'invalid_request_error', code: 'too-large', param: null } }],
    ['/v1/messages', { type: 'error', error: { type: 'request_too_large', code: 'too-large' } }],
    ['/v1/messages/count_tokens', { type: 'error', error: { type: 'request_too_large', code: 'too-large' } }],
  ])('from a laptop at %s returns 413 in the vendor’s format, with the next step', async (path, told) => {
    const { headers } = await world.bearer(['api:llm'], (await running()).userId)
    const { status, body } = await world.request({ method: 'POST', path, headers, body: over })
    expect([status, body]).toMatchObject([413, told])
    expect(body.error.message).toMatch(/at most 4 MB\. Send fewer or smaller images, .* up to 32 MB/)
  })

  test('from a machine returns 413 and names the way', async () => {
    const { status, body } = await send(await running(), { path: '/llm/proxy', body: over })
    expect([status, body.error]).toEqual([413, 'too-large'])
    expect(body.message).toContain('POST /llm/proxy/bodies')
  })
})
