import * as z from 'zod'
import { authorizationServer } from '../../domain/oauth/metadata.ts'
import { operation } from '../kit/operation.ts'

export const getAuthorizationServer = operation({
  id: 'getAuthorizationServer',
  summary: 'OAuth: the authorization server',
  description:
    'RFC 8414. The issuer ends with `/api`, so the address at the host’s root is `/.well-known/oauth-authorization-server/api`; ' +
    'this one is for clients that append to the issuer.',
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
