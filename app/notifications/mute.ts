import { conflict, notFound } from '../../domain/errors.ts'
import type { Muting } from '../../domain/notifications/notification.ts'
import { type OutboxFor, unaudited } from '../outbox/outbox.ts'
import type { Users } from '../ports/account.ts'
import { lost, retry } from '../retry.ts'

/** @throws not-found without a user, conflict */
export async function changeMuted(
  { users }: { users: Users },
  userId: string,
  change: (before: readonly Muting[]) => readonly Muting[],
  outboxFor: OutboxFor = unaudited,
): Promise<Muting[]> {
  const result = await retry(async () => {
    const user = await users.find(userId)
    if (!user) throw notFound('account')
    const muted = [...new Set(change(user.muted))].sort()
    return (await users.setMuted(userId, muted, user.muted, outboxFor(userId))) ? muted : lost
  })
  if (result === lost) throw conflict('This is being changed right now. Try again.')
  return result
}
