import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { InboundDeliveries } from '../../../app/ports/channels.ts'
import { deliveryKeptMs, type InboundDelivery, inboundDelivery } from '../../../domain/channels/delivery.ts'
import { shardOf } from '../../../domain/ids.ts'
import type { Env } from '../../env.ts'
import { changed, changeInput, get, putNew, query, transact } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'
import { chatId, chatOf, dueWith, rangeOf, ttlOf } from './keys.ts'
import { outgoingPut } from './outgoing-messages.ts'

/** Seen deliveries in a row that end the search, so that a message does not read a week of a busy chat. */
const mostSeen = 25

export const readInbound = (item: Item): InboundDelivery => parse(inboundDelivery, item)

const keyOf = ({ inbound }: Pick<InboundDelivery, 'inbound'>) => ({
  id: chatId(inbound.chat),
  item: `in#${inbound.id}`,
})

export function inboundDeliveries(env: Env): InboundDeliveries {
  const table = () => env.table('channels')
  return {
    ...reading(table),
    ...outcomes(env, table),

    async add(delivery) {
      const createdMs = Date.parse(delivery.createdAt)
      const key = keyOf(delivery)
      const dueShard = String(shardOf(key.id))
      const record = { ...key, ...delivery, dueShard, ttl: ttlOf(createdMs + deliveryKeptMs) }
      return (await putNew(table(), 'item', record)).done
    },
  }
}

const inboundAt = (table: string, delivery: InboundDelivery) => itemAt<keyof InboundDelivery>(table, keyOf(delivery))

const ofChat = (table: string, chat: Parameters<InboundDeliveries['open']>[0], to = 'in#~') =>
  rangeOf(table, chatId(chat), 'in#', to)

const reading = (table: () => string): Pick<InboundDeliveries, 'open' | 'before' | 'due' | 'find'> => ({
  async open(chat, from) {
    const found: InboundDelivery[] = []
    let seenInARow = 0
    for await (const item of query({ ...ofChat(table(), chat), ScanIndexForward: false, Limit: mostSeen })) {
      const delivery = readInbound(item)
      if (delivery.state === 'received') found.push(delivery)
      seenInARow = delivery.state === 'received' ? 0 : seenInARow + 1
      if (delivery.inbound.id < from && seenInARow >= mostSeen) break
    }
    return found.reverse()
  },

  async before({ chat, id }, most) {
    const found: InboundDelivery[] = []
    for await (const item of query({
      ...ofChat(table(), chat, `in#${id}`),
      ScanIndexForward: false,
      Limit: most + 1,
    })) {
      const delivery = readInbound(item)
      if (delivery.inbound.id === id) continue
      // Earlier prompts, and the group's messages before them, are already in the conversation.
      if (delivery.state === 'done' || found.length === most) break
      found.push(delivery)
    }
    return found.reverse()
  },

  due: async (shard, nowMs) =>
    (await dueWith(table(), 'in#', shard, nowMs)).map(({ id, item }) => ({
      chat: chatOf(id),
      id: item.slice('in#'.length),
    })),

  async find(chat, id) {
    const item = await get(table(), { id: chatId(chat), item: `in#${id}` })
    return item && readInbound(item)
  },
})

const outcomes = (env: Env, table: () => string): Pick<InboundDeliveries, 'settle' | 'fail' | 'retry'> => ({
  async settle(delivery, { state, reason, userId }, line) {
    const settled = changeInput({
      ...inboundAt(table(), delivery),
      update: `SET #state = :state${reason ? ', #reason = :reason' : ''}${userId ? ', #userId = :userId' : ''} REMOVE #dueShard, #dueAt`,
      condition: '#state = :received',
      values: {
        ':state': state,
        ':received': 'received',
        ...(reason && { ':reason': reason }),
        ...(userId && { ':userId': userId }),
      },
    })
    const said: TransactWriteItem[] = line ? [{ Put: outgoingPut(env, line) }] : []
    const written = await transact([{ Update: settled }, ...said])
    if (written.done || written.refused[0] !== undefined) return written.done
    // The same key already sent this message.
    return (await transact([{ Update: settled }])).done
  },

  async fail(delivery, reason, nextMs, userId) {
    const values = { ':received': 'received', ':reason': reason, ':failures': delivery.failures + 1 }
    const next =
      nextMs === null
        ? ({ update: ', #state = :failed REMOVE #dueShard, #dueAt', values: { ':failed': 'failed' } } as const)
        : ({ update: ', #dueAt = :next', values: { ':next': nextMs } } as const)
    await changed({
      ...inboundAt(table(), delivery),
      update: `SET #reason = :reason, #failures = :failures${userId ? ', #userId = :user' : ''}${next.update}`,
      condition: '#state = :received',
      values: { ...values, ...next.values, ...(userId && { ':user': userId }) },
    })
  },

  retry: (userId, delivery, nowMs, ...also) => {
    const key = keyOf(delivery)
    return changed(
      {
        ...inboundAt(table(), delivery),
        update: 'SET #state = :received, #failures = :none, #dueShard = :shard, #dueAt = :now',
        condition: '#state = :failed AND #userId = :user',
        values: {
          ':received': 'received',
          ':failed': 'failed',
          ':none': 0,
          ':user': userId,
          ':shard': String(shardOf(key.id)),
          ':now': nowMs,
        },
      },
      ...also,
    )
  },
})
