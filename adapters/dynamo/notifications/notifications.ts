import { QueryCommand } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { Notifications } from '../../../app/ports/notifications.ts'
import {
  type NotificationRecord,
  notification,
  notificationKeptMs,
} from '../../../domain/notifications/notification.ts'
import { dateOf, dayMs, secondMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { call, change, changeInput, countInput, get, itemRange, putInput, transact } from '../calls.ts'
import { type Item, parse } from '../item.ts'
import { remembering, unreadItem } from './unread.ts'

const stored = notification.omit({ read: true, group: true })

const first = z.object({ id: z.string() })

const isId = (name: string): boolean => name.startsWith('ntf_')

const ttlAt = (ms: number): number => Math.ceil((ms + notificationKeptMs) / secondMs)

export const notifications = (env: Env): Notifications => {
  const table = () => env.table('notifications')

  const counted = (userId: string, group: string, atMs: number, most: number) => {
    const ttl = Math.ceil((atMs + 2 * dayMs) / secondMs)
    return countInput(table(), { userId, item: `day#${group}#${dateOf(atMs)}` }, 1, most, ttl)
  }

  return {
    async add(userId, { record, group, once, isUnread, nowRead }, most, ...also) {
      const atMs = Date.parse(record.at)
      const item = { userId, item: record.id, ...record, ttl: ttlAt(atMs) }
      const marked = { userId, item: `once#${once}`, id: record.id, ttl: ttlAt(atMs) }
      const parts = [
        { Put: putInput(table(), 'item', item) },
        { Update: counted(userId, group, atMs, most) },
        ...(once === null ? [] : [{ Put: putInput(table(), 'item', marked) }]),
        ...(isUnread ? [{ Update: changeInput(remembering(table(), userId, [record.id], nowRead)) }] : []),
      ]
      const written = await transact(parts, ...also)
      if (written.done) return { outcome: 'added', id: record.id }
      const before = written.refused[0] ?? written.refused[2]
      return before ? { outcome: 'repeated', id: parse(first, before).id } : { outcome: 'too-many', id: record.id }
    },

    async list(userId, { after, limit }) {
      const input = itemRange(table(), userId, 'ntf_', after ?? 'ntf_~')
      // One extra item shows whether more follow; another because the range includes `after` itself.
      const asked = { ...input, ScanIndexForward: false, Limit: limit + 2 }
      const { Items = [] } = await call((db) => db.send(new QueryCommand(asked)))
      const oldest = Date.now() - notificationKeptMs
      const read = (each: Item): NotificationRecord => parse(stored, each)
      const found = Items.map(read).filter(({ id, at }) => id !== after && Date.parse(at) > oldest)
      const items = found.slice(0, limit)
      return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null }
    },

    async unread(userId) {
      const item = await get(table(), { userId, item: unreadItem })
      return new Set(Object.keys(item ?? {}).filter(isId))
    },

    async markRead(userId, ids) {
      if (ids.length > 0) await change(remembering(table(), userId, [], ids))
    },
  }
}
