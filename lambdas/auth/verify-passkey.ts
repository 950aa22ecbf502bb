import * as z from 'zod'
import { deviceOf } from '../../domain/account/device.ts'
import { ceremonyResponse } from '../../domain/account/passkey.ts'
import { provePasskey } from '../../domain/account/passkeys.ts'
import { openSession } from '../../domain/account/sign-in.ts'
import { account, showAccount } from '../../domain/account/user.ts'
import { operation } from '../kit/operation.ts'

export const verifyPasskey = operation({
  id: 'verifyPasskey',
  summary: 'Sign in with a passkey',
  description: 'Sets the session cookie.',
  http: { method: 'POST', path: '/auth/passkeys/verify' },
  auth: 'none',
  limit: 'login',
  sameOrigin: true,
  input: z.strictObject({ response: ceremonyResponse }),
  output: z.object({ account }),
  errors: ['unauthorized'],
  uses: ['passkeys', 'passkeyCeremony', 'users', 'wallets', 'sessions', 'instances', 'bus', 'events', 'mail'],
  audit: ({ output: { account: user } }) => ({ record: user.id, userId: user.id }),
  run: async ({ input, deps, now, request, setSession }) => {
    const user = await provePasskey(deps, input.response, now)
    const { cookie } = await openSession(deps, user, deviceOf(request.headers['user-agent']), now)
    setSession(cookie)
    return { account: showAccount(user) }
  },
})
