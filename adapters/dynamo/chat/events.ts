import { randomBytes } from 'node:crypto'
import type { Events } from '../../../app/chat/ports.ts'
import { type Event, event } from '../../../domain/chat/event.ts'
import { risingUlids } from '../../../domain/ids.ts'
import { eventTtlMs } from '../../../domain/lifetimes.ts'
import { iso } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { putNew, query } from '../calls.ts'
import { parse, toItem } from '../item.ts'

export function events(env: Env): Events {
  const table = () => env.table('events')
  const nextUlid = risingUlids(() => randomBytes(16))
  return {
    async record(userId, type, data) {
      const nowMs = Date.now()
      const id = `evt_${nextUlid(nowMs)}`
      const ttl = Math.ceil((nowMs + eventTtlMs) / 1000)
      // A notice of what is written already: losing one must not fail what it tells of.
      await putNew(table(), 'id', { userId, id, type, at: iso(nowMs), data, ttl }).catch(() => undefined)
    },

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
