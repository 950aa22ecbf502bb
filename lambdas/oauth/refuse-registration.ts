import * as z from 'zod'
import { OauthError } from '../../domain/oauth/errors.ts'
import { operation } from '../kit/operation.ts'
import { errorAsOauth } from './errors.ts'

export const refuseRegistration = operation({
  id: 'refuseRegistration',
  summary: 'OAuth: say how to connect instead',
  description:
    'Served at the root of the host, `/register`, where MCP clients guess a registration to be when the address they were given names no ' +
    'authorization server. They show their user what is answered, so it says what to do. Nothing is ever registered.',
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
