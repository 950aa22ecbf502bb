import { signInNeeded } from '../errors.ts'
import { recentSignInMs } from '../lifetimes.ts'

/** @throws forbidden when the session's sign-in is more than ten minutes ago, with `details.signIn` */
export function checkRecentSignIn(
  signedInAt: string,
  nowMs: number,
  message = 'This needs a sign-in of the last 10 minutes. Sign in again, then repeat it.',
): void {
  if (nowMs - Date.parse(signedInAt) > recentSignInMs) throw signInNeeded('recent', message)
}
