import * as z from 'zod'
import { addPasskey as add } from '../../app/account/passkeys.ts'
import { ceremonyResponse, passkey, showPasskey } from '../../domain/account/passkey.ts'
import { name } from '../../domain/name.ts'
import { operation } from '../kit/operation.ts'

export const addPasskey = operation({
  id: 'addPasskey',
  summary: 'Store a passkey that this browser created',
  description: 'Requires a sign-in at most 10 minutes old.',
  http: { method: 'POST', path: '/auth/passkeys', status: 201 },
  auth: 'session',
  recentSignIn: true,
  input: z.strictObject({
    name: name('Give the passkey a name.').meta({ example: 'Work laptop' }),
    response: ceremonyResponse,
  }),
  output: z.object({ passkey }),
  errors: ['conflict'],
  uses: { passkeys: 'write', passkeyCeremony: 'read', users: 'read', mail: 'write', events: 'write' },
  commits: true,
  run: async ({ input, actor, deps, now, outboxFor }) => ({
    passkey: showPasskey(await add(deps, actor.userId, input, now, outboxFor)),
  }),
})
