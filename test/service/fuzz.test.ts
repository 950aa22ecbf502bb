import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { operations } from '../../lambdas/areas.ts'
import { cases } from '../counts.ts'
import { type Caller, call, newAddress, origin, signIn } from './client.ts'
import { operationAt, routeAt } from './contract.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 8 })

interface Malformed {
  method: string
  path: string
  headers: [string, string][]
  body: string | Uint8Array | undefined
  who: number
}

const token = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.~!*'), maxLength: 12 })
/** Bytes that are valid in a header and can break a parser. */
const headerText = fc.string({ unit: fc.constantFrom(...'aZ0 ;=,:"\\/%()<>@{}[]\t\u00e9\u00ff'), maxLength: 40 })
const segment = fc.oneof(
  token,
  fc.constantFrom(
    '%',
    '%zz',
    '%E0%A4%A',
    '%00',
    '%2F',
    '..',
    '.',
    '%2e%2e',
    '%F0%9F%98%80',
    'tok_',
    'evt_0',
    '%',
    '+',
    '@',
    ':',
  ),
  fc.constantFrom('tok_0123456789012345678901', 'txn_01KAHB2N3P4Q5R6S7T8V9WXYZ0', 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0'),
  fc.string({ minLength: 1, maxLength: 300 }).map(encodeURIComponent),
)
const addresses = operations.flatMap(({ http }) =>
  [http.path, ...(http.aliases ?? [])].map((path) => [http.method, path]),
)
const address = fc.constantFrom(...addresses).chain(([method = '', path = '']) =>
  fc.tuple(fc.constant(method), fc.array(segment, { minLength: 3, maxLength: 3 })).map(([verb, parts]) => {
    let next = 0
    return [verb, path.replace(/\{\w+\+?\}/g, () => parts[next++] ?? '')] as const
  }),
)
const anyAddress = fc.tuple(
  fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE'),
  fc.array(segment, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
)
const fields = [
  'id',
  'name',
  'scopes',
  'email',
  'code',
  'text',
  'model',
  'plan',
  'amountCents',
  'limit',
  'cursor',
  'wait',
  '__proto__',
  'constructor',
  '',
]
const query = fc
  .array(fc.tuple(fc.constantFrom(...fields), fc.oneof(segment, token)), { maxLength: 4 })
  .map((pairs) => (pairs.length > 0 ? `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}` : ''))
const json = fc.oneof(
  fc
    .dictionary(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 })
    .map((value) => JSON.stringify(value)),
  fc.jsonValue().map((value) => JSON.stringify(value)),
)
const body = fc.option(
  fc.oneof(
    json,
    json.chain((text) => fc.nat(text.length).map((end) => text.slice(0, end))),
    fc.string({ maxLength: 200 }),
    fc.uint8Array({ maxLength: 200 }),
    fc.constantFrom(
      '',
      'null',
      '[]',
      '{',
      '\u0000',
      '{"a":1e999}',
      '['.repeat(20_000),
      `{"name":"${'x'.repeat(100_000)}"}`,
    ),
  ),
  { nil: undefined },
)
const headers = fc.array(
  fc.oneof(
    fc.tuple(
      fc.constantFrom('content-type'),
      fc.constantFrom(
        'application/json',
        'text/plain',
        'application/x-www-form-urlencoded',
        'image/png',
        'application/json;charset=utf-16',
        '',
      ),
    ),
    fc.tuple(
      fc.constantFrom(
        'authorization',
        'cookie',
        'origin',
        'content-type',
        'accept',
        'last-event-id',
        'x-api-key',
        'stripe-signature',
        'x-berth-edge-key',
        'x-berth-viewer',
        'idempotency-key',
        'if-none-match',
        'mcp-protocol-version',
        'sec-fetch-site',
        'x-forwarded-for',
        'x-request-id',
        'x-odd',
      ),
      headerText,
    ),
  ),
  { maxLength: 4 },
)
const malformed: fc.Arbitrary<Malformed> = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: address }, { weight: 1, arbitrary: anyAddress }),
    query,
    headers,
    body,
    fc.nat(999),
  )
  .map(([[method, path], asked, given, sent, who]) => ({ method, path: path + asked, headers: given, body: sent, who }))

async function send({ method, path, headers: given, body: sent }: Malformed, caller: Caller) {
  const asked = request(`${origin}/`, { method, agent, localAddress: caller.address, path: `/api${path}` })
  if (caller.bearer) asked.setHeader('authorization', `Bearer ${caller.bearer}`)
  if (caller.cookie) asked.setHeader('cookie', caller.cookie).setHeader('origin', origin)
  if (sent !== undefined) asked.setHeader('content-type', 'application/json')
  if (sent !== undefined) asked.setHeader('content-length', Buffer.byteLength(sent))
  for (const [name, value] of given) asked.setHeader(name, value)
  const answered = once(asked, 'response')
  asked.end(sent)
  const [response] = (await answered) as [IncomingMessage] // safe because a response event carries this
  const type = response.headers['content-type'] ?? ''
  if (type.startsWith('text/event-stream')) response.destroy()
  return { response, type, text: type.startsWith('text/event-stream') ? '' : await readText(response) }
}

/** Validators of the running service's own document, by operation address and status. */
async function documentOf() {
  const { body: document } = await call('GET', '/openapi.json')
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'berth')
  const pointer = (...parts: string[]) =>
    `berth#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
  const follow = (value: { $ref?: string }, at: string[]): string[] =>
    value?.$ref ? value.$ref.slice(2).split('/') : at
  return (method: string, path: string, status: number, type: string) => {
    const at = ['paths', path.replaceAll('+}', '}'), method.toLowerCase(), 'responses', String(status)]
    const response = document.paths[at[1] ?? '']?.[at[2] ?? '']?.responses?.[status]
    if (!response) return null
    const found = follow(response, at)
    const content = found.reduce((value, part) => value[part], document).content
    const media = type.split(';')[0] ?? ''
    return content?.[media] ? ajv.getSchema(pointer(...found, 'content', media, 'schema')) : null
  }
}

describe('malformed requests', () => {
  test('all get an answer in the document’s shape: no 5xx, and always JSON', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => signIn()))
    const minted = await Promise.all(
      users.map((user) =>
        call('POST', '/tokens', { name: 'fuzz', scopes: ['mcp:*', 'api:chat', 'api:instance'] }, user),
      ),
    )
    const callers: Caller[] = [
      {},
      { bearer: 'oss_nonsense' },
      ...minted.map(({ body: { plaintext } }) => ({ bearer: plaintext })),
      ...users.map(({ cookie }) => ({ cookie })),
    ].map((caller) => ({ ...caller, address: newAddress() }))
    const validatorOf = await documentOf()
    const wrong: string[] = []
    const statuses = new Map<number, number>()
    const judge = async (request: Malformed) => {
      const { response, type, text } = await send(request, callers[request.who % callers.length] ?? {})
      const status = response.statusCode ?? 0
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const say = (what: string) =>
        wrong.push(`${what}: ${JSON.stringify(request).slice(0, 600)} → ${status} ${text.slice(0, 300)}`)
      if (status >= 500) return say('5xx')
      if (!response.headers['x-request-id']) return say('no X-Request-Id')
      const isText = operationAt(request.method, request.path)?.http.text
      if (
        request.method === 'HEAD' ||
        status === 204 ||
        type.startsWith('text/event-stream') ||
        (isText && status === 200)
      )
        return
      if (!type.startsWith('application/json')) return say('not JSON')
      const parsed: unknown = JSON.parse(text)
      const route = routeAt(request.method, request.path)
      if (!route || (text.includes('"jsonrpc"') && route.operation.http.path === '/mcp')) return
      const validate = validatorOf(request.method, route.path, status, type)
      if (!validate) return say('not in the document')
      if (!validate(parsed)) say(`not the document's schema (${JSON.stringify(validate.errors?.[0])})`)
    }
    const all = fc.sample(malformed, { numRuns: cases(5_000), seed: 20_261_101 })
    const waiting = [...all]
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let request = waiting.pop(); request; request = waiting.pop())
          await judge(request).catch((error) => wrong.push(`${error}: ${JSON.stringify(request)}`))
      }),
    )
    expect(wrong).toEqual([])
    expect([...statuses.values()].reduce((sum, count) => sum + count)).toBe(all.length)
    expect([400, 401, 404].every((status) => statuses.has(status))).toBe(true)
  }, 600_000)
})

afterAll(() => agent.destroy())
