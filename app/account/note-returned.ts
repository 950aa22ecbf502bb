import type { WhyReturned } from '../../domain/account/returned-mail.ts'
import { iso } from '../../domain/time.ts'
import type { Logins, Users } from '../ports/account.ts'

/** Records the mail with the user, for operators, and a bounce for the sign-in limits, also without a user. */
export async function noteReturned(
  { users, logins }: { users: Users; logins: Logins },
  addresses: readonly string[],
  why: WhyReturned,
  nowMs: number,
): Promise<void> {
  for (const address of addresses) {
    if (why === 'bounced') await logins.markBounced(address, nowMs)
    const user = await users.findByEmail(address)
    if (user) await users.setReturned(user.id, { ...user.returned, [`${why}At` as const]: iso(nowMs) })
  }
}
