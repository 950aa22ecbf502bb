import * as z from 'zod'
import { timeOfId } from '../ids.ts'
import { dayMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { groups, kindNames, kinds, type NotificationKind, type Way, ways } from './kinds.ts'

export const notificationKeptMs = 90 * dayMs

/** Notifications of a group in a UTC day; a busy agent cannot suppress those of other groups. */
export const maxGroupDay = 30

/** With more, the oldest no longer count as unread. */
export const maxUnread = 100

/** Parts of a text besides its kind. Other people's words are shown unchanged, never as markup. */
const facts = z
  .object({
    text: z
      .string()
      .optional()
      .meta({ description: 'A text by an agent or an operator.', example: 'May I send this mail?' }),
    name: z
      .string()
      .optional()
      .meta({ description: 'The name of a token, passkey, device or endpoint.', example: 'Laptop' }),
    because: z.string().optional().meta({ description: 'The reason, as a code.', example: 'wallet-empty' }),
    micros: z.int().optional().meta({ description: 'An amount, µUSD.' }),
  })
  .meta({ id: 'NotificationFacts' })
export type Facts = z.infer<typeof facts>

const notificationGroup = z.enum([...groups, 'security'])

export const notification = z
  .object({
    id: z.string().meta({ example: 'ntf_01KAHB2N3P4Q5R6S7T8V9WXYZ0' }),
    kind: z.enum(kindNames),
    group: notificationGroup,
    at: timestamp,
    facts,
    page: z.string().meta({ description: 'The related page of the dashboard.', example: '/wallet' }),
    read: z.boolean(),
  })
  .meta({ id: 'Notification' })
export type Notification = z.infer<typeof notification>

/** Read marks are stored separately. */
export type NotificationRecord = Omit<Notification, 'read' | 'group'>

/** An event's notification has the event's own number. */
export const notificationId = (eventId: string): string => eventId.replace('evt_', 'ntf_')

export const showNotification = (record: NotificationRecord, unread: ReadonlySet<string>): Notification => ({
  ...record,
  group: kinds[record.kind].group,
  read: !unread.has(record.id),
})

export const muting = z.enum(ways.flatMap((way) => groups.map((group) => `${way}.${group}` as const)))
export type Muting = z.infer<typeof muting>

export const muted = z
  .array(muting)
  .max(groups.length * 2)
  .meta({ description: 'The kinds muted for e-mail or push.', example: ['mail.chat'] })

export function wantsToHear(muted: readonly Muting[], kind: NotificationKind, way: Way): boolean {
  const { group } = kinds[kind]
  return group === 'security' || !muted.includes(`${way}.${group}`)
}

export const stillUnread = (unread: Iterable<string>, nowMs: number): ReadonlySet<string> =>
  new Set([...unread].filter((id) => timeOfId(id) > nowMs - notificationKeptMs))

/** Ids to drop before one more is added: those no longer kept, and the oldest of too many. `unread` is in any order. */
export function unreadToForget(unread: Iterable<string>, nowMs: number): string[] {
  const newest = [...stillUnread(unread, nowMs)].sort().slice(-(maxUnread - 1))
  return [...unread].filter((id) => !newest.includes(id))
}
