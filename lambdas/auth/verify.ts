import * as z from 'zod'
import { rememberBrowser, tellOfNewBrowser } from '../../app/account/known-browser.ts'
import { acceptShown, openSession, redeemSecret } from '../../app/account/sign-in.ts'
import { deviceOf } from '../../domain/account/device.ts'
import { shownTerms } from '../../domain/account/terms.ts'
import { account, email, showAccount } from '../../domain/account/user.ts'
import { unauthorized } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const verify = operation({
  id: 'verify',
  summary: 'Sign in with the mailed code or link',
  description:
    'Sets the session cookie. A code works in the browser that asked for it, which shows the cookie it was given then; a ' +
    'link’s token works in any. Wrong ones alone count against the limit. A first sign-in makes the account; a sign-in ' +
    'keeps one that was to be deleted.',
  http: { method: 'POST', path: '/auth/verify' },
  auth: 'none',
  limit: 'login',
  admission: 'secret',
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
    terms: shownTerms,
  }),
  output: z.object({ account }),
  errors: ['unauthorized'],
  uses: {
    logins: 'write',
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
    if (!(await redeemSecret(deps, input, cookie('attempts'), now))) {
      await admit()
      throw unauthorized('That code is wrong or too old, or another browser asked for it. Open the link of the mail.')
    }
    const { user, created } = await deps.users.findOrCreate(input.email, deps.ids.next('usr'), now, input.terms)
    const device = deviceOf(request.headers['user-agent'])
    const session = await openSession(deps, user, device, now, null, outboxFor(user.id))
    if (!created) await acceptShown(deps, user, input.terms, now)
    if (!created) await tellOfNewBrowser(deps, user, device, cookie('browser'))
    setCookie('session', session)
    setCookie('browser', await rememberBrowser(deps, user, input.email))
    return { account: showAccount(user) }
  },
})
