import { type Scope, scopes } from '../scopes.ts'

/** API Gateway's stage below the public origin. */
export const apiRoot = (origin: string): string => `${origin}/api`

/** RFC 8414, RFC 9207. The path keeps clients that guess at the origin's root from finding OAuth. */
export const issuerOf = apiRoot

/** For MCP clients that sign in through a browser: the `resource` of RFC 8707 and RFC 9728. */
export const resourceOf = (origin: string): string => `${apiRoot(origin)}/mcp`

/** For MCP clients with a token of their own: this address never offers OAuth. */
const tokenResourceOf = (origin: string): string => `${apiRoot(origin)}/mcp-token`

/** Other tokens, and hooks, whose secrets would outlive the app's access, are for people and the tokens they made. */
const ungrantable: readonly Scope[] = ['api:tokens.write', 'api:hooks', 'mcp:*']
export const grantable = scopes.filter((scope) => !ungrantable.includes(scope))

const wellKnown = '/.well-known/oauth-protected-resource'

/** Tells a client without a valid token where to learn how to get one (RFC 9728, section 5.1). */
export const challengeOf = (origin: string): string => `Bearer resource_metadata="${origin}${wellKnown}/api/mcp"`

const described = { bearer_methods_supported: ['header'], resource_name: 'Berth' }

/** RFC 9728. */
export const protectedResource = (origin: string) => ({
  resource: resourceOf(origin),
  authorization_servers: [issuerOf(origin)],
  // Clients request all scopes of this list, so it has only those of tools.
  scopes_supported: grantable.filter((scope) => scope.startsWith('mcp:')),
  ...described,
})

/** RFC 9728, for the address without an authorization server. */
export const tokenResource = (origin: string) => ({ resource: tokenResourceOf(origin), ...described })

/** RFC 8414. Clients are public: none has a secret, and each proves itself by PKCE. */
export const authorizationServer = (origin: string) => ({
  issuer: issuerOf(origin),
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${apiRoot(origin)}/oauth/token`,
  registration_endpoint: `${apiRoot(origin)}/oauth/register`,
  revocation_endpoint: `${apiRoot(origin)}/oauth/revoke`,
  scopes_supported: grantable,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
})
