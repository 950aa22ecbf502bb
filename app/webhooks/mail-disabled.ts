import type { Intent } from '../../domain/outbox.ts'
import { endpointDisabled } from '../../domain/webhooks/mail-texts.ts'
import type { Users } from '../ports/account.ts'
import type { Settings } from '../ports/basics.ts'
import type { Events } from '../ports/chat.ts'
import type { Mail } from '../ports/notifications.ts'

export async function mailDisabledEndpoint(
  { users, mail, events, settings }: { users: Users; mail: Mail; events: Events; settings: Settings },
  userId: string,
  { name, because }: Extract<Intent, { kind: 'endpoint-disabled' }>,
): Promise<void> {
  const user = await users.find(userId)
  if (!user) return
  await mail.send(endpointDisabled(user.email, name, because, settings.publicOrigin))
  await events.record(userId, 'account.endpoint_disabled', { name, because })
}
