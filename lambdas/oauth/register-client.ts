import * as z from 'zod'
import { registerClient as register } from '../../app/oauth/clients.ts'
import { clientMetadata } from '../../domain/oauth/client.ts'
import { OauthError } from '../../domain/oauth/errors.ts'
import { operation } from '../kit/operation.ts'
import { errorAsOauth } from './errors.ts'

export const registerClient = operation({
  id: 'registerClient',
  summary: 'OAuth: register a program',
  description:
    'RFC 7591, for programs without a metadata document. Every client is a public client, whatever it requests. A ' +
    'registration without a connected user is deleted after 30 days.',
  http: { method: 'POST', path: '/oauth/register', status: 201, rawBody: true },
  auth: 'none',
  limit: 'write',
  output: clientMetadata.extend({ client_id: z.string(), client_id_issued_at: z.int() }).catchall(z.unknown()),
  example: {
    client_id: 'cli_01KAHB2N3P4Q5R6S7T8V9WXYZ0',
    client_id_issued_at: 1_793_534_400,
    client_name: 'An app',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  exampleInput: { client_name: 'An app', redirect_uris: ['http://127.0.0.1/callback'] },
  uses: { clients: 'write' },
  errorAs: errorAsOauth,
  run: async ({ deps, now, request }) => {
    const { id, name, redirectUris } = await register(deps, parsed(request.rawBody), now)
    return {
      client_id: id,
      client_id_issued_at: Math.floor(now / 1000),
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  },
})

function parsed(text: string): unknown {
  try {
    return text.length > 20_000 ? null : JSON.parse(text)
  } catch {
    throw new OauthError('invalid_client_metadata', 'The body is not valid JSON.')
  }
}
