import * as z from 'zod'
import { account, email, showAccount } from '../../domain/account/user.ts'
import { unauthorized } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const verify = operation({
  id: 'verify',
  summary: 'Sign in with the mailed code',
  description: 'Sets the session cookie. A first sign-in makes the account.',
  http: { method: 'POST', path: '/auth/verify' },
  auth: 'none',
  limit: 'login',
  sameOrigin: true,
  input: z.strictObject({ email, code: z.string().regex(/^\d{6}$/, 'The code has six digits.') }),
  output: z.object({ account }),
  errors: ['unauthorized'],
  uses: ['logins', 'users', 'wallets', 'sessions'],
  run: async ({ input, deps, now, setSession }) => {
    if (!(await deps.logins.redeem(input.email, input.code, now))) {
      throw unauthorized('That code is wrong or too old. Check the newest mail, or ask for another code.')
    }
    const { user } = await deps.users.findOrCreate(input.email, deps.ids.next('usr'), now)
    const [{ cookie }] = await Promise.all([deps.sessions.open(user.id, now), deps.wallets.open(user.id)])
    setSession(cookie)
    return { account: showAccount(user) }
  },
})
