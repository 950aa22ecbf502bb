import * as z from 'zod'
import { countAddress, openSession, signInSecret } from '../../app/account/sign-in.ts'
import { deviceOf } from '../../domain/account/device.ts'
import { account, email, showAccount } from '../../domain/account/user.ts'
import { unauthorized } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const verify = operation({
  id: 'verify',
  summary: 'Sign in with the mailed code or link',
  description:
    'Sets the session cookie. A first sign-in makes the account; a sign-in keeps one that was to be deleted.',
  http: { method: 'POST', path: '/auth/verify' },
  auth: 'none',
  limit: 'login',
  sameOrigin: true,
  input: z.strictObject({
    email,
    code: z
      .string()
      .regex(/^\d{6}$/, 'The code has six digits.')
      .optional(),
    token: z
      .string()
      .regex(/^[\w-]{22}$/, 'Open the whole link of the mail.')
      .optional(),
  }),
  output: z.object({ account }),
  errors: ['unauthorized'],
  uses: {
    logins: 'write',
    rates: 'write',
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
    const secret = signInSecret(input)
    await countAddress(deps, 'verify', input.email, now)
    if (!(await deps.logins.redeem(input.email, secret, now)))
      throw unauthorized('That code is wrong or too old. Check the newest mail, or ask for another code.')
    const { user } = await deps.users.findOrCreate(input.email, deps.ids.next('usr'), now)
    const { cookie } = await commit(user.id, () =>
      openSession(deps, user, deviceOf(request.headers['user-agent']), now),
    )
    setSession(cookie)
    return { account: showAccount(user) }
  },
})
