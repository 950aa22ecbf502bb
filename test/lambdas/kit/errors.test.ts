import { gzipSync } from 'node:zlib'
import * as z from 'zod'
import { codes, DomainError } from '../../../domain/errors.ts'
import { redact } from '../../../domain/redaction.ts'
import { errorBody, statusOf } from '../../../lambdas/kit/errors.ts'
import { makeLogger } from '../../../lambdas/kit/log-redaction.ts'
import { type AnyOperation, operation } from '../../../lambdas/kit/operation.ts'
import { counted } from '../../adapters/engine.ts'
import { openWorld, type TestRequest, type World } from '../../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const putThing = operation({
  id: 'putThing',
  summary: 'A thing',
  http: { method: 'POST', path: '/things/{id}' },
  auth: 'none',
  limit: null,
  input: z.strictObject({ id: z.string().max(20), name: z.string().min(1), size: z.int().optional() }),
  output: z.object({ name: z.string() }),
  errors: [],
  uses: {},
  run: async ({ input }) => ({ name: input.name }),
})
const listThings = operation({
  id: 'listThings',
  summary: 'Things',
  http: { method: 'GET', path: '/things' },
  auth: 'none',
  limit: null,
  errors: [],
  input: z.strictObject({ kind: z.string(), cursor: z.string().optional() }),
  output: z.object({ cursor: z.string().nullable(), nextCursor: z.string().nullable() }),
  uses: {},
  run: async ({ input }) => ({ cursor: input.cursor ?? null, nextCursor: 'dHhuXzE' }),
})

const asked = (more: Partial<TestRequest> = {}): TestRequest => ({
  method: 'POST',
  path: '/things/one',
  headers: { 'Content-Type': 'application/json' },
  body: '{"name":"a"}',
  ...more,
})

describe('each error', () => {
  const throwing = (error: unknown): AnyOperation => ({
    ...putThing,
    run: async () => {
      throw error
    },
  })

  test.each(codes)('%s has its status, the error’s shape and the request’s id', async (code) => {
    const error = new DomainError(code, 'Said.', { details: { name: ['why'] }, retryAfterSeconds: 7 })
    const { status, body, headers, requestId } = await world.client([throwing(error)])(asked())
    expect([status, body.error]).toEqual([statusOf[code], code])
    expect(errorBody.strict().parse(body)).toMatchObject({ details: { name: ['why'] }, retryAfterSeconds: 7 })
    expect(headers).toMatchObject({ 'Content-Type': 'application/json', 'X-Request-Id': requestId })
  })

  test.each([new Error('secret'), new TypeError('secret'), 'secret', { secret: 1 }, null, undefined])(
    'an unexpected exception reveals nothing of itself: %p',
    async (thrown) => {
      const { status, body, headers } = await world.client([throwing(thrown)])(asked())
      expect(status).toBe(500)
      expect(body).toEqual({ error: 'internal', message: 'Something failed on our side. Try once more.' })
      expect(JSON.stringify(headers)).not.toContain('secret')
    },
  )
})

describe('request input', () => {
  const ask = (more: Partial<TestRequest> = {}) => world.client([putThing])(asked(more))

  test.each<[string, Partial<TestRequest>, string, string]>([
    ['incomplete JSON', { body: '{"name":' }, 'invalid-json', ''],
    ['JSON with something after it', { body: '{"name":"a"}}' }, 'invalid-json', ''],
    ['another content type', { headers: { 'Content-Type': 'text/plain' } }, 'invalid-json', ''],
    [
      'a form',
      { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'name=a' },
      'invalid-json',
      '',
    ],
    ['a list', { body: '[]' }, 'validation', 'body'],
    ['a number', { body: '1' }, 'validation', 'body'],
    ['null', { body: 'null' }, 'validation', 'body'],
    ['an empty body', { body: '' }, 'validation', 'name'],
    ['an empty name', { body: '{"name":""}' }, 'validation', 'name'],
    ['an unknown field', { body: '{"name":"a","nmae":1}' }, 'validation', 'nmae'],
    ['a prototype', { body: '{"name":"a","__proto__":{"size":1}}' }, 'validation', '__proto__'],
    ['half a character in a name', { body: '{"name":"a \\ud83d"}' }, 'validation', 'name'],
    ['an id in the body', { body: '{"name":"a","id":5}', parameters: { id: 'x'.repeat(21) } }, 'validation', 'id'],
    ['an id in the body as in the path', { body: '{"name":"a","id":"one"}' }, 'validation', 'id'],
    ['a field in the query', { query: { size: '5' } }, 'validation', 'size'],
    [
      'a body that is not UTF-8',
      { body: '{"name":"caf\uFFFD"}', headers: { 'X-Berth-Length': '15' } },
      'invalid-json',
      '',
    ],
    ['broken percent-encoding', { parameters: { id: '%E0%A4%A' } }, 'validation', 'id'],
    ['a missing id', { parameters: {} }, 'missing-id', ''],
    ['an empty id', { parameters: { id: '' } }, 'missing-id', ''],
  ])('%s is rejected', async (_, more, code, field) => {
    const { status, body } = await ask(more)
    expect([status, body.error]).toEqual([400, code])
    if (field)
      expect(Object.entries(body.details)).toEqual([
        [field, [expect.not.stringMatching(/Invalid input|Too small|expected/)]],
      ])
  })

  test('above 4 MB returns 413', async () => {
    const { status, body } = await ask({ body: `{"name":"${'é'.repeat(2 * 1024 * 1024)}"}` })
    expect([status, body]).toEqual([413, { error: 'too-large', message: 'A request has at most 4 MB. Send less.' }])
  })

  test('with 4 MB, with a charset, with an encoded id or without a content type is accepted', async () => {
    const long = 'a'.repeat(4 * 1024 * 1024 - '{"name":""}'.length)
    expect((await ask({ body: `{"name":"${long}"}` })).status).toBe(200)
    expect((await ask({ headers: { 'Content-Type': 'application/json; charset=utf-8' } })).status).toBe(200)
    expect((await ask({ headers: {}, parameters: { id: 'a%2Fb%20c' } })).status).toBe(200)
  })

  test('a replacement character from the client itself is text', async () => {
    const body = '{"name":"caf\uFFFD"}'
    expect((await ask({ body, headers: { 'X-Berth-Length': `${Buffer.byteLength(body)}` } })).status).toBe(200)
    const zipped = { 'X-Berth-Length': `${gzipSync(body).length}`, 'Content-Encoding': 'gzip' }
    expect((await ask({ body, headers: zipped })).status).toBe(200)
    // This happens when a gateway decodes the body and removes the Content-Encoding header.
    expect((await ask({ body, headers: { 'X-Berth-Length': '2' } })).status).toBe(200)
  })

  test.each(['application/vnd.api+json', 'application/merge-patch+json', 'application/ld.x-1+json; charset=utf-8'])(
    'with content type %s is JSON',
    async (type) => {
      expect((await ask({ headers: { 'Content-Type': type } })).status).toBe(200)
    },
  )

  test('with unknown fields is rejected with the name of each', async () => {
    const { body } = await ask({ body: '{"name":"a","b":1,"c":2}' })
    expect(Object.keys(body.details)).toEqual(['b', 'c'])
    expect(body.message).toBe('Check these fields: b, c.')
  })
})

describe('a cursor', () => {
  const list = (query: Record<string, string>) =>
    world.client([listThings])({ path: '/things', query: { kind: 'a', ...query } })

  test('is accepted as it was signed, and no other text is', async () => {
    const { nextCursor, cursor } = (await list({})).body
    expect(cursor).toBeNull()
    expect(nextCursor).not.toBe('dHhuXzE')
    expect((await list({ cursor: nextCursor })).body.cursor).toBe('dHhuXzE')
    const moved = `dHhuXzI${nextCursor.slice('dHhuXzE'.length)}`
    for (const forged of ['dHhuXzE', moved, `${nextCursor}x`, nextCursor.slice(0, -1), '', '.', 'x'.repeat(200)]) {
      const { status, body } = await list({ cursor: forged })
      expect([status, body.error, Object.keys(body.details)]).toEqual([400, 'validation', ['cursor']])
    }
  })

  test('is valid for one list and one caller', async () => {
    const { cursors } = world.ports
    const made = await cursors.sign('listThings usr_1', 'place')
    expect(await cursors.verify('listThings usr_1', made)).toBe('place')
    expect(await cursors.verify('listThings usr_2', made)).toBeNull()
    expect(await cursors.verify('listOthers usr_1', made)).toBeNull()
  })

  test('costs no store request', async () => {
    expect((await counted(() => list({}))).calls).toEqual([])
  })
})

describe('a log line', () => {
  const secret = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1v'

  test.each([
    ['a PAT', `oss_${secret.slice(0, 36)}`],
    ['a machine token', `bmt_agent.${Buffer.from('{"u":"usr_1"}').toString('base64url')}.${secret}`],
    ['a session’s cookie', secret],
    ['a cookie header', `__Secure-service.session=${secret}`],
    ['a Stripe key', `sk_live_${secret.slice(0, 24)}`],
    ['a restricted Stripe key', `rk_test_${secret.slice(0, 24)}`],
    ['a webhook’s secret', `whsec_${secret.slice(0, 32)}`],
    ['an OpenAI key', `sk-proj-${secret}_${secret}`],
    ['an Anthropic key', `sk-ant-api03-${secret}-AA`],
    ['an OpenRouter key', `sk-or-v1-${secret.toLowerCase()}`],
    ['an AWS key', 'AKIAIOSFODNN7EXAMPLE'],
    ['a temporary AWS key', 'ASIAIOSFODNN7EXAMPLE'],
    ['a Slack token', `xoxb-123456789012-${secret.slice(0, 24)}`],
    ['a Telegram token', `123456789:${secret.slice(0, 35)}`],
    ['any bearer', `Bearer ${secret.slice(0, 12)}`],
    ['a link’s secret', `https://berth.example/verify?secret=${secret.slice(0, 22)}`],
  ])('%s is removed in every place', (_, text) => {
    const kept = ['A1b2C3d4E5f6', 'IOSFODNN7', 'a1b2c3d4e5f6']
    for (const line of [text, `before ${text} after`, `"${text}"`, `{"a":"${text}"}`, `x=${text}&y=1`]) {
      for (const part of kept) expect(redact(line)).not.toContain(part)
    }
    expect(redact(`before ${text} after`)).toMatch(/^before .*after$/)
  })

  test('ids, times and words stay', () => {
    const line =
      'usr_01KAHB2N3P4Q5R6S7T8V9WXYZ0 2026-11-20T12:00:00.000Z getWallet /wallet/transactions/{id} txn_01KAHB2N3P4Q5R6S7T8V9WXYZ0'
    expect(redact(line)).toBe(line)
  })

  test('fields named like secrets never show their value', () => {
    const written: string[] = []
    const logger = makeLogger('test', { logLevel: 'INFO' })
    logger.setLogLevel('INFO')
    const out = process.stdout.write
    process.stdout.write = (chunk: string | Uint8Array) => written.push(String(chunk)) > 0
    try {
      logger.info('x', { requestId: 'r-1', code: '123456', nested: { plaintext: 'pp', password: ['qq'], key: 77_123 } })
    } finally {
      process.stdout.write = out
    }
    expect(written.join('')).toContain('r-1')
    for (const value of ['123456', '"pp"', 'qq', '77123']) expect(written.join('')).not.toContain(value)
  })
})
