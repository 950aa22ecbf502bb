import { QueryCommand } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { DeliveryLimits, DueDelivery, Queued, Webhooks } from '../../../app/ports/webhooks.ts'
import type { DayLimit } from '../../../domain/day-limit.ts'
import { shardOf, timeOfId } from '../../../domain/ids.ts'
import { hourMs, isOfHour, iso, minuteMs, secondMs } from '../../../domain/time.ts'
import { type DeliveryRecord, deliveryKeptMs, triedForMs, webhookDelivery } from '../../../domain/webhooks/delivery.ts'
import type { Env } from '../../env.ts'
import { call, change, changeInput, countInput, dueItems, get, itemRange, putInput, transact } from '../calls.ts'
import { countOfDay, dayOf, isFullDay } from '../day-count.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'

/** Time for the creator to send a delivery itself, before the sweep does. */
const ownTimeMs = minuteMs

const stored = webhookDelivery.extend({
  nextTryAt: webhookDelivery.shape.nextTryAt.default(null),
  cancelled: webhookDelivery.shape.cancelled.default(null),
  endpointId: z.string(),
  body: z.string(),
  taken: z.int(),
  untilMs: z.int(),
})

const read = (item: Item): DeliveryRecord => parse(stored, item)

const itemOf = ({ endpointId, id }: Pick<DueDelivery, 'endpointId' | 'id'>): string => `dlv#${endpointId}#${id}`

const dueKey = z.object({ userId: z.string(), item: z.string(), dueAt: z.int() })

const deliveryAt = (table: string, userId: string, delivery: Pick<DueDelivery, 'endpointId' | 'id'>) =>
  itemAt<keyof typeof stored.shape>(table, { userId, item: itemOf(delivery) })

type Deliveries = Pick<Webhooks, 'queue' | 'replay' | 'findDelivery' | 'deliveries' | keyof Attempts>
type Attempts = Pick<Webhooks, 'due' | 'take' | 'postpone' | 'settle'>

export const deliveries = (env: Env): Deliveries => {
  const table = () => env.table('webhooks')
  return {
    async queue(userId, delivery, limits, nowMs, ...also) {
      const { endpointId, id } = delivery
      const { dueAt, ...rest } = times(userId, delivery, nowMs)
      const put = putInput(table(), 'item', { userId, item: itemOf(delivery), ...delivery, dueAt, ...rest })
      const written = await transact([{ Put: put }, ...counts(table(), userId, delivery, limits, nowMs)], ...also)
      if (written.done) return { outcome: 'queued', due: { endpointId, id, dueMs: dueAt } }
      if (written.refused[0]) return { outcome: 'repeated' }
      await noteMissed(table(), userId, endpointId, nowMs)
      return fullness(table(), userId, delivery, limits, nowMs)
    },

    async replay(userId, delivery, limits, nowMs, ...also) {
      const { endpointId, id } = delivery
      const { dueShard, dueAt, ttl } = times(userId, delivery, nowMs)
      const again = changeInput({
        ...deliveryAt(table(), userId, delivery),
        update: `SET #state = :state, #taken = :taken, #nextTryAt = :next, #untilMs = :until, #ttl = :ttl,
        #dueShard = :shard, #dueAt = :due REMOVE #cancelled`,
        condition: 'attribute_exists(#item)',
        values: {
          ':state': delivery.state,
          ':taken': delivery.taken,
          ':next': delivery.nextTryAt,
          ':until': delivery.untilMs,
          ':ttl': ttl,
          ':shard': dueShard,
          ':due': dueAt,
        },
      })
      const written = await transact([{ Update: again }, ...counts(table(), userId, delivery, limits, nowMs)], ...also)
      if (written.done) return { outcome: 'queued', due: { endpointId, id, dueMs: dueAt } }
      return fullness(table(), userId, delivery, limits, nowMs)
    },

    async findDelivery(userId, endpointId, id) {
      const item = await get(table(), { userId, item: itemOf({ endpointId, id }) })
      return item && read(item)
    },

    async deliveries(userId, endpointId, { after, limit }) {
      const to = after === null ? '~' : after
      const input = itemRange(table(), userId, itemOf({ endpointId, id: '' }), itemOf({ endpointId, id: to }))
      // One extra item shows whether more follow; another because the range includes `after` itself.
      const asked = { ...input, ScanIndexForward: false, Limit: limit + 2 }
      const { Items = [] } = await call((db) => db.send(new QueryCommand(asked)))
      const found = Items.map(read).filter(({ id }) => id !== after)
      const items = found.slice(0, limit)
      return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null }
    },

    ...sending(table),
  }
}

const sending = (table: () => string): Attempts => ({
  due: async (shard, nowMs) =>
    (await dueItems(table(), shard, nowMs)).map((item) => {
      const { userId, item: key, dueAt } = parse(dueKey, item)
      const [, endpointId = '', id = ''] = key.split('#')
      return { userId, endpointId, id, dueMs: dueAt }
    }),

  async take(userId, due, untilMs) {
    const taken = await change({
      ...deliveryAt(table(), userId, due),
      update: 'SET #dueAt = :until, #taken = #taken + :one',
      condition: '#dueAt = :seen',
      values: { ':until': untilMs, ':one': 1, ':seen': due.dueMs },
    })
    return taken.done ? read(taken.item) : null
  },

  async postpone(userId, due, toMs) {
    await change({
      ...deliveryAt(table(), userId, due),
      update: 'SET #dueAt = :to, #nextTryAt = :at',
      condition: '#dueAt = :seen',
      values: { ':to': toMs, ':at': iso(toMs), ':seen': due.dueMs },
    })
  },

  async settle(userId, { endpointId, id, state, tries, nextTryAt, cancelled }, takenUntilMs) {
    const goesOn = nextTryAt !== null
    await change({
      ...deliveryAt(table(), userId, { endpointId, id }),
      update: `SET #state = :state, #tries = :tries
        ${goesOn ? ', #nextTryAt = :next, #dueAt = :due' : ''} ${cancelled ? ', #cancelled = :cancelled' : ''}
        ${goesOn ? '' : 'REMOVE #nextTryAt, #dueShard, #dueAt'}`,
      condition: state === 'delivered' ? '#state = :pending' : '#dueAt = :taken',
      values: {
        ':state': state,
        ':tries': tries,
        ...(goesOn && { ':next': nextTryAt, ':due': Date.parse(nextTryAt) }),
        ...(cancelled && { ':cancelled': cancelled }),
        ...(state === 'delivered' ? { ':pending': 'pending' } : { ':taken': takenUntilMs }),
      },
    })
  },
})

const times = (userId: string, { untilMs }: DeliveryRecord, nowMs: number) => ({
  dueShard: String(shardOf(userId)),
  dueAt: nowMs + ownTimeMs,
  ttl: Math.ceil((untilMs - triedForMs + deliveryKeptMs) / secondMs),
})

function counted(table: string, userId: string, endpointId: string, most: number, nowMs: number) {
  const hour = Math.floor(nowMs / hourMs)
  const group = endpointId.startsWith('whe_') && isOfHour(timeOfId(endpointId), nowMs) ? 'new' : endpointId
  return countInput(table, { userId, item: `hour#${group}#${hour}` }, 1, most, ((hour + 2) * hourMs) / secondMs)
}

/** Pushes to browsers have a separate daily count, so that a program with many events does not block them. */
function ofDay(table: string, userId: string, { endpointId, body }: DeliveryRecord, limit: DayLimit, nowMs: number) {
  const item = `day#${endpointId.startsWith('whe_') ? 'whe' : 'psh'}#${dayOf(nowMs)}`
  return { table, key: { userId, item }, limit, bytes: Buffer.byteLength(body) }
}

const counts = (table: string, userId: string, delivery: DeliveryRecord, limits: DeliveryLimits, nowMs: number) => [
  { Update: counted(table, userId, delivery.endpointId, limits.deliveriesAnHour, nowMs) },
  countOfDay({ ...ofDay(table, userId, delivery, limits, nowMs), nowMs }),
]

const fullness = async (...[table, userId, delivery, limits, nowMs]: Parameters<typeof counts>): Promise<Queued> => ({
  outcome: (await isFullDay(ofDay(table, userId, delivery, limits, nowMs))) ? 'too-many-today' : 'too-many',
})

/** Shows the owner that an event was dropped, at most once an hour. */
async function noteMissed(table: string, userId: string, endpointId: string, nowMs: number): Promise<void> {
  await change({
    ...itemAt<'missedAt'>(table, { userId, item: endpointId }),
    update: 'SET #missedAt = :at',
    condition: 'attribute_exists(#item) AND (attribute_not_exists(#missedAt) OR #missedAt < :hour)',
    values: { ':at': iso(nowMs), ':hour': iso(nowMs - (nowMs % hourMs)) },
  })
}
