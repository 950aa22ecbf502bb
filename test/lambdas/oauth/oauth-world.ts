import { createHash, randomBytes } from 'node:crypto'
import type { Client } from '../../../domain/oauth/client.ts'
import { area } from '../../../lambdas/kit/area.ts'
import { mcpClose } from '../../../lambdas/mcp/mcp-close.ts'
import { oauthArea } from '../../../lambdas/oauth/index.ts'
import { tokensArea } from '../../../lambdas/tokens/index.ts'
import { openWorld } from '../../world.ts'

export const redirectUri = 'http://127.0.0.1:4444/callback'

export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

/** The authorization server with the token routes and one MCP route. */
export async function openOauthWorld(documents: Record<string, unknown> = {}) {
  const world = await openWorld({
    areas: [oauthArea, tokensArea, area({ name: 'mcp', operations: [mcpClose] })],
    replace: () => ({ clientDocuments: { read: async (address) => documents[address] ?? null } }),
  })
  const { request } = world
  const origin = world.env.settings().publicOrigin
  const resource = `${origin}/api/mcp`

  const form = (path: string, fields: Record<string, string>) =>
    request({
      method: 'POST',
      path,
      body: new URLSearchParams(fields).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    })

  async function register(redirectUris = ['http://127.0.0.1/callback'], name = 'Test app'): Promise<Client> {
    const { status, body } = await request({
      method: 'POST',
      path: '/oauth/register',
      body: { client_name: name, redirect_uris: redirectUris, scope: 'x', grant_types: ['authorization_code'] },
    })
    if (status !== 201) throw new Error(`not registered: ${status}`)
    return { id: body.client_id, name: body.client_name, redirectUris }
  }

  /** The parameters that a client sends with the browser, and its own secret part. */
  function begin(client: Pick<Client, 'id'>, change: Record<string, string | undefined> = {}) {
    const verifier = randomBytes(32).toString('base64url')
    const query = {
      client_id: client.id,
      redirect_uri: redirectUri,
      response_type: 'code',
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      state: 'some state',
      resource,
      scope: 'mcp:wallet.read mcp:skills.read',
      ...change,
    }
    return { verifier, query: Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) }
  }

  /** The user's decision on the consent page; returns the browser's next address. */
  async function consent(query: object, user: { headers: object }, change: object = {}) {
    return request({
      method: 'POST',
      path: '/oauth/authorization',
      headers: { ...user.headers },
      body: { ...query, allow: true, scopes: ['mcp:wallet.read', 'mcp:skills.read'], ...change },
    })
  }

  const codeOf = (redirectTo: string) => new URL(redirectTo).searchParams.get('code') ?? ''

  const redeem = (client: Pick<Client, 'id'>, code: string, verifier: string, change: Record<string, string> = {}) =>
    form('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: client.id,
      code,
      code_verifier: verifier,
      redirect_uri: redirectUri,
      resource,
      ...change,
    })

  const refresh = (client: Pick<Client, 'id'>, refreshToken: string, change: Record<string, string> = {}) =>
    form('/oauth/token', { grant_type: 'refresh_token', client_id: client.id, refresh_token: refreshToken, ...change })

  /** A user who has connected a client. */
  async function connect(change: object = {}) {
    const user = await world.session()
    const client = await register()
    const { query, verifier } = begin(client)
    const { body } = await consent(query, user, change)
    const { body: tokens } = await redeem(client, codeOf(body.redirectTo), verifier)
    return { user, client, tokens }
  }

  /** The status of a request with this access token. */
  const use = async (accessToken: string) =>
    (await request({ method: 'DELETE', path: '/mcp', headers: { Authorization: `Bearer ${accessToken}` } })).status

  const apps = async (user: { headers: object }) => {
    const { body } = await request({ path: '/tokens', headers: { ...user.headers } })
    return body.tokens
  }

  return { ...world, origin, resource, form, register, begin, consent, codeOf, redeem, refresh, connect, use, apps }
}
