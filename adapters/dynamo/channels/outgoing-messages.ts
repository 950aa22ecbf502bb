import type { OutgoingMessages } from '../../../app/channels/ports.ts'
import {
  deliveryKeptMs,
  type Outgoing,
  outgoing,
  type SentSoFar,
  sentSoFar,
} from '../../../domain/channels/delivery.ts'
import { shardOf } from '../../../domain/ids.ts'
import type { Env } from '../../env.ts'
import { writeAlong } from '../along.ts'
import { change, changed, changeInput, get, put, putInput, query, transact } from '../calls.ts'
import { type Item, parse, toItem } from '../item.ts'
import { dueWith, rangeOf, ttlOf, userKey } from './keys.ts'

export const readOutgoing = (item: Item): Outgoing => parse(outgoing, item)

const outKey = (userId: string, key: string) => ({ id: userKey(userId), item: `out#${key}` })
const sentKey = (userId: string, key: string) => ({ id: userKey(userId), item: `sent#${key}` })

const ttl = ({ createdAt }: Outgoing): number => ttlOf(Date.parse(createdAt) + deliveryKeptMs)

const record = (message: Outgoing) => ({
  ...outKey(message.userId, message.key),
  ...message,
  ...(message.dueAt !== undefined && { dueShard: String(shardOf(message.userId)) }),
  ttl: ttl(message),
})

/** The part of a transaction that keeps something to be said, once under its key. */
export const outgoingPut = (env: Env, message: Outgoing) => putInput(env.table('channels'), 'item', record(message))

/** Replies that a user's chats may be waiting for at once, as far as anybody asks. */
const mostOpen = 50

export function outgoingMessages(env: Env): OutgoingMessages {
  const table = () => env.table('channels')
  const sent: OutgoingMessages['sent'] = async (userId, key): Promise<SentSoFar> =>
    parse(sentSoFar, (await get(table(), sentKey(userId, key))) ?? {})

  return {
    // Replaces what is there: a reply's last words come to the record of its beginning.
    along: async (message, act) =>
      (await writeAlong([{ Put: { TableName: table(), Item: toItem(record(message)) } }], act)).result,

    async find(userId, key) {
      const item = await get(table(), outKey(userId, key))
      return item && readOutgoing(item)
    },

    async openReplies(userId) {
      const found: Outgoing[] = []
      const range = rangeOf(table(), userKey(userId), 'out#prm_', 'out#prm_~')
      for await (const item of query({ ...range, ScanIndexForward: false, Limit: mostOpen })) {
        const message = readOutgoing(item)
        if (message.state === 'open') found.push(message)
        if (found.length === mostOpen) break
      }
      return found
    },

    async replace(userId, key, final, nowMs) {
      const written = changeInput({
        table: table(),
        key: outKey(userId, key),
        update: 'SET #final = :final, #state = :sending, #dueAt = :now, #dueShard = :shard REMOVE #draft',
        condition: 'attribute_exists(#item)',
        values: { ':final': final, ':sending': 'sending', ':now': nowMs, ':shard': String(shardOf(userId)) },
      })
      const again = changeInput({
        table: table(),
        key: sentKey(userId, key),
        update: 'SET #finished = :none',
        values: { ':none': 0 },
      })
      await transact([{ Update: written }, { Update: again }])
    },

    async grow(userId, key, draft) {
      await changed({
        table: table(),
        key: outKey(userId, key),
        update: 'SET #draft = :draft',
        condition: '#state = :open',
        values: { ':draft': draft, ':open': 'open' },
      })
    },

    async claim({ userId, key, dueAt = 0 }, untilMs) {
      const claimed = await change({
        table: table(),
        key: outKey(userId, key),
        update: 'SET #dueAt = :until',
        condition: '#dueAt = :seen',
        values: { ':until': untilMs, ':seen': dueAt },
      })
      return claimed.done ? readOutgoing(claimed.item) : null
    },

    sent,

    async recordSent(message, now) {
      const { userId, key, createdAt } = message
      await put(table(), toItem({ ...sentKey(userId, key), ...now, userId, createdAt, ttl: ttl(message) }))
    },

    async settle({ userId, key, dueAt = 0 }, { state, failures, reason, dueAt: next }) {
      const words = [
        'SET #state = :state, #failures = :failures',
        reason === null ? '' : ', #reason = :reason',
        next === null ? ' REMOVE #dueAt, #dueShard' : ', #dueAt = :next',
      ]
      await changed({
        table: table(),
        key: outKey(userId, key),
        update: words.join(''),
        condition: '#dueAt = :seen',
        values: {
          ':state': state,
          ':failures': failures,
          ':seen': dueAt,
          ...(reason !== null && { ':reason': reason }),
          ...(next !== null && { ':next': next }),
        },
      })
    },

    due: (shard, nowMs) => dueWith(table(), 'out#', shard, nowMs),
  }
}
