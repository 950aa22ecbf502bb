import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Tasks } from '../../../app/ports/files.ts'
import {
  patientJobs,
  type Task,
  task,
  taskFailure,
  taskKeptMs,
  taskLeaseMs,
  taskResult,
  type VolumeJob,
} from '../../../domain/agent/task.ts'
import { idPattern } from '../../../domain/ids.ts'
import { iso } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { changed, deleteInput, get, itemRange, putInput, putNew, query, transact } from '../calls.ts'
import { countTask, recount, refusalOfTask, uncountTask } from '../chat/waiting.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'
import { partOf } from '../part.ts'
import { lease, renewLease, unleased } from './work-queue.ts'

/** A task that was never handed out has no attempt and no lease. */
const storedTask = task.omit({ id: true, attempt: true, leaseExpiresAt: true }).extend({
  item: z.string(),
  attempt: z.int(),
  ...lease.shape,
  /** Part of the count of waiting items. */
  counted: z.int().optional(),
})

const storedTaskEnd = z.object({ result: taskResult.optional(), failure: taskFailure.optional(), endedBy: z.string() })

const canceled = { code: 'conflict' as const, message: 'It was taken back.' }

const endKey = (userId: string, id: string) => ({ userId, item: `end#${id}` })
const isTaskId = (id: string): boolean => idPattern('tsk').test(id)

const taskItem = (userId: string, id: string, job: VolumeJob, nowMs: number) => ({
  ...{ userId, item: id, job, at: iso(nowMs) },
  ...unleased,
})

/** Stored next to the prompts, so that a waiting machine needs one query. */
export function tasks(env: Env): Tasks {
  const table = () => env.table('conversations')
  return {
    entry: (userId, id, wanted, nowMs) => partOf(newTask(table(), userId, id, wanted, nowMs), refusalOfTask),

    async add(userId, id, wanted, nowMs, ...also) {
      const attempt = async (): Promise<true> => {
        const written = await transact(newTask(table(), userId, id, wanted, nowMs), ...also)
        // A retry after a lost answer finds this very task.
        if (written.done || written.refused[0]) return true
        if (await recount(table(), userId, written.refused[1], nowMs)) return attempt()
        throw refusalOfTask()
      }
      return attempt()
    },

    async addOwn(userId, id, wanted, nowMs) {
      await putNew(table(), 'item', taskItem(userId, id, wanted, nowMs))
    },

    async findLeased(userId, id, generation) {
      const found = await open(table(), userId, id)
      return found?.stored.leaseGeneration === generation ? toTask(found.item) : null
    },

    renewLease: async (userId, id, generation, nowMs) =>
      isTaskId(id) && (await renewLease(table(), { userId, item: id }, generation, nowMs + taskLeaseMs)) !== null,

    countStored: (userId, id, bytes, most) =>
      changed({
        ...taskAt(table(), userId, id),
        update: 'ADD #storedBytes :bytes',
        condition: 'attribute_exists(#item) AND (attribute_not_exists(#storedBytes) OR #storedBytes <= :room)',
        values: { ':bytes': bytes, ':room': most - bytes },
      }),

    finish: async (userId, id, generation, outcome, nowMs) =>
      isTaskId(id) &&
      end(table(), userId, id, generation, 'kind' in outcome ? { result: outcome } : { failure: outcome }, nowMs),

    cancel: async (userId, id, failure = canceled) =>
      isTaskId(id) && end(table(), userId, id, null, { failure }, Date.now()),

    async listOpen(userId) {
      const found: { id: string; job: VolumeJob }[] = []
      for await (const item of query(itemRange(table(), userId, 'tsk_', 'tsk_~'))) {
        const { item: id, job: wanted } = parse(storedTask, item)
        if (!patientJobs.has(wanted.kind)) found.push({ id, job: wanted })
      }
      return found
    },

    async find(userId, id) {
      if (!isTaskId(id)) return null
      const waiting = await open(table(), userId, id)
      if (waiting) return { state: 'open', at: waiting.stored.at }
      const item = await get(table(), endKey(userId, id))
      if (!item) return null
      const { result, failure } = parse(storedTaskEnd, item)
      if (result) return { state: 'done', result }
      return { state: 'failed', failure: failure ?? { code: 'internal', message: 'It ended without saying how.' } }
    },
  }
}

const taskAt = (table: string, userId: string, id: string) =>
  itemAt<keyof typeof storedTask.shape | 'storedBytes'>(table, { userId, item: id })

async function open(table: string, userId: string, id: string) {
  const item = isTaskId(id) ? await get(table, { userId, item: id }) : null
  return item && { item, stored: parse(storedTask, item) }
}

function newTask(table: string, userId: string, id: string, wanted: VolumeJob, nowMs: number) {
  // Snapshots need no limit: only one is made at a time.
  const isBounded = wanted.kind !== 'snapshot'
  const item = { ...taskItem(userId, id, wanted, nowMs), ...(isBounded && { counted: 0 }) }
  return [{ Put: putInput(table, 'item', item) }, ...(isBounded ? [countTask(table, userId)] : [])]
}

async function end(
  table: string,
  userId: string,
  id: string,
  generation: number | null,
  outcome: object,
  nowMs: number,
) {
  const waiting = await open(table, userId, id)
  const me = randomUUID()
  const mine = generation === null ? '' : ' AND #leaseGeneration = :generation'
  const gone = deleteInput({
    ...taskAt(table, userId, id),
    condition: `attribute_exists(#item)${mine}`,
    ...(mine && { values: { ':generation': generation } }),
  })
  const ttl = Math.ceil((nowMs + taskKeptMs) / 1000)
  const kept = { ...endKey(userId, id), ...outcome, endedBy: me, ttl }
  const off = waiting?.stored.counted === undefined ? [] : [uncountTask(table, userId)]
  const written = await transact([{ Delete: gone }, { Put: putInput(table, 'item', kept) }, ...off])
  if (written.done) return true
  const there = await get(table, endKey(userId, id))
  return there?.endedBy?.S === me
}

export function toTask(item: Item): Task {
  const { item: id, leaseUntil, leaseGeneration: _, counted: __, ...rest } = parse(storedTask, item)
  return { ...rest, id, leaseExpiresAt: iso(leaseUntil) }
}
