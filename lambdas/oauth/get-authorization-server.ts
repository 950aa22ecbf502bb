import * as z from 'zod'
import { authorizationServer } from '../../domain/oauth/metadata.ts'
import { operation } from '../kit/operation.ts'

export const getAuthorizationServer = operation({
  id: 'getAuthorizationServer',
  summary: 'OAuth: get the metadata of the authorization server',
  description:
    'RFC 8414. The issuer ends with `/api`, so the metadata is also at `/.well-known/oauth-authorization-server/api` ' +
    'below the root of the host. This address is for clients that append the path to the issuer.',
  http: {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    aliases: ['/.well-known/oauth-authorization-server/api'],
  },
  auth: 'none',
  limit: null,
  output: z.record(z.string(), z.unknown()),
  example: authorizationServer('https://berth.example.com'),
  uses: {},
  run: async ({ deps }) => authorizationServer(deps.settings.publicOrigin),
})
