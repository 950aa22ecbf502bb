import * as z from 'zod'
import { shardOf } from '../../../domain/ids.ts'
import { cannotStart } from '../../../domain/instance/cannot-start.ts'
import {
  type InstanceRecord,
  instanceFacts,
  liveGeneration,
  passingStates,
  reasons,
  states,
} from '../../../domain/instance/instance.ts'
import { machineTask } from '../../../domain/instance/machine-tasks.ts'
import { referenceRuntime } from '../../../domain/instance/reference-runtime.ts'
import { storedRun } from '../../../domain/instance/run.ts'
import { clause, itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'

const stored = instanceFacts.extend({
  state: z.enum(states),
  since: instanceFacts.shape.since.default(null),
  usualMs: z.partialRecord(z.enum(passingStates), z.int()).default({}),
  startedAt: instanceFacts.shape.startedAt.default(null),
  lastActivityAt: instanceFacts.shape.lastActivityAt.default(null),
  idleStopAt: instanceFacts.shape.idleStopAt.default(null),
  runtime: z.string().default(referenceRuntime),
  userId: z.string(),
  version: z.int(),
  plan: z.string(),
  taskArn: z.string().nullable().default(null),
  tasks: z.array(machineTask).default([]),
  stoppedGeneration: z.int().default(-1),
  deadlineMs: z.int().nullable().default(null),
  crashes: z.int(),
  failedStarts: z.int().default(0),
  startAfterMs: z.int().nullable().default(null),
  wokenBy: z.enum(reasons).nullable().default(null),
  attendedAt: z.string().nullable().default(null),
  drain: z.object({ askedMs: z.int(), taskId: z.string() }).nullable().default(null),
  previousImage: z.string().nullable().default(null),
  preUpgradePoint: z.object({ pointId: z.string(), askedMs: z.int(), taskId: z.string() }).nullable().default(null),
  overPlanSince: z.string().nullable().default(null),
  // An unknown reason of a later release reads as null.
  cannotStart: cannotStart.nullable().default(null).catch(null),
  run: storedRun.nullable().default(null),
  lastRun: storedRun.nullable().default(null),
  volumeErased: z.boolean().default(false),
}) satisfies z.ZodType<InstanceRecord>

const fields = stored.omit({ userId: true }).keyof().options

export const instanceAt = (table: string, userId: string) =>
  itemAt<keyof typeof stored.shape | keyof typeof authentication.shape | 'writtenBy'>(table, { userId })

export const readInstance = (item: Item): InstanceRecord => parse(stored, item)

const authentication = z.object({ id: z.string(), live: z.int() })

export function isLiveMachine(item: Item, instanceId: string, generation: number): boolean {
  const { id, live } = parse(authentication, item)
  return id === instanceId && live === generation && live > 0
}

/**
 * The write that turns `previous` (null: none, or deleted) into `next`. It writes only the differences, so that counts,
 * activity and settings that changed meanwhile remain. It loses against a write that noted a machine meanwhile.
 * @param me marks the write, so that a retry recognises it
 */
export function instanceChange(table: string, next: InstanceRecord, previous: InstanceRecord | null, me: string) {
  const differing = fields.filter((name) => previous === null || !same(next[name], previous[name]))
  const values: Record<string, unknown> = {
    ...Object.fromEntries(differing.map((name) => [name, next[name]])),
    dueShard: null,
    dueAt: null,
    ...dueOf(next),
    live: liveGeneration(next),
    writtenBy: me,
  }
  const names = Object.keys(values)
  const set = names.filter((name) => isThere(values[name]))
  const gone = names.filter((name) => !isThere(values[name])).map((name) => `#${name}`)
  const expected = expectation(previous)
  return {
    ...instanceAt(table, next.userId),
    update: `SET ${set.map((name) => `#${name} = :${name}`).join(', ')}${clause('REMOVE', gone)}`,
    condition: expected.condition,
    values: { ...Object.fromEntries(set.map((name) => [`:${name}`, values[name]])), ...expected.values },
  } as const
}

/** Partition of the index `due` for failed instances, by time of failure. No sweep reads it. */
export const failedShard = 'failed'

/** The time of the next check. Failed instances are only listed for operators. */
function dueOf({ state, deadlineMs, userId }: InstanceRecord) {
  if (state === 'failed') return { dueShard: failedShard, dueAt: Date.now() }
  return deadlineMs === null ? {} : { dueShard: String(shardOf(userId)), dueAt: deadlineMs }
}

const isThere = (value: unknown): boolean => value !== null && value !== undefined

function expectation(previous: InstanceRecord | null) {
  if (!previous) {
    const condition = 'attribute_not_exists(#userId) OR #state = :deleted'
    return { condition, values: { ':deleted': 'deleted' } } as const
  }
  const { version, taskArn } = previous
  const task = taskArn === null ? 'attribute_not_exists(#taskArn)' : '#taskArn = :seenTask'
  return {
    condition: `#version = :seenVersion AND ${task}`,
    values: { ':seenVersion': version, ...(taskArn !== null && { ':seenTask': taskArn }) },
  } as const
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
