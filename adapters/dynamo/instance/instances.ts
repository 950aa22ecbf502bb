import { randomUUID } from 'node:crypto'
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Instances } from '../../../app/ports/instance.ts'
import type { Part } from '../../../app/ports/part.ts'
import { type InstanceRecord, spendingGeneration } from '../../../domain/instance/instance.ts'
import { withTask } from '../../../domain/instance/machine-tasks.ts'
import { hasEnded } from '../../../domain/instance/run-changes.ts'
import type { Env } from '../../env.ts'
import { change, changed, changeInput, dueItems, get, setting, transact, type Written } from '../calls.ts'
import { checked } from '../expressions.ts'
import type { Item } from '../item.ts'
import { admit } from '../rates/window.ts'
import { generationChange } from '../wallet/item.ts'
import { instanceAt, instanceChange, isLiveMachine, readInstance } from './item.ts'
import { runPut } from './runs.ts'

export function instances(env: Env): Instances {
  const table = () => env.table('instances')
  return {
    ...settings(table),

    async find(userId) {
      const item = await get(table(), { userId })
      return item && readInstance(item)
    },

    /** A new instance may replace a deleted one. */
    create: (record, ...also) => write(env, record, null, also),

    save: (next, previous, ...also) => write(env, next, previous, also),

    admitMachine({ userId, instanceId, generation }, limit, nowMs) {
      const subject = {
        ...checked({
          ...instanceAt(table(), userId),
          condition: '#id = :id AND #live = :generation AND #live > :none',
          values: { ':id': instanceId, ':generation': generation, ':none': 0 },
        }),
        isAlive: (item: Item) => isLiveMachine(item, instanceId, generation),
        read: readInstance,
      }
      return admit(subject, limit, nowMs)
    },

    async overdue(shard, nowMs, most) {
      return (await dueItems(table(), shard, nowMs, most)).flatMap(({ userId }) => userId?.S ?? [])
    },
  }
}

/** Writes the instance, the wallet if a new generation may now spend, and the run that ended, if one did. */
async function write(
  env: Env,
  next: InstanceRecord,
  previous: InstanceRecord | null,
  also: readonly Part[],
): Promise<boolean> {
  const me = randomUUID()
  const instance = instanceChange(env.table('instances'), next, previous, me)
  const spends = spendingGeneration(next)
  const moves = previous === null || spends !== spendingGeneration(previous)
  const more: TransactWriteItem[] = [
    ...(moves ? [{ Update: changeInput(generationChange(env.table('wallets'), next.userId, spends)) }] : []),
    ...(next.lastRun && hasEnded(previous, next) ? [{ Put: runPut(env, next.userId, next.lastRun) }] : []),
  ]
  if (more.length === 0) {
    const written = await change(instance, ...also)
    return written.done || written.old?.writtenBy?.S === me
  }
  const written = await transact([{ Update: changeInput(instance) }, ...more], ...also)
  return written.done || written.refused[0]?.writtenBy?.S === me
}

type Settings = Omit<Instances, 'find' | 'create' | 'save' | 'admitMachine' | 'overdue'>

const settings = (table: () => string): Settings => ({
  setTask: ({ userId, generation, tasks }, taskArn, nowMs) =>
    changed({
      ...instanceAt(table(), userId),
      update: 'SET #taskArn = :task, #tasks = :tasks',
      condition: ofGeneration,
      values: {
        ':task': taskArn,
        ':tasks': withTask(tasks, taskArn, nowMs),
        ':generation': generation,
        ...deleted,
      },
    }),

  async touch(userId, at, by, checkByMs) {
    const update = by === 'person' ? 'SET #lastActivityAt = :at, #attendedAt = :at' : 'SET #lastActivityAt = :at'
    const sooner =
      checkByMs !== undefined &&
      recordAfter(
        await change({
          ...instanceAt(table(), userId),
          update: `${update}, #dueAt = :checkBy, #deadlineMs = :checkBy`,
          condition: '#state = :running AND #dueAt > :checkBy',
          values: { ':at': at, ':checkBy': checkByMs, ':running': 'running' },
        }),
      )
    if (sooner) return sooner
    const values = { ':at': at, ...deleted }
    return recordAfter(await change({ ...instanceAt(table(), userId), update, condition: isThere, values }))
  },

  setModel: (userId, model, ...also) => choose(table(), userId, { model }, also),
  setRuntime: (userId, runtime, ...also) => choose(table(), userId, { runtime }, also),
  setPersona: (userId, persona, ...also) => choose(table(), userId, { persona }, also),

  setOverPlan: (userId, since, before, ...also) =>
    changed(
      {
        ...instanceAt(table(), userId),
        update: 'SET #overPlanSince = :since',
        condition: `${isThere} AND (#overPlanSince = :before${before === null ? ' OR attribute_not_exists(#overPlanSince)' : ''})`,
        values: { ':since': since, ':before': before, ...deleted },
      },
      ...also,
    ),

  setCannotStart: (userId, generation, reason, ...also) =>
    changed(
      {
        ...instanceAt(table(), userId),
        update: 'SET #cannotStart = :why',
        condition: ofGeneration,
        values: { ':why': reason && { generation, reason }, ':generation': generation, ...deleted },
      },
      ...also,
    ),

  markErased: (userId, generation) =>
    changed({
      ...instanceAt(table(), userId),
      update: 'SET #volumeErased = :true',
      condition: '#generation = :generation AND #state = :erasing',
      values: { ':true': true, ':generation': generation, ':erasing': 'erasing' },
    }),
})

const deleted = { ':deleted': 'deleted' }
const isThere = 'attribute_exists(#userId) AND #state <> :deleted'
const ofGeneration = '#generation = :generation AND #state <> :deleted'

type Choice = Partial<Pick<InstanceRecord, 'model' | 'runtime' | 'persona'>>

async function choose(table: string, userId: string, choice: Choice, also: readonly Part[]) {
  const { update, values } = setting(choice)
  const set = { ...instanceAt(table, userId), update, condition: isThere, values: { ...values, ...deleted } } as const
  return recordAfter(await change(set, ...also))
}

/** Null if the condition failed. */
const recordAfter = (written: Written) => (written.done ? readInstance(written.item) : null)
