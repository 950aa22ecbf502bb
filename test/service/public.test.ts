import { pagePaths } from '../../domain/dashboard-pages.ts'
import { operations } from '../../lambdas/areas.ts'
import { api, call, origin } from './client.ts'

describe('getHealth', () => {
  test('answers without a sign-in', async () => {
    const { status, body } = await call('GET', '/health')
    expect([status, body]).toEqual([200, { ok: true, timestamp: expect.stringMatching(/Z$/) }])
  })
})

describe('getSecurityTxt', () => {
  test('names the contact at the host’s root, and never expires', async () => {
    for (const base of [origin, `${origin}/api`]) {
      const response = await fetch(`${base}/.well-known/security.txt`)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
      expect(response.headers.get('content-disposition')).toBeNull()
      const text = await response.text()
      // RFC 9116: each of these once, the address as a URI, the expiry in the future and less than a year ahead.
      const fields = text.split('\n').filter((line) => line && !line.startsWith('#'))
      const values = Object.fromEntries(fields.map((line) => [line.split(': ')[0], line.split(': ')[1]]))
      expect(Object.keys(values)).toHaveLength(fields.length)
      expect(values.Contact).toMatch(/^mailto:\S+@\S+$/)
      expect(values.Canonical).toBe(`${origin}/.well-known/security.txt`)
      const days = (Date.parse(values.Expires ?? '') - Date.now()) / 86_400_000
      expect(days > 30 && days < 365).toBe(true)
    }
  })
})

describe('listPlans', () => {
  test('lists the plans with prices in cents', async () => {
    const { body } = await call('GET', '/plans')
    expect(body.plans.map(({ id }: { id: string }) => id)).toEqual(['starter', 'pro'])
  })
})

describe('listModels', () => {
  test('lists the built-in model with its price, and no upstream detail', async () => {
    const { body } = await call('GET', '/models')
    const echo = body.models.find(({ id }: { id: string }) => id === 'local/echo')
    expect(echo.prices.output).toBeGreaterThan(0)
    expect(Object.keys(echo).sort()).toEqual([
      'contextTokens',
      'formats',
      'id',
      'maxOutputTokens',
      'prices',
      'provider',
    ])
  })
})

describe('getOpenapi', () => {
  test('is an OpenAPI 3.1 document of every operation', async () => {
    const { body } = await call('GET', '/openapi.json')
    expect(body.openapi).toBe('3.1.0')
    expect(await (await fetch(`${origin}/openapi.json`)).json()).toEqual(body)
    const listed = Object.entries<Record<string, unknown>>(body.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const expected = operations.flatMap(({ http }) =>
      [http.path, ...(http.aliases ?? [])].map((path) => `${http.method} ${path.replaceAll('+}', '}')}`),
    )
    expect(listed.sort()).toEqual(expected.sort())
  })
})

describe('a request to no operation', () => {
  test.each([
    ['GET', '/nowhere', 404],
    ['PUT', '/wallet', 405],
    ['GET', '/wallet/', 401],
    ['GET', '/wallet/%zz/%', 404],
  ])('such as %s %s is %i in the error shape', async (method, path, expected) => {
    const { status, body, headers } = await call(method, path)
    expect(status).toBe(expected)
    expect(body).toMatchObject({ error: expect.any(String), message: expect.any(String) })
    expect(headers.get('content-type')).toContain('application/json')
    expect(headers.get('x-request-id')).toBeTruthy()
  })

  test('with another Host is refused, as JSON', async () => {
    const { request } = await import('node:http')
    const status = await new Promise((resolve, reject) => {
      const { hostname, port } = new URL(api)
      request({ hostname, port, path: '/api/health', headers: { host: 'evil.example' } }, (answer) =>
        resolve(answer.resume().statusCode),
      )
        .once('error', reject)
        .end()
    })
    expect(status).toBe(403)
  })

  test.each(['/webhooks/stripe', '/.well-known/oauth-authorization-server', '/nowhere', '/apix', '/assets/none.js'])(
    'for %s outside the API is 404 in the error shape, not a page',
    async (path) => {
      const answer = await fetch(`${origin}${path}`)
      expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ error: 'not-found' })])
    },
  )

  const browser = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }

  test.each(['/nowhere', '/terms', '/docs/nowhere', '/v1.2/wallet', '/wp-login.php'])(
    'for %s is a page with status 404 in a browser',
    async (path) => {
      const answer = await fetch(`${origin}${path}`, browser)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(await answer.text()).toContain('<h1>There is no page at this address</h1>')
      expect((await fetch(`${origin}${path}`, { ...browser, method: 'HEAD' })).status).toBe(404)
      expect((await fetch(`${origin}${path}`, { ...browser, method: 'POST' })).headers.get('content-type')).toBe(
        'application/json',
      )
    },
  )

  test.each(['/api', '/api/nowhere', '/v1', '/v1/nowhere', '/.well-known/nowhere', '/register/nowhere'])(
    'for %s is JSON even in a browser',
    async (path) => {
      const answer = await fetch(`${origin}${path}`, browser)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json'])
      const body = JSON.stringify(await answer.json())
      expect(body).toContain('not-found')
    },
  )

  test.each(pagePaths)('for %s is the dashboard’s index', async (path) => {
    const page = await fetch(`${origin}${path}`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')])
  })
})
