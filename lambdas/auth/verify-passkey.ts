import * as z from 'zod'
import { provePasskey } from '../../app/account/passkeys.ts'
import { ceremonyResponse } from '../../domain/account/passkey.ts'
import { shownTerms } from '../../domain/account/terms.ts'
import { unauthorized } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'
import { signIn, signInUses, signingIn } from './sign-in.ts'

export const verifyPasskey = operation({
  ...signingIn,
  id: 'verifyPasskey',
  summary: 'Sign in with a passkey',
  description: 'Sets the session cookie. Only an invalid answer counts against the limit.',
  http: { method: 'POST', path: '/auth/passkeys/verify' },
  input: z.strictObject({ response: ceremonyResponse, terms: shownTerms }),
  uses: { passkeys: 'write', passkeyCeremony: 'read', ...signInUses },
  run: async (context) => {
    const { input, deps, now, admit } = context
    const proved = await provePasskey(deps, input.response, now)
    if (!proved) {
      await admit()
      throw unauthorized('This passkey is unknown, or the sign-in took too long. Try again, or use a code.')
    }
    return signIn(context, proved.user, proved)
  },
})
