import * as z from 'zod'
import { revokeByToken } from '../../app/oauth/grants.ts'
import { operation } from '../kit/operation.ts'
import { errorAsOauth } from './errors.ts'
import { readForm } from './form.ts'

export const revokeGrant = operation({
  id: 'revokeGrant',
  summary: 'OAuth: end a connection',
  description:
    'RFC 7009, as a form. Either token of a connection ends the whole connection. The answer is the same for any ' +
    'other text. Other tokens of the account do not change.',
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
