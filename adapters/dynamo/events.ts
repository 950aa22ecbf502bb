import { randomBytes } from 'node:crypto'
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { type Event, event, eventTtlMs } from '../../domain/chat/event.ts'
import { idPattern, ulid } from '../../domain/ids.ts'
import type { Events } from '../../domain/ports.ts'
import { iso } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import { call, query } from './calls.ts'
import { parse, toItem } from './item.ts'

/** How far back "from now" reaches, ms: a stream that is just opening misses nothing that happened meanwhile. */
const justNowMs = 2_000

export function events(env: Env): Events {
  const table = () => env.table('events')
  return {
    async record(userId, type, data) {
      const nowMs = Date.now()
      const id = `evt_${ulid(nowMs, randomBytes(16))}`
      const ttl = Math.ceil((nowMs + eventTtlMs) / 1000)
      const input = { TableName: table(), Item: toItem({ userId, id, type, at: iso(nowMs), data, ttl }) }
      await call((db) => db.send(new PutItemCommand(input)))
    },

    /** Oldest first. Without an event to go on from, the events of the last two seconds. */
    async after(userId, eventId, limit) {
      const nowMs = Date.now()
      const known = eventId !== null && idPattern('evt').test(eventId)
      const from = known ? eventId : `evt_${ulid(nowMs - justNowMs, new Uint8Array(16))}`
      const asked = {
        TableName: table(),
        KeyConditionExpression: 'userId = :user AND id > :from',
        FilterExpression: '#ttl > :now',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: toItem({ ':user': userId, ':from': from, ':now': Math.floor(nowMs / 1000) }),
        ConsistentRead: true,
        Limit: limit,
      }
      const found: Event[] = []
      for await (const item of query(asked)) if (found.push(parse(event, item)) >= limit) break
      return found
    },
  }
}
