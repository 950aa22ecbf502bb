import * as z from 'zod'
import { redeemSecret } from '../../app/account/sign-in.ts'
import { shownTerms } from '../../domain/account/terms.ts'
import { email } from '../../domain/account/user.ts'
import { unauthorized } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'
import { signIn, signInUses, signingIn } from './sign-in.ts'

export const verify = operation({
  ...signingIn,
  id: 'verify',
  summary: 'Sign in with the code or the link from the e-mail',
  description:
    'Sets the session cookie. A code works only in the browser that asked for it, together with the cookie from ' +
    '`login`. A link’s token works in any browser. Only wrong codes and tokens count against the limit. The first ' +
    'sign-in creates the account. A sign-in to an account that is scheduled for deletion keeps the account.',
  http: { method: 'POST', path: '/auth/verify' },
  input: z.strictObject({
    email,
    code: z
      .string()
      .regex(/^\d{6}$/, 'the code has six digits.')
      .optional(),
    token: z
      .string()
      .regex(/^[\w-]{22}$/, 'open the complete link from the e-mail.')
      .optional(),
    terms: shownTerms,
  }),
  uses: { logins: 'write', ...signInUses },
  run: async (context) => {
    const { input, deps, now, admit, cookie } = context
    if (!(await redeemSecret(deps, input, cookie('attempts'), now))) {
      await admit()
      throw unauthorized(
        'The code is wrong or expired, or another browser requested it. You can open the link in the e-mail instead.',
      )
    }
    const { user, created } = await deps.users.findOrCreate(input.email, deps.ids.next('usr'), now, input.terms)
    return signIn(context, user, { isNew: created })
  },
})
