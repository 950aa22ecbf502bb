import * as z from 'zod'
import { rememberBrowser, tellOfNewBrowser } from '../../app/account/known-browser.ts'
import { provePasskey } from '../../app/account/passkeys.ts'
import { acceptShown, openSession } from '../../app/account/sign-in.ts'
import { deviceOf } from '../../domain/account/device.ts'
import { ceremonyResponse } from '../../domain/account/passkey.ts'
import { shownTerms } from '../../domain/account/terms.ts'
import { account, showAccount } from '../../domain/account/user.ts'
import { unauthorized } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const verifyPasskey = operation({
  id: 'verifyPasskey',
  summary: 'Sign in with a passkey',
  description: 'Sets the session cookie. An answer that is not genuine counts against the limit.',
  http: { method: 'POST', path: '/auth/passkeys/verify' },
  auth: 'none',
  limit: 'login',
  admission: 'secret',
  sameOrigin: true,
  input: z.strictObject({ response: ceremonyResponse, terms: shownTerms }),
  output: z.object({ account }),
  errors: ['unauthorized'],
  uses: {
    passkeys: 'write',
    passkeyCeremony: 'read',
    users: 'write',
    wallets: 'write',
    sessions: 'write',
    instances: 'write',
    gracePeriods: 'write',
    bus: 'write',
    events: 'write',
    mail: 'write',
    cursors: 'read',
    outbox: 'write',
  },
  commits: true,
  run: async ({ input, deps, now, request, outboxFor, admit, cookie, setCookie }) => {
    const proved = await provePasskey(deps, input.response, now)
    if (!proved) {
      await admit()
      throw unauthorized('This passkey is not known here, or the sign-in took too long. Try again, or use a code.')
    }
    const { user, passkeyId } = proved
    const device = deviceOf(request.headers['user-agent'])
    const session = await openSession(deps, user, device, now, passkeyId, outboxFor(user.id))
    await acceptShown(deps, user, input.terms, now)
    await tellOfNewBrowser(deps, user, device, cookie('browser'))
    setCookie('session', session)
    setCookie('browser', await rememberBrowser(deps, user, user.email))
    return { account: showAccount(user) }
  },
})
