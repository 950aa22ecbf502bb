import * as z from 'zod'
import { ceremonyResponse, passkey, showPasskey } from '../../domain/account/passkey.ts'
import { addPasskey as add } from '../../domain/account/passkeys.ts'
import { operation } from '../kit/operation.ts'

export const addPasskey = operation({
  id: 'addPasskey',
  summary: 'Keep a passkey this browser has made',
  description: 'Wants a sign-in at most 10 minutes old.',
  http: { method: 'POST', path: '/auth/passkeys', status: 201 },
  auth: 'session',
  recentSignIn: true,
  limit: 'write',
  input: z.strictObject({
    name: z.string().trim().min(1, 'Give the passkey a name.').max(100).meta({ example: 'Work laptop' }),
    response: ceremonyResponse,
  }),
  output: passkey,
  errors: ['conflict'],
  uses: ['passkeys', 'passkeyCeremony', 'users', 'mail'],
  audit: ({ output }) => ({ record: output.id }),
  run: async ({ input, actor, deps, now }) => showPasskey(await add(deps, actor.userId, input, now)),
})
