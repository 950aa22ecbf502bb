import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import {
  type Errand,
  errand,
  type Task,
  task,
  taskFailure,
  taskKeptMs,
  taskLeaseMs,
  taskResult,
} from '../../domain/agent/task.ts'
import type { Tasks } from '../../domain/files/ports.ts'
import { idPattern } from '../../domain/ids.ts'
import { iso } from '../../domain/time.ts'
import type { Env } from '../env.ts'
import { change, get, putInput, putNew, query, transact } from './calls.ts'
import { type Item, parse, toItem } from './item.ts'

/** An open task as stored: never handed out, it has no attempt and no lease. */
const storedTask = task.omit({ id: true, attempt: true, leaseExpiresAt: true }).extend({
  item: z.string(),
  errand,
  attempt: z.int(),
  leaseUntil: z.int(),
  leaseGeneration: z.int(),
})

const storedTaskEnd = z.object({ result: taskResult.optional(), failure: taskFailure.optional(), endedBy: z.string() })

const takenBack = { code: 'conflict' as const, message: 'It was taken back.' }

const endKey = (userId: string, id: string) => ({ userId, item: `end#${id}` })
const isTaskId = (id: string): boolean => idPattern('tsk').test(id)

/** Errands lie beside the prompts, so that a machine that waits for either is one query. */
export function tasks(env: Env): Tasks {
  const table = () => env.table('conversations')

  const open = async (userId: string, id: string) => {
    const item = isTaskId(id) ? await get(table(), { userId, item: id }) : null
    return item && { item, stored: parse(storedTask, item) }
  }

  /** Moves a task from the waiting ones to those that ended. */
  const end = async (userId: string, id: string, generation: number | null, how: object, nowMs: number) => {
    const me = randomUUID()
    const mine = generation === null ? '' : ' AND #leaseGeneration = :generation'
    const gone = {
      TableName: table(),
      Key: toItem({ userId, item: id }),
      ConditionExpression: `attribute_exists(#item)${mine}`,
      ExpressionAttributeNames: { '#item': 'item', ...(mine && { '#leaseGeneration': 'leaseGeneration' }) },
      ...(mine && { ExpressionAttributeValues: toItem({ ':generation': generation }) }),
    }
    const ttl = Math.ceil((nowMs + taskKeptMs) / 1000)
    const kept = { ...endKey(userId, id), ...how, endedBy: me, ttl }
    const written = await transact([{ Delete: gone }, { Put: putInput(table(), 'item', kept) }])
    if (written.done) return true
    const there = await get(table(), endKey(userId, id))
    return there?.endedBy?.S === me
  }

  return {
    async ask(userId, id, wanted, nowMs) {
      const unleased = { attempt: 0, leaseUntil: 0, leaseGeneration: 0 }
      await putNew(table(), 'item', { userId, item: id, errand: wanted, at: iso(nowMs), ...unleased })
    },

    async held(userId, id, generation) {
      const found = await open(userId, id)
      return found?.stored.leaseGeneration === generation ? toTask(found.item) : null
    },

    async renew(userId, id, generation, nowMs) {
      if (!isTaskId(id)) return false
      const written = await change({
        table: table(),
        key: { userId, item: id },
        update: 'SET #leaseUntil = :until',
        condition: '#leaseGeneration = :generation',
        values: { ':until': nowMs + taskLeaseMs, ':generation': generation },
      })
      return written.done
    },

    end: (userId, id, generation, how, nowMs) =>
      isTaskId(id)
        ? end(userId, id, generation, 'kind' in how ? { result: how } : { failure: how }, nowMs)
        : Promise.resolve(false),

    drop: (userId, id, why = takenBack) =>
      isTaskId(id) ? end(userId, id, null, { failure: why }, Date.now()) : Promise.resolve(false),

    async open(userId) {
      const asked = {
        TableName: table(),
        KeyConditionExpression: 'userId = :user AND begins_with(#item, :task)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: toItem({ ':user': userId, ':task': 'tsk_' }),
        ConsistentRead: true,
      }
      const found: { id: string; errand: Errand }[] = []
      for await (const item of query(asked)) {
        const { item: id, errand: wanted } = parse(storedTask, item)
        if (wanted.kind !== 'drain') found.push({ id, errand: wanted })
      }
      return found
    },

    async find(userId, id) {
      if (!isTaskId(id)) return null
      const waiting = await open(userId, id)
      if (waiting) return { state: 'open', at: waiting.stored.at }
      const item = await get(table(), endKey(userId, id))
      if (!item) return null
      const { result, failure } = parse(storedTaskEnd, item)
      if (result) return { state: 'done', result }
      return { state: 'failed', failure: failure ?? { code: 'internal', message: 'It ended without saying how.' } }
    },
  }
}

export function toTask(item: Item): Task {
  const { item: id, leaseUntil, leaseGeneration: _, ...rest } = parse(storedTask, item)
  return { ...rest, id, leaseExpiresAt: iso(leaseUntil) }
}

/** Whether a stored task may be handed out, and to what. */
export const readTaskLease = (item: Item) => parse(storedTask.pick({ leaseUntil: true, leaseGeneration: true }), item)
