import * as z from 'zod'
import { revokeByToken } from '../../app/oauth/grants.ts'
import { operation } from '../kit/operation.ts'
import { answer, readForm } from './answers.ts'

export const revokeGrant = operation({
  id: 'revokeGrant',
  summary: 'OAuth: end a connection',
  description:
    'RFC 7009, as a form. Either of the tokens ends the whole connection, and the answer is the same for whatever else is sent. Any other token ' +
    'of an account is left alone.',
  http: { method: 'POST', path: '/oauth/revoke', stream: true, rawBody: true },
  auth: 'none',
  limit: 'write',
  output: z.object({}),
  exampleInput: { token: `osr_${'a'.repeat(87)}` },
  uses: { grants: 'read', tokens: 'write', events: 'write', outbox: 'write' },
  run: async ({ deps, now, request, admit }) =>
    answer(admit, async () => {
      const { token = '' } = readForm(request.rawBody, request.headers['content-type'])
      await revokeByToken(deps, token, now)
      return {}
    }),
})
