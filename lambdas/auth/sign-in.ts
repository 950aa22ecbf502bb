import * as z from 'zod'
import { rememberBrowser, tellOfNewBrowser } from '../../app/account/known-browser.ts'
import { acceptShown, openSession } from '../../app/account/sign-in.ts'
import { deviceOf } from '../../domain/account/device.ts'
import type { TermsVersion } from '../../domain/account/terms-versions.ts'
import { account, showAccount, type UserRecord } from '../../domain/account/user.ts'
import type { OperationContext } from '../kit/operation.ts'

/** The parts that `verify` and `verifyPasskey` share. */
export const signingIn = {
  auth: 'none',
  limit: 'login',
  admission: 'secret',
  sameOrigin: true,
  output: z.object({ account }),
  errors: ['unauthorized'],
  commits: true,
} as const

export const signInUses = {
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
} as const

type Context = OperationContext<{ terms?: TermsVersion | undefined }, 'none', keyof typeof signInUses>

/** Opens a session and sets the cookies. */
export async function signIn(
  { input, deps, now, request, outboxFor, cookie, setCookie }: Context,
  user: UserRecord,
  { isNew = false, passkeyId = null }: { isNew?: boolean; passkeyId?: string | null },
) {
  const device = deviceOf(request.headers['user-agent'])
  const session = await openSession(deps, user, device, now, passkeyId, outboxFor(user.id))
  if (!isNew) {
    await acceptShown(deps, user, input.terms, now)
    await tellOfNewBrowser(deps, user, device, cookie('browser'))
  }
  setCookie('session', session)
  setCookie('browser', await rememberBrowser(deps, user, user.email))
  return { account: showAccount(user) }
}
