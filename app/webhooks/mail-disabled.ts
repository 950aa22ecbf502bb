import type { Intent } from '../../domain/outbox.ts'
import { endpointDisabled } from '../../domain/webhooks/mail-texts.ts'
import type { Basics, Ports } from '../ports.ts'

export async function mailDisabledEndpoint(
  { users, mail, events, settings }: Pick<Ports, 'users' | 'mail' | 'events'> & Pick<Basics, 'settings'>,
  userId: string,
  { name, because }: Extract<Intent, { kind: 'endpoint-disabled' }>,
): Promise<void> {
  const user = await users.find(userId)
  if (!user) return
  await mail.send(endpointDisabled(user.email, name, because, settings.publicOrigin))
  await events.record(userId, 'account.endpoint_disabled', { name, because })
}
