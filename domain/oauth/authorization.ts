import * as z from 'zod'
import { invalid } from '../errors.ts'
import { isScope, type Scope, scope } from '../scopes.ts'
import { dayMs, iso } from '../time.ts'
import { type Client, hostOf, isDocumentAddress, mayRedirect } from './client.ts'
import { grantable, issuerOf, resourceOf } from './metadata.ts'

export const authorizationRequest = {
  client_id: z.string().max(500).meta({ example: 'cli_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
  redirect_uri: z.string().max(500).meta({ example: 'http://127.0.0.1:33418/callback' }),
  response_type: z.string().max(50).optional().meta({ example: 'code' }),
  code_challenge: z.string().max(200).optional().meta({ example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' }),
  code_challenge_method: z.string().max(50).optional().meta({ example: 'S256' }),
  scope: z.string().max(2_000).optional().meta({ example: 'mcp:wallet.read' }),
  state: z.string().max(4_000).optional().meta({ example: 'af0ifjsldkj' }),
  resource: z.string().max(500).optional().meta({ example: 'https://berth.example.com/api/mcp' }),
}

type AuthorizationRequest = z.infer<z.ZodObject<typeof authorizationRequest>>

export const consentRequest = z
  .object({
    client: z.object({
      id: z.string().meta({ example: 'https://app.example.com/client.json' }),
      name: z.string().meta({ description: 'The name that it gave itself; not verified.', example: 'An app' }),
      host: z.string().nullable().meta({
        description: 'The host of its id; null for a registered client.',
        example: 'app.example.com',
      }),
    }),
    redirectHost: z.string().meta({ description: 'The host that gets the answer.', example: 'this computer' }),
    scopes: z.array(scope),
  })
  .meta({ id: 'AuthorizationRequest' })

/** A wrong request never redirects the browser: its author may want exactly that. @throws validation */
export function readRequest(
  client: Client,
  request: AuthorizationRequest,
  origin: string,
): z.infer<typeof consentRequest> {
  if (!mayRedirect(client, request.redirect_uri))
    throw invalid('redirect_uri', 'the app has not registered it. Nothing was sent to it.')
  if (request.response_type !== 'code') throw invalid('response_type', 'only "code" is supported.')
  if (request.code_challenge_method !== 'S256' || !/^[\w-]{43}$/.test(request.code_challenge ?? ''))
    throw invalid('code_challenge', 'the app must use PKCE with S256.')
  checkResource(request.resource, origin)
  return {
    client: { id: client.id, name: client.name, host: isDocumentAddress(client.id) ? hostOf(client.id) : null },
    redirectHost: hostOf(request.redirect_uri),
    scopes: readScopes(request.scope),
  }
}

/** True for our resource (RFC 8707), or none. */
export const isOurResource = (resource: string | undefined, origin: string): boolean =>
  resource === undefined || resource === '' || normalized(resource) === resourceOf(origin)

/** RFC 3986: scheme and host in any case are the same address. Also without a slash at the end. */
const normalized = (resource: string): string =>
  (URL.canParse(resource) ? new URL(resource).href : resource).replace(/\/$/, '')

function checkResource(resource: string | undefined, origin: string): void {
  if (!isOurResource(resource, origin)) throw invalid('resource', `tokens are only for ${resourceOf(origin)}.`)
}

/** All tools' scopes if none were requested. `mcp:*` stands for each of them. */
function readScopes(text = ''): Scope[] {
  const words = text.split(' ').filter(isScope)
  const mcp = grantable.filter((each) => each.startsWith('mcp:'))
  const wanted = words.includes('mcp:*') ? [...mcp, ...words] : words
  const granted = grantable.filter((each) => wanted.includes(each))
  return granted.length > 0 ? granted : mcp
}

/** Days until a connected app must ask again. */
export const grantDays = { default: 90, most: 365 } as const

export const authorization = z.object({
  grantId: z.string(),
  userId: z.string(),
  clientId: z.string(),
  name: z.string(),
  host: z.string(),
  redirectUri: z.string(),
  challenge: z.string(),
  scopes: z.array(scope),
  /** ISO 8601. */
  grantEndsAt: z.string(),
  /** Cap of the app's total spending, µUSD. */
  capMicros: z.int().optional(),
})

export type Authorization = z.infer<typeof authorization>

/** @throws validation for scopes that were not requested */
export function authorize(
  shown: z.infer<typeof consentRequest>,
  { code_challenge, redirect_uri }: AuthorizationRequest,
  allowed: { scopes: Scope[]; expiresInDays: number; capMicros?: number | undefined },
  { userId, grantId, nowMs }: { userId: string; grantId: string; nowMs: number },
): Authorization {
  const { client, redirectHost, scopes } = shown
  if (!allowed.scopes.every((each) => scopes.includes(each))) throw invalid('scopes', 'the app did not ask for these.')
  if (allowed.scopes.length === 0) throw invalid('scopes', 'allow at least one, or refuse the app.')
  return {
    grantId,
    userId,
    clientId: client.id,
    name: client.name,
    host: client.host ?? redirectHost,
    redirectUri: redirect_uri,
    challenge: code_challenge ?? '',
    scopes: scopes.filter((each) => allowed.scopes.includes(each)),
    grantEndsAt: iso(nowMs + allowed.expiresInDays * dayMs),
    ...(allowed.capMicros !== undefined && { capMicros: allowed.capMicros }),
  }
}

/** Names the issuer (RFC 9207), so that a client cannot confuse the answers of two servers. */
export function redirectTo(
  { redirect_uri, state }: AuthorizationRequest,
  answer: { code: string } | { error: 'access_denied' },
  origin: string,
): string {
  const query = new URLSearchParams({ ...answer, ...(state !== undefined && { state }), iss: issuerOf(origin) })
  return `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}${query}`
}
