import * as z from 'zod'
import { revokeByToken } from '../../app/oauth/grants.ts'
import { operation } from '../kit/operation.ts'
import { errorAsOauth } from './errors.ts'
import { readForm } from './form.ts'

export const revokeGrant = operation({
  id: 'revokeGrant',
  summary: 'OAuth: end a connection',
  description:
    'RFC 7009, as a form. Either of the tokens ends the whole connection, and the answer is the same for whatever else is sent. Any other token ' +
    'of an account is left alone.',
  http: { method: 'POST', path: '/oauth/revoke', rawBody: true },
  auth: 'none',
  limit: 'write',
  output: z.object({}),
  exampleInput: { token: `osr_${'a'.repeat(87)}` },
  uses: { grants: 'read', tokens: 'write', events: 'write', audit: 'write', outbox: 'write' },
  errorAs: errorAsOauth,
  run: async ({ deps, now, request }) => {
    const { token = '' } = readForm(request.rawBody, request.headers['content-type'])
    await revokeByToken(deps, token, now)
    return {}
  },
})
