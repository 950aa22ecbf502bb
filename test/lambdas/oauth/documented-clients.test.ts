import { hourMs } from '../../../domain/time.ts'
import { openOauthWorld } from './oauth-world.ts'

/** Each program's documented behaviour; none of the programs runs here. */
interface Program {
  /** Its redirect address. */
  redirectUri: string
  /** The address of its metadata document, or null for a program that registers itself. */
  document?: string
  registers?: object
}

const programs: Record<string, Program> = {
  // Claude's connector documentation ("Authentication"), and its help centre ("Building Custom Connectors via Remote
  // MCP Servers").
  'Claude, which registers': {
    redirectUri: 'https://claude.ai/api/mcp/auth_callback',
    registers: {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'mcp:wallet.read mcp:skills.read',
    },
  },
  'Claude, by a document that cannot be read': {
    redirectUri: 'https://claude.com/api/mcp/auth_callback',
    document: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
  },
  'Claude Code, by a document that cannot be read': {
    redirectUri: 'http://localhost:52311/callback',
    document: 'https://claude.ai/oauth/claude-code-client-metadata',
  },
  // "Authentication" in OpenAI's Apps SDK and plugin documentation: the callback is this one when the response has
  // `iss`, else one for each app.
  'ChatGPT, by its document': {
    redirectUri: 'https://chatgpt.com/connector_platform_oauth_redirect',
    document: 'https://chatgpt.com/oauth/client.json',
  },
  'ChatGPT, which registers': {
    redirectUri: 'https://chatgpt.com/connector/oauth/abc123',
    registers: {
      client_name: 'ChatGPT',
      redirect_uris: ['https://chatgpt.com/connector/oauth/abc123'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  },
}
const documents: Record<string, object> = {
  'https://chatgpt.com/oauth/client.json': {
    client_id: 'https://chatgpt.com/oauth/client.json',
    client_name: 'ChatGPT',
    redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    token_endpoint_auth_method: 'private_key_jwt',
  },
}

let world: Awaited<ReturnType<typeof openOauthWorld>>
beforeAll(async () => {
  world = await openOauthWorld(documents)
})
afterAll(() => world.close())

const at = (address: string) => address.replace(`${world.origin}/api`, '')

/** RFC 9728 from the MCP server's address on, then RFC 8414: a program's knowledge before its first request. */
async function discover() {
  const { body: resource } = await world.request({ path: '/.well-known/oauth-protected-resource/api/mcp' })
  const [issuer] = resource.authorization_servers
  const { body: server } = await world.request({ path: '/.well-known/oauth-authorization-server/api' })
  expect([resource.resource, server.issuer]).toEqual([world.resource, issuer])
  // ChatGPT connects only with this field; Claude uses a document's address as its id only with both.
  expect(server.code_challenge_methods_supported).toContain('S256')
  expect(server.client_id_metadata_document_supported).toBe(true)
  expect(server.token_endpoint_auth_methods_supported).toContain('none')
  return { resource: resource.resource, scope: resource.scopes_supported.join(' '), server }
}

async function identify({ document, registers }: Program, server: { registration_endpoint: string }): Promise<string> {
  if (document) return document
  const path = at(server.registration_endpoint)
  const { status, body } = await world.request({ method: 'POST', path, body: registers ?? {} })
  expect([status, body.token_endpoint_auth_method]).toEqual([201, 'none'])
  return body.client_id
}

test.each(Object.entries(programs))('%s connects, works, and continues when its token ends', async (_, program) => {
  const { resource, scope, server } = await discover()
  const client = { id: await identify(program, server) }
  const { redirectUri } = program
  const { query, verifier } = world.begin(client, { redirect_uri: redirectUri, resource, scope })
  expect(server.authorization_endpoint).toBe(`${world.origin}/authorize`)
  const { body } = await world.consent(query, await world.session())
  const back = new URL(body.redirectTo)
  expect(`${back.origin}${back.pathname}`).toBe(redirectUri)
  expect([back.searchParams.get('iss'), back.searchParams.get('state')]).toEqual([server.issuer, query.state])

  const code = world.codeOf(body.redirectTo)
  const tokens = (await world.redeem(client, code, verifier, { redirect_uri: redirectUri, resource })).body
  expect([tokens.token_type, tokens.expires_in, await world.use(tokens.access_token)]).toEqual(['Bearer', 3600, 204])

  world.clock.nowMs += hourMs
  expect(await world.use(tokens.access_token)).toBe(401)
  const renewed = (await world.refresh(client, tokens.refresh_token, { resource })).body
  expect(await world.use(renewed.access_token)).toBe(204)
})

test.each(['https://claude.ai/oauth/mcp-oauth-client-metadata', 'https://claude.ai/oauth/claude-code-client-metadata'])(
  'a code for %s is sent only to its documented redirect addresses',
  async (id) => {
    const { query } = world.begin({ id }, { redirect_uri: 'https://evil.example/callback' })
    expect((await world.consent(query, await world.session())).status).toBe(400)
  },
)

test('the current document at Claude’s host takes precedence over the cached one', async () => {
  const id = 'https://claude.ai/oauth/mcp-oauth-client-metadata'
  documents[id] = { client_id: id, client_name: 'Claude', redirect_uris: ['https://claude.ai/another/callback'] }
  const ask = async (uri: string) =>
    (await world.consent(world.begin({ id }, { redirect_uri: uri }).query, await world.session())).status
  expect(await ask('https://claude.ai/another/callback')).toBe(200)
  expect(await ask('https://claude.ai/api/mcp/auth_callback')).toBe(400)
})
