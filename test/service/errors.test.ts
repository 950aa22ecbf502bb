import { connect } from 'node:net'
import type { codes } from '../../domain/errors.ts'
import { statusOf } from '../../lambdas/kit/errors.ts'
import { type Answer, api, call, hostedUser, newAddress, newEmail, origin, signIn, untilState } from './client.ts'
import { machineOf } from './machine.ts'
import { emptyWallet } from './store.ts'

/** The raw answer to exactly these bytes. */
function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
    socket.end(text)
  })
}

describe('each error code', () => {
  let user: Awaited<ReturnType<typeof hostedUser>>
  beforeAll(async () => {
    user = await hostedUser()
  })

  /** The error that no code throws on purpose is caused in local/store-down.test.ts. */
  /** Spending limits, a suspension and the repetition stop are caused in lambdas/llm/refusals.test.ts. */
  const ways: Record<
    Exclude<(typeof codes)[number], 'internal' | 'spending-limit' | 'wallet-suspended' | 'repeated-calls'>,
    () => Promise<Answer>
  > = {
    unauthorized: () => call('GET', '/wallet'),
    forbidden: async () => {
      const { body } = await call('POST', '/tokens', { name: 'a', scopes: ['mcp:skills.read'] }, user)
      return call('GET', '/wallet', undefined, { bearer: body.plaintext })
    },
    'not-found': () => call('GET', '/skills/never-was', undefined, user),
    validation: () => call('POST', '/tokens', { name: '' }, user),
    'invalid-json': () => call('POST', '/tokens', '{', user),
    'rate-limited': async () => {
      const address = newAddress()
      const ask = () => call('POST', '/auth/verify', { email: newEmail(), code: '000000' }, { address }, { origin })
      for (let i = 0; i < 60; i++) if ((await ask()).status === 429) break
      return ask()
    },
    'provider-error': () => proxied('local/echo', '/fail'),
    'too-large': () => call('POST', '/tokens', { name: 'x'.repeat(4 * 1024 * 1024) }, user),
    'missing-id': () => call('DELETE', '/tokens', undefined, user),
    conflict: () => call('POST', '/checkout', { plan: 'starter' }, user),
    'wallet-empty': async () => {
      await emptyWallet(user.userId)
      return proxied('local/echo', 'hello')
    },
  }

  /** A model call as the user's own machine makes it. */
  async function proxied(model: string, content: string): Promise<Answer> {
    const { instance } = (await call('GET', '/instance/status', undefined, user)).body
    const bearer = machineOf(instance.id).env.BERTH_LLM_TOKEN
    return call('POST', '/llm/proxy', { model, messages: [{ role: 'user', content }] }, { bearer })
  }

  test.each(Object.entries(ways))('includes %s, which is answered over HTTP', async (name, way) => {
    const code = name as keyof typeof ways // safe because it is a key of ways
    await untilState(user, 'running')
    const { status, body, headers } = await way()
    expect([status, body.error]).toEqual([statusOf[code], code])
    expect(body.message.length).toBeGreaterThan(10)
    expect(headers.get('content-type')).toContain('application/json')
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    if (code === 'validation') expect(body.details).toEqual({ name: [expect.any(String)] })
    if (code === 'rate-limited') expect(headers.get('x-ratelimit-remaining')).toBe('0')
    if (code === 'wallet-empty') expect(body.message).toMatch(/wallet page/)
  })
})

describe('a malformed request', () => {
  const host = new URL(origin).host

  test.each([
    ['a malformed header', `GET /api/health HTTP/1.1\r\nHost: ${host}\r\nBad Header\r\n\r\n`],
    ['a malformed request line', 'GET\r\n\r\n'],
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a header without an end', `GET /api/health HTTP/1.1\r\nHost: ${host}\r\nX-Long: ${'a'.repeat(40_000)}\r\n\r\n`],
    ['two lengths', `POST /api/tokens HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
  ])('with %s gets JSON, an id, and no stack', async (_, text) => {
    const [head = '', body = ''] = (await raw(text)).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(head).toMatch(/x-request-id: [0-9a-f-]{36}/i)
    const details = { request: [expect.any(String)] }
    expect(JSON.parse(body)).toEqual({ error: 'validation', message: expect.any(String), details })
  })

  test.each([
    ['no Host', 'GET /api/health HTTP/1.1\r\n\r\n', 403, 'forbidden'],
    ['no Host, by HTTP/1.0', 'GET /api/health HTTP/1.0\r\n\r\n', 403, 'forbidden'],
    ['CONNECT', `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 400, 'validation'],
    [
      'an unknown Expect header',
      `GET /api/health HTTP/1.1\r\nHost: ${host}\r\nExpect: tea\r\nConnection: close\r\n\r\n`,
      417,
      'validation',
    ],
  ])('with %s gets JSON too', async (_, text, status, code) => {
    const [head = '', body = ''] = (await raw(text)).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(body).toContain(`{"error":"${code}"`)
  })

  test('a body that is not UTF-8 is no JSON', async () => {
    const body = Buffer.from('{"email":"caf\xe9@example.com"}', 'latin1')
    const headers = { 'content-type': 'application/json', origin }
    const answer = await fetch(`${origin}/api/auth/login`, { method: 'POST', headers, body })
    expect([answer.status, (await answer.json()).error]).toEqual([400, 'invalid-json'])
  })

  test.each([
    ['GET', '/wallet/%zz/%'],
    ['GET', '/nowhere'],
    ['TRACE', '/wallet'],
    ['GET', '/%00'],
    ['GET', '//'],
  ])('to %s %s is a 404 in the error’s shape', async (method, path) => {
    const { status, body } = await call(method, path)
    expect([status, body.error]).toEqual([404, 'not-found'])
  })

  test.each([
    ['DELETE', '/plans', 'GET, HEAD'],
    ['OPTIONS', '/wallet', 'GET, HEAD'],
    ['PUT', '/skills/x', 'GET, HEAD'],
    ['PUT', '/tokens', 'DELETE, GET, HEAD, POST'],
  ])('to %s %s is a 405 that names the methods of the path', async (method, path, allow) => {
    const { status, headers, body } = await call(method, path, method === 'PUT' ? {} : undefined)
    expect([status, body.error]).toEqual([405, 'not-found'])
    expect(headers.get('allow')?.split(', ').sort().join(', ')).toBe(allow)
    for (const name of allow.split(', ')) expect(body.message).toContain(name)
  })

  test.each([
    ['GET', '/v1/messages', 405],
    ['POST', '/v1/completions', 404],
    ['POST', '/v1/chat/completions/more', 404],
    ['GET', '/llm/proxy/v1/nowhere', 404],
  ])('to %s %s, below the addresses of SDKs, is a %i in the vendor’s shape', async (method, path, status) => {
    const answer = await call(method, path, method === 'POST' ? {} : undefined)
    expect([answer.status, answer.body.error.code]).toEqual([status, 'not-found'])
    expect(answer.body.error.message.length).toBeGreaterThan(10)
  })

  test('with broken percent-encoding in an id gets an error that names it', async () => {
    const { status, body } = await call('GET', '/skills/%E0%A4%A', undefined, await signIn())
    expect([status, body.error, Object.keys(body.details)]).toEqual([400, 'validation', ['id']])
  })

  test('with an invalid cookie counts as nobody’s', async () => {
    const { status } = await call('GET', '/wallet', undefined, {}, { cookie: ';;=;service.session;"x' })
    expect(status).toBe(401)
  })

  test.each(['/v1/chat/completions', '/v1/messages', '/tokens', '/mcp'])(
    'that exceeds the gateway’s limit, at %s, is 413 in the API’s shape',
    async (path) => {
      const answer = await fetch(`${api}${path}`, { method: 'POST', body: 'x'.repeat(11 * 1024 * 1024) })
      const message = expect.stringContaining('at most 4 MB')
      expect([answer.status, await answer.json()]).toEqual([413, { error: 'too-large', message }])
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    },
  )
})
