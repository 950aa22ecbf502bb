import * as z from 'zod'
import { checkClient, take } from '../../app/oauth/grants.ts'
import type { GrantOutcome, Grants, IssuedTokens } from '../../app/ports/oauth.ts'
import { isOurResource } from '../../domain/oauth/authorization.ts'
import { OauthError } from '../../domain/oauth/errors.ts'
import { operation } from '../kit/operation.ts'
import { errorAsOauth } from './errors.ts'
import { readForm } from './form.ts'

export const issueTokens = operation({
  id: 'issueTokens',
  summary: 'OAuth: get tokens for a code or a refresh token',
  description:
    'RFC 6749 with PKCE (RFC 7636) and resource indicators (RFC 8707), as a form. An access token is a token of the ' +
    'account and is valid for an hour. Each use of a refresh token replaces it. A second use returns the same ' +
    'successor for 2 minutes; later it ends the connection. A request with a valid code or token does not count ' +
    'against the limit.',
  http: { method: 'POST', path: '/oauth/token', rawBody: true },
  auth: 'none',
  limit: 'read',
  admission: 'secret',
  output: z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: 'Seconds.' }),
    refresh_token: z.string(),
    scope: z.string(),
  }),
  example: {
    access_token: 'oss_00Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78',
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_token: `osr_${'a'.repeat(87)}`,
    scope: 'mcp:wallet.read',
  },
  exampleInput: { grant_type: 'refresh_token', client_id: 'cli_01KAHB2N3P4Q5R6S7T8V9WXYZ0' },
  errors: ['conflict', 'unauthorized'],
  errorAs: errorAsOauth,
  uses: { grants: 'write', clients: 'read', tokens: 'write', events: 'write', audit: 'write', outbox: 'write' },
  run: async ({ deps, now, request }) => {
    const form = readForm(request.rawBody, request.headers['content-type'])
    if (!isOurResource(form.resource, deps.settings.publicOrigin))
      throw new OauthError('invalid_target', 'Tokens are for this service alone.')
    const outcome = await use(deps.grants, form, now)
    if (outcome.kind === 'invalid') await checkClient(deps, form.client_id ?? '', now)
    return shown(await take(deps, outcome, now), now)
  },
})

async function use(grants: Grants, form: Record<string, string>, nowMs: number): Promise<GrantOutcome> {
  const { grant_type: type, client_id: clientId = '' } = form
  if (!clientId) throw new OauthError('invalid_client', 'Send client_id.')
  if (type === 'refresh_token') return grants.refresh(form.refresh_token ?? '', clientId, nowMs)
  if (type !== 'authorization_code')
    throw new OauthError('unsupported_grant_type', 'Send grant_type authorization_code or refresh_token.')
  const proof = { clientId, redirectUri: form.redirect_uri ?? '', verifier: form.code_verifier ?? '' }
  return grants.redeem(form.code ?? '', proof, nowMs)
}

const shown = ({ accessToken, accessEndsAt, refreshToken, grant }: IssuedTokens, nowMs: number) => ({
  access_token: accessToken,
  token_type: 'Bearer' as const,
  expires_in: Math.max(0, Math.floor((Date.parse(accessEndsAt) - nowMs) / 1000)),
  refresh_token: refreshToken,
  scope: grant.scopes.join(' '),
})
