import type { OutgoingMessages } from '../../../app/ports/channels.ts'
import {
  deliveryKeptMs,
  type FinalContent,
  type Outgoing,
  outgoing,
  type SentSoFar,
  sentSoFar,
} from '../../../domain/channels/delivery.ts'
import { shardOf } from '../../../domain/ids.ts'
import type { Env } from '../../env.ts'
import { change, changed, changeInput, get, putInput, query, setting } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse, toItem } from '../item.ts'
import { partOf } from '../part.ts'
import { dueWith, rangeOf, ttlOf, userKey } from './keys.ts'

export const readOutgoing = (item: Item): Outgoing => parse(outgoing, item)

const outKey = (userId: string, key: string) => ({ id: userKey(userId), item: `out#${key}` })
const outAt = (table: string, userId: string, key: string) => itemAt<keyof Outgoing>(table, outKey(userId, key))
const sentAt = (table: string, userId: string, key: string) =>
  itemAt<keyof SentSoFar>(table, { id: userKey(userId), item: `sent#${key}` })

const ttl = ({ createdAt }: Outgoing): number => ttlOf(Date.parse(createdAt) + deliveryKeptMs)

const record = (message: Outgoing) => ({
  ...message,
  ...outKey(message.userId, message.key),
  ...(message.dueAt !== undefined && { dueShard: String(shardOf(message.userId)) }),
  ttl: ttl(message),
})

/** Stores an outgoing message once under its key. */
export const outgoingPut = (env: Env, message: Outgoing) => putInput(env.table('channels'), 'item', record(message))

/** Maximum of waiting replies that are read per user. */
const mostOpen = 50

export function outgoingMessages(env: Env): OutgoingMessages {
  const table = () => env.table('channels')
  return { ...content(table), ...sending(table), ...outcomes(table) }
}

type Content = Pick<OutgoingMessages, 'entry' | 'finalContent' | 'find' | 'openReplies' | 'replace' | 'grow'>

const content = (table: () => string): Content => ({
  entry: (message) => partOf([{ Put: { TableName: table(), Item: toItem(record(message)) } }]),

  finalContent: (userId, key, final, nowMs) =>
    partOf([{ Update: changeInput(sayLast(table(), userId, key, final, nowMs)) }]),

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
    const last = sayLast(table(), userId, key, final, nowMs)
    await changed({ ...last, update: `${last.update} ADD #revision :one`, values: { ...last.values, ':one': 1 } })
  },

  async grow(userId, key, draft) {
    await changed({
      ...outAt(table(), userId, key),
      update: 'SET #draft = :draft',
      condition: '#state = :open',
      values: { ':draft': draft, ':open': 'open' },
    })
  },
})

/** Marks the final text; it must be sent now. */
const sayLast = (table: string, userId: string, key: string, final: FinalContent, nowMs: number) =>
  ({
    ...outAt(table, userId, key),
    update:
      'SET #final = :final, #state = :sending, #failures = :none, #dueAt = :now, #dueShard = :shard REMOVE #draft',
    condition: 'attribute_exists(#item)',
    values: {
      ':final': final,
      ':sending': 'sending',
      ':none': 0,
      ':now': nowMs,
      ':shard': String(shardOf(userId)),
    },
  }) as const

const sending = (table: () => string): Pick<OutgoingMessages, 'sent' | 'hold' | 'recordSent'> => ({
  sent: async (userId, key) => parse(sentSoFar, (await get(table(), sentAt(table(), userId, key).key)) ?? {}),

  async hold({ userId, key, createdAt, ...message }, nowMs, untilMs) {
    const held = await change({
      ...sentAt(table(), userId, key),
      update: 'SET #heldUntilMs = :until, #userId = :user, #createdAt = :at, #ttl = :ttl',
      condition: 'attribute_not_exists(#heldUntilMs) OR #heldUntilMs <= :now',
      values: {
        ':until': untilMs,
        ':now': nowMs,
        ':user': userId,
        ':at': createdAt,
        ':ttl': ttl({ userId, key, createdAt, ...message }),
      },
    })
    return held.done ? parse(sentSoFar, held.item) : null
  },

  async recordSent(message, { heldUntilMs }, now) {
    const { userId, key, createdAt } = message
    const kept = { ...setting({ ...now, userId, createdAt, ttl: ttl(message) }) }
    const recorded = await changed({
      ...sentAt(table(), userId, key),
      update: kept.update,
      condition: '#heldUntilMs = :held',
      values: { ...kept.values, ':held': heldUntilMs },
    })
    if (!recorded) throw new Error('somebody else speaks about this message')
  },
})

const outcomes = (table: () => string): Pick<OutgoingMessages, 'settle' | 'due' | 'retry'> => ({
  settle({ userId, key, revision, state: before }, { state, failures, reason, dueAt: next }) {
    return changed({
      ...outAt(table(), userId, key),
      update: `SET #state = :state, #failures = :failures${reason === null ? '' : ', #reason = :reason'}${next === null ? ' REMOVE #dueAt, #dueShard' : ', #dueAt = :next'}`,
      condition: '#state = :before AND #revision = :revision',
      values: {
        ':state': state,
        ':before': before,
        ':revision': revision,
        ':failures': failures,
        ...(reason !== null && { ':reason': reason }),
        ...(next !== null && { ':next': next }),
      },
    })
  },

  due: async (shard, nowMs) =>
    (await dueWith(table(), 'out#', shard, nowMs)).map(({ id, item }) => ({
      userId: id.slice(userKey('').length),
      key: item.slice('out#'.length),
    })),

  retry: (userId, key, nowMs, ...also) =>
    changed(
      {
        ...outAt(table(), userId, key),
        update: 'SET #state = :sending, #failures = :none, #dueShard = :shard, #dueAt = :now',
        condition: '#state = :failed',
        values: {
          ':sending': 'sending',
          ':failed': 'failed',
          ':none': 0,
          ':shard': String(shardOf(userId)),
          ':now': nowMs,
        },
      },
      ...also,
    ),
})
