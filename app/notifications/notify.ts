import type { Event } from '../../domain/chat/event.ts'
import { pushLifeMs, pushLimits } from '../../domain/notifications/device.ts'
import { notificationFor } from '../../domain/notifications/from-event.ts'
import { kinds } from '../../domain/notifications/kinds.ts'
import { notificationMail } from '../../domain/notifications/mail-texts.ts'
import {
  maxGroupDay,
  type NotificationRecord,
  notificationId,
  unreadToForget,
  wantsToHear,
} from '../../domain/notifications/notification.ts'
import { newDelivery } from '../../domain/webhooks/delivery.ts'
import { outboxOf } from '../outbox/outbox.ts'
import type { Sessions, Users } from '../ports/account.ts'
import type { Basics } from '../ports/basics.ts'
import type { Events } from '../ports/chat.ts'
import type { Bus } from '../ports/instance.ts'
import type { Notifications, PushDevices } from '../ports/notifications.ts'
import type { Intents } from '../ports/outbox.ts'
import type { Connections } from '../ports/socket.ts'
import type { Webhooks } from '../ports/webhooks.ts'
import { startSending } from '../webhooks/queue.ts'

type NotifyPorts = {
  notifications: Notifications
  pushDevices: PushDevices
  webhooks: Webhooks
  users: Users
  sessions: Sessions
  connections: Connections
  events: Events
  outbox: Intents
  bus: Bus
} & Basics

/** Writes the notification with its e-mail, then pushes. A repeated event completes what is missing. */
export async function notify(deps: NotifyPorts, userId: string, event: Event, nowMs: number): Promise<void> {
  const content = notificationFor(event)
  if (!content) return
  const [user, unread, open] = await Promise.all([
    deps.users.find(userId),
    deps.notifications.unread(userId),
    deps.connections.list(userId),
  ])
  if (!user || user.eraseAt) return
  const { kind, facts, page, once } = content
  const isAway = !open.some(({ actor }) => actor.kind === 'session')
  const { group, push } = kinds[kind]
  const letter = notificationMail(user, content, deps.settings.publicOrigin)
  const made = {
    record: { id: notificationId(event.id), kind, at: event.at, facts, page },
    // Counted apart, so that many new tokens cannot suppress the notification of a sign-in.
    group: group === 'security' ? kind : group,
    once,
    // A user with an open page needs no notifications for absent users.
    isUnread: push !== 'away' || isAway,
    nowRead: unreadToForget(unread, nowMs),
  }
  const outbox = outboxOf(deps, userId, letter ? [{ intent: { kind: 'mail', ...letter } }] : [])
  const added = await deps.notifications.add(userId, made, maxGroupDay, outbox)
  if (added.outcome === 'too-many') return
  if (added.outcome === 'added') await outbox.flush()
  if ((push === 'always' || (push === 'away' && isAway)) && wantsToHear(user.muted, kind, 'push'))
    await queuePushes(deps, userId, { ...made.record, id: added.id }, nowMs)
  await deps.events.record(userId, 'notification.added', { id: added.id, kind })
}

async function queuePushes(
  deps: NotifyPorts,
  userId: string,
  { id, kind, page }: NotificationRecord,
  nowMs: number,
): Promise<void> {
  const devices = await deps.pushDevices.list(userId)
  if (devices.length === 0) return
  const signedIn = new Set((await deps.sessions.list(userId, nowMs)).map((session) => session.id))
  const queued = await Promise.all(
    devices
      .filter(({ sessionId }) => signedIn.has(sessionId))
      .map((device) => {
        const event = { id, type: 'notification.added', at: '', data: {} } as const
        const delivery = {
          ...newDelivery(device.id, event, nowMs),
          body: JSON.stringify({ id, kind, page }),
          untilMs: nowMs + pushLifeMs,
        }
        return deps.webhooks.queue(userId, delivery, pushLimits, nowMs)
      }),
  )
  const due = queued.flatMap((each) => (each.outcome === 'queued' ? [each.due] : []))
  if (due.length > 0) await startSending(deps, userId, due)
}
