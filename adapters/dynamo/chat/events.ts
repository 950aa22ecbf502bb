import { randomBytes } from 'node:crypto'
import type { Events } from '../../../app/ports/chat.ts'
import { type Event, type EventType, event } from '../../../domain/chat/event.ts'
import { risingUlids } from '../../../domain/ids.ts'
import { eventTtlMs } from '../../../domain/lifetimes.ts'
import { iso } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { putInput, putNew, query } from '../calls.ts'
import { parse, toItem } from '../item.ts'
import { partOf } from '../part.ts'

export function events(env: Env): Events {
  const table = () => env.table('events')
  const nextUlid = risingUlids(() => randomBytes(16))
  const newEvent = (userId: string, type: EventType, data: Record<string, unknown>) => {
    const nowMs = Date.now()
    const ttl = Math.ceil((nowMs + eventTtlMs) / 1000)
    return { userId, id: `evt_${nextUlid(nowMs)}`, type, at: iso(nowMs), data, ttl }
  }
  return {
    async record(...happened) {
      // An event reports what is already written, so its loss must not fail the write.
      await putNew(table(), 'id', newEvent(...happened)).catch(() => undefined)
    },

    entry: (userId, type, data) => partOf([{ Put: putInput(table(), 'id', newEvent(userId, type, data)) }]),

    /** Oldest first. */
    async after(userId, eventId, limit) {
      const asked = {
        TableName: table(),
        KeyConditionExpression: 'userId = :user AND id > :from',
        FilterExpression: '#ttl > :now',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: toItem({ ':user': userId, ':from': eventId, ':now': Math.floor(Date.now() / 1000) }),
        ConsistentRead: true,
        Limit: limit,
      }
      const found: Event[] = []
      for await (const item of query(asked)) if (found.push(parse(event, item)) >= limit) break
      return found
    },
  }
}
