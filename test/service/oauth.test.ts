import { api, call, origin, signIn } from './client.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

const initializeAt = (path: string, headers: Record<string, string>) =>
  fetch(`${api}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(initialize),
  })

const document = async (address: string) => {
  const response = await fetch(address)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  return response.json()
}

describe('getProtectedResource', () => {
  test.each([{}, { authorization: 'Bearer oss_nonsense' }])(
    'a caller without a good token is told where it is: %j',
    async (headers) => {
      const refused = await initializeAt('/mcp', headers as Record<string, string>)
      expect([refused.status, refused.headers.get('content-type')]).toEqual([401, 'application/json'])
      const challenge = refused.headers.get('www-authenticate') ?? ''
      const address = /^Bearer resource_metadata="([^"]+)"$/.exec(challenge)?.[1] ?? ''
      expect(await document(address)).toMatchObject({ resource: `${api}/mcp`, authorization_servers: [api] })
      expect(await document(`${origin}/.well-known/oauth-protected-resource`)).toEqual(await document(address))
    },
  )

  test('nothing else below /.well-known/ became real', async () => {
    for (const path of ['openid-configuration', 'oauth-protected-resource/x', 'oauth-authorization-server', 'x']) {
      const response = await fetch(`${origin}/.well-known/${path}`)
      expect([path, response.status, await response.json()]).toEqual([
        path,
        404,
        expect.objectContaining({ error: 'not-found' }),
      ])
    }
  })
})

describe('getAuthorizationServer', () => {
  test('is found by each way of building its address from the issuer', async () => {
    const inserted = await document(`${origin}/.well-known/oauth-authorization-server/api`)
    expect(inserted).toMatchObject({ issuer: api, code_challenge_methods_supported: ['S256'] })
    expect(await document(`${api}/.well-known/oauth-authorization-server`)).toEqual(inserted)
  })
})

/** Looks for OAuth first, wherever clients have looked for it, and sends its header only where it finds none. */
async function connectAsCursor(address: string, headers: Record<string, string>) {
  const { pathname } = new URL(address)
  const resource = `${origin}/.well-known/oauth-protected-resource`
  const found = [await fetch(resource + pathname), await fetch(resource)].find(({ ok }) => ok)
  const { authorization_servers: servers = [origin] } = found ? await found.json() : {}
  for (const server of servers) {
    const { pathname } = new URL(server)
    const suffix = pathname === '/' ? '' : pathname
    for (const kind of ['oauth-authorization-server', 'openid-configuration'])
      if ((await fetch(`${origin}/.well-known/${kind}${suffix}`)).ok) return initializeAt('/mcp', {})
  }
  return initializeAt(new URL(address).pathname.replace('/api', ''), headers)
}

describe('getTokenResource', () => {
  test('a client that drops its header where OAuth is offered keeps it at the address for tokens', async () => {
    const cookie = await signIn()
    const { plaintext } = (await call('POST', '/tokens', { name: 'cursor', scopes: ['mcp:*'] }, cookie)).body
    const headers = { authorization: `Bearer ${plaintext}` }
    expect((await connectAsCursor(`${api}/mcp`, headers)).status).toBe(401)
    expect((await connectAsCursor(`${api}/mcp-token`, headers)).status).toBe(200)
  })

  test('the address never asks for a sign-in', async () => {
    const refused = await initializeAt('/mcp-token', { authorization: 'Bearer oss_nonsense' })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, null])
  })
})
