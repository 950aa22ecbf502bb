import * as z from 'zod'
import { provePasskey } from '../../app/account/passkeys.ts'
import { openSession } from '../../app/account/sign-in.ts'
import { deviceOf } from '../../domain/account/device.ts'
import { ceremonyResponse } from '../../domain/account/passkey.ts'
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
  uses: {
    passkeys: 'write',
    passkeyCeremony: 'read',
    users: 'write',
    wallets: 'write',
    sessions: 'write',
    instances: 'write',
    bus: 'write',
    events: 'write',
    mail: 'write',
    outbox: 'write',
  },
  commits: true,
  run: async ({ input, deps, now, request, commit, setSession }) => {
    const user = await provePasskey(deps, input.response, now)
    const { cookie } = await commit(user.id, () =>
      openSession(deps, user, deviceOf(request.headers['user-agent']), now),
    )
    setSession(cookie)
    return { account: showAccount(user) }
  },
})
