import * as z from 'zod'
import { OauthError } from '../../domain/oauth/errors.ts'
import { operation } from '../kit/operation.ts'
import { errorAsOauth } from './errors.ts'

export const refuseRegistration = operation({
  id: 'refuseRegistration',
  summary: 'OAuth: explain how to connect',
  description:
    'Answers at `/register` at the root of the host. MCP clients send a registration there when the address that ' +
    'they were given names no authorization server. They show the answer to their user, so the answer explains what ' +
    'to do. It never registers a client.',
  http: { method: 'POST', path: '/register', rawBody: true },
  auth: 'none',
  limit: 'write',
  output: z.object({}),
  uses: {},
  errorAs: errorAsOauth,
  run: async () => {
    throw new OauthError(
      'invalid_client_metadata',
      'This address has no sign-in. Mint a token on the tokens page of the dashboard and send it as "Authorization: Bearer oss_…", ' +
        'or connect to /api/mcp, which signs in through the browser.',
    )
  },
})
