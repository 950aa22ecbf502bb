import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
  type OAuthClientInformationMixed,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { api, type Caller, call, origin, signIn } from './client.ts'

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
    'is named to a caller without a valid token: %j',
    async (headers) => {
      const refused = await initializeAt('/mcp', headers as Record<string, string>)
      expect([refused.status, refused.headers.get('content-type')]).toEqual([401, 'application/json'])
      const challenge = refused.headers.get('www-authenticate') ?? ''
      const address = /^Bearer resource_metadata="([^"]+)"$/.exec(challenge)?.[1] ?? ''
      expect(await document(address)).toMatchObject({ resource: `${api}/mcp`, authorization_servers: [api] })
      expect(await document(`${origin}/.well-known/oauth-protected-resource`)).toEqual(await document(address))
    },
  )

  test('is the only path that works below /.well-known/', async () => {
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

/**
 * Connects as clients do that look for OAuth first, in its usual places, and send their header only if they find none.
 */
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
  test('lets a client that drops its header where OAuth is offered keep it at the address for tokens', async () => {
    const cookie = await signIn()
    const { plaintext } = (await call('POST', '/tokens', { name: 'cursor', scopes: ['mcp:*'] }, cookie)).body
    const headers = { authorization: `Bearer ${plaintext}` }
    expect((await connectAsCursor(`${api}/mcp`, headers)).status).toBe(401)
    expect((await connectAsCursor(`${api}/mcp-token`, headers)).status).toBe(200)
  })

  test('never asks for a sign-in', async () => {
    const refused = await initializeAt('/mcp-token', { authorization: 'Bearer oss_nonsense' })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, null])
  })

  test('gives advice at the root of the host to a client that guesses where to register', async () => {
    const refused = await fetch(`${origin}/register`, { method: 'POST', body: '{"redirect_uris":[]}' })
    const body = await refused.json()
    expect([refused.status, body.error_description]).toEqual([400, expect.stringContaining('Mint a token')])
  })
})

/** The data that a program keeps between its steps, as both libraries require it; the test plays the browser. */
interface Kept {
  client?: OAuthClientInformationMixed
  tokens?: OAuthTokens
  discovery?: OAuthDiscoveryState
  verifier: string
}

function program() {
  const kept: Kept = { verifier: '' }
  let sentTo: URL | undefined
  const redirectUrl = 'http://127.0.0.1:33418/callback'
  const provider = {
    redirectUrl,
    clientMetadata: { client_name: 'SDK', redirect_uris: [redirectUrl] },
    state: () => 'kept by the program',
    clientInformation: () => kept.client,
    saveClientInformation: (client: OAuthClientInformationMixed) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: OAuthTokens) => void Object.assign(kept, { tokens }),
    redirectToAuthorization: (url: URL) => {
      sentTo = url
    },
    saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (discovery: OAuthDiscoveryState) => void Object.assign(kept, { discovery }),
    discoveryState: () => kept.discovery,
    invalidateCredentials: () => void delete kept.tokens,
  }
  return { provider, kept, sentTo: () => sentTo ?? new URL('about:blank') }
}

/** Acts as the browser of a signed-in user: opens the page and sends the selection. */
async function allow(authorizationUrl: URL, browser: Caller) {
  expect(`${authorizationUrl.origin}${authorizationUrl.pathname}`).toBe(`${origin}/authorize`)
  expect((await fetch(authorizationUrl)).headers.get('content-type')).toMatch(/^text\/html/)
  const query = Object.fromEntries(authorizationUrl.searchParams)
  const shown = await call('POST', '/oauth/authorization/check', query, browser)
  expect([shown.status, shown.body.client.name]).toEqual([200, 'SDK'])
  // Libraries request everything that the resource's metadata lists; the user grants two.
  expect(shown.body.scopes).toHaveLength(7)
  const scopes = ['mcp:wallet.read', 'mcp:skills.read']
  const answer = await call('POST', '/oauth/authorization', { ...query, allow: true, scopes }, browser)
  return new URL(answer.body.redirectTo)
}

type Provider = ReturnType<typeof program>['provider']

/** Each library's client for one connection; one accepts only the code, the other also the issuer. */
const libraries = {
  'the SDK': (authProvider: Provider) => {
    const transport = new StreamableHTTPClientTransport(new URL(`${api}/mcp`), { authProvider })
    const client = new Client({ name: 'test', version: '1' })
    return { client, connect: () => client.connect(transport), finish: (code: string) => transport.finishAuth(code) }
  },
  'the newer client': (authProvider: Provider) => {
    const transport = new ModernTransport(new URL(`${api}/mcp`), { authProvider })
    const client = new ModernClient({ name: 'test', version: '1' })
    const finish = (code: string, iss: string) => transport.finishAuth(code, iss)
    return { client, connect: () => client.connect(transport), finish }
  },
}

describe('issueTokens', () => {
  test.each(Object.entries(libraries))('lets %s sign in from nothing, work, refresh and revoke', async (_, open) => {
    const browser = await signIn()
    const { provider, kept, sentTo } = program()
    const first = open(provider)
    await expect(first.connect()).rejects.toThrow(/unauthorized/i)
    const answer = await allow(sentTo(), browser)
    expect([answer.searchParams.get('iss'), answer.searchParams.get('state')]).toEqual([api, 'kept by the program'])
    await first.finish(answer.searchParams.get('code') ?? '', answer.searchParams.get('iss') ?? '')

    const { client, connect } = open(provider)
    await connect()
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'wallet.balance',
      'wallet.transactions',
      'skills.list',
      'skills.show',
    ])
    await client.close()

    // An expired access token is replaced without user interaction.
    const { tokens } = kept
    if (!tokens) throw new Error('the library kept no tokens')
    const good = tokens.access_token
    kept.tokens = { ...tokens, access_token: `${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}` }
    const again = open(provider)
    await again.connect()
    expect((await again.client.listTools()).tools).toHaveLength(4)
    await again.client.close()

    const [app] = (await call('GET', '/tokens', undefined, browser)).body.tokens
    expect(app).toMatchObject({ name: 'SDK', status: 'active', app: { host: 'this computer' } })
    await call('DELETE', `/tokens?id=${app.id}`, undefined, browser)
    await expect(open(provider).connect()).rejects.toThrow()
  })
})
