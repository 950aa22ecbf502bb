import { randomUUID } from 'node:crypto'
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Instances } from '../../../app/ports/instance.ts'
import type { Part } from '../../../app/ports/part.ts'
import { type InstanceRecord, spendingGeneration } from '../../../domain/instance/instance.ts'
import { hasEnded } from '../../../domain/instance/run-changes.ts'
import type { Env } from '../../env.ts'
import { change, changeInput, dueItems, get, transact } from '../calls.ts'
import { checked, type Expressions } from '../expressions.ts'
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

    async overdue(shard, nowMs) {
      return (await dueItems(table(), shard, nowMs)).flatMap(({ userId }) => userId?.S ?? [])
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
  setTask: async (userId, generation, taskArn) =>
    (await set(table(), userId, 'taskArn', taskArn, [ofGeneration(table(), userId, generation)])) !== null,

  async touch(userId, at, by, checkByMs) {
    const names = by === 'person' ? (['lastActivityAt', 'attendedAt'] as const) : 'lastActivityAt'
    const sooner =
      checkByMs !== undefined &&
      checked({
        ...instanceAt(table(), userId),
        update: ', #dueAt = :checkBy, #deadlineMs = :checkBy',
        condition: '#state = :running AND #dueAt > :checkBy',
        values: { ':checkBy': checkByMs, ':running': 'running' },
      })
    return (sooner && (await set(table(), userId, names, at, [sooner]))) || set(table(), userId, names, at)
  },

  setModel: (userId, model, ...also) => set(table(), userId, 'model', model, [], also),
  setRuntime: (userId, runtime, ...also) => set(table(), userId, 'runtime', runtime, [], also),
  setPersona: (userId, persona, ...also) => set(table(), userId, 'persona', persona, [], also),

  async setOverPlan(userId, since, before, ...also) {
    const unchanged = checked({
      ...instanceAt(table(), userId),
      condition: `(#overPlanSince = :before${before === null ? ' OR attribute_not_exists(#overPlanSince)' : ''})`,
      values: { ':before': before },
    })
    return (await set(table(), userId, 'overPlanSince', since, [unchanged], also)) !== null
  },

  async setCannotStart(userId, generation, reason, ...also) {
    const current = ofGeneration(table(), userId, generation)
    return (await set(table(), userId, 'cannotStart', reason && { generation, reason }, [current], also)) !== null
  },

  markErased: async (userId, generation) =>
    (await set(table(), userId, 'volumeErased', true, [
      checked({
        ...instanceAt(table(), userId),
        condition: '#generation = :generation AND #state = :erasing',
        values: { ':generation': generation, ':erasing': 'erasing' },
      }),
    ])) !== null,
})

const ofGeneration = (table: string, userId: string, generation: number) =>
  checked({
    ...instanceAt(table, userId),
    condition: '#generation = :generation',
    values: { ':generation': generation },
  })

type Settable =
  | 'runtime'
  | 'model'
  | 'persona'
  | 'lastActivityAt'
  | 'attendedAt'
  | 'taskArn'
  | 'overPlanSince'
  | 'cannotStart'
  | 'volumeErased'

/** Null if the instance is missing or the condition fails. */
async function set(
  table: string,
  userId: string,
  names: Settable | readonly Settable[],
  value: string | boolean | object | null,
  and: readonly Expressions[] = [],
  also: readonly Part[] = [],
) {
  const written = await change(
    {
      ...instanceAt(table, userId),
      update: `SET ${[names]
        .flat()
        .map((name) => `#${name} = :value`)
        .join(', ')}${and.map(({ update = '' }) => update).join('')}`,
      condition: `attribute_exists(#userId) AND #state <> :deleted${and.map(({ condition }) => ` AND ${condition}`).join('')}`,
      values: Object.assign({ ':value': value, ':deleted': 'deleted' }, ...and.map(({ values }) => values)),
    },
    ...also,
  )
  return written.done ? readInstance(written.item) : null
}
