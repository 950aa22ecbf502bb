import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Hooks } from '../../../app/ports/hooks.ts'
import type { DayLimit } from '../../../domain/day-limit.ts'
import { deliveryKeptMs, type HookRecord, storedHook } from '../../../domain/hooks/hook.ts'
import { idPattern } from '../../../domain/ids.ts'
import { hourMs, isOfHour, iso, secondMs } from '../../../domain/time.ts'
import { byToken } from '../../../domain/tokens/made-by-token.ts'
import type { Env } from '../../env.ts'
import {
  change,
  changed,
  changeInput,
  countInput,
  deleteInput,
  get,
  getByUser,
  getMany,
  putInput,
  putOverExpired,
  setting,
  transact,
} from '../calls.ts'
import { countOfDay, dayOf, isFullDay } from '../day-count.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse, toItem } from '../item.ts'
import { partOf } from '../part.ts'

const stored = storedHook.extend({
  lastDelivery: storedHook.shape.lastDelivery.default(null),
  userId: z.string(),
  secretVersion: z.int(),
  byToken: byToken.optional(),
})
const read = (item: Item): HookRecord => parse(stored, item)

/** The sender's name of a delivery is stored as a hash. */
const deliveryId = (hookId: string, name: string): string =>
  `delivery#${hookId}#${createHash('sha256').update(name).digest('base64url')}`

const untilOf = (ms: number): number => Math.ceil(ms / secondMs)

export const hooks = (env: Env): Hooks => {
  const table = () => env.table('hooks')
  return {
    list: (userId) => getByUser(table(), userId, read),
    find: (id) => find(table(), id),
    isKnown: (hookId, names, nowMs) => isKnown(table(), hookId, names, nowMs),

    async add(hook, most, ...also) {
      const put = putInput(table(), 'id', hook)
      return (await transact([{ Put: put }, { Update: counting(env, hook.userId, 1, most) }], ...also)).done
    },

    async remove({ id, userId }, ...also) {
      const gone = deleteInput({ ...hookAt(table(), id), condition: 'attribute_exists(#id)' })
      return (await transact([{ Delete: gone }, { Update: counting(env, userId, -1) }], ...also)).done
    },

    reroll: ({ id, secretVersion, byToken }, ...also) =>
      changed(
        {
          ...hookAt(table(), id),
          update: `SET #secretVersion = :next${byToken ? ', #byToken = :by' : ''}`,
          condition: '#secretVersion = :seen',
          values: { ':next': secretVersion + 1, ':seen': secretVersion, ...(byToken && { ':by': byToken }) },
        },
        ...also,
      ),

    claim({ hook, names, limits, bytes, atMs }) {
      const claims = names.map((name) => ({
        Put: putOverExpired(
          table(),
          'id',
          { id: deliveryId(hook.id, name), ttl: untilOf(atMs + deliveryKeptMs) },
          atMs,
        ),
      }))
      const hour = Math.floor(atMs / hourMs)
      const counts = isOfHour(Date.parse(hook.createdAt), atMs) ? `new#${hook.userId}` : hook.id
      const id = `hour#${counts}#${hour}`
      const counted = countInput(table(), { id }, 1, limits.deliveriesAnHour, untilOf((hour + 2) * hourMs))
      const noted = changeInput({
        ...hookAt(table(), hook.id),
        update: 'SET #lastDelivery = :last',
        condition: '#secretVersion = :seen',
        values: { ':last': { at: iso(atMs), outcome: 'sent' }, ':seen': hook.secretVersion },
      })
      const ofDay = countOfDay({ ...dayOfUser(table(), hook.userId, limits, bytes, atMs), nowMs: atMs })
      return partOf([...claims, ofDay, { Update: counted }, { Update: noted }])
    },

    async refusalOf({ hook, names, limits, bytes, atMs }) {
      if (await isKnown(table(), hook.id, names, atMs)) return 'repeated'
      if ((await find(table(), hook.id))?.secretVersion !== hook.secretVersion) return 'gone'
      return (await isFullDay(dayOfUser(table(), hook.userId, limits, bytes, atMs))) ? 'too-many-today' : 'too-many'
    },

    async recordDelivery(id, lastDelivery) {
      await change({ ...hookAt(table(), id), ...setting({ lastDelivery }), condition: 'attribute_exists(#id)' })
    },
  }
}

const hookAt = (table: string, id: string) => itemAt<keyof typeof stored.shape>(table, { id })

async function find(table: string, id: string): Promise<HookRecord | null> {
  // Invalid ids are looked up too, so that they take as long as valid ones.
  const item = await get(table, { id: idPattern('hok').test(id) ? id : 'hok_' })
  return item && read(item)
}

async function isKnown(table: string, hookId: string, names: readonly string[], nowMs: number): Promise<boolean> {
  if (names.length === 0) return false
  const keys = names.map((name) => toItem({ id: deliveryId(hookId, name) }))
  const found = await getMany(table, keys)
  return found.some(({ ttl }) => Number(ttl?.N ?? 0) * secondMs > nowMs)
}

const counting = (env: Env, userId: string, by: 1 | -1, most?: number) =>
  countInput(env.table('settings'), { userId, item: 'hooks' }, by, most)

const dayOfUser = (table: string, userId: string, limit: DayLimit, bytes: number, atMs: number) => ({
  table,
  key: { id: `day#${userId}#${dayOf(atMs)}` },
  limit,
  bytes,
})
