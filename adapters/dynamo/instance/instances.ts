import { randomUUID } from 'node:crypto'
import type { Instances } from '../../../app/ports/instance.ts'
import type { Part } from '../../../app/ports/part.ts'
import { type InstanceRecord, spendingGeneration } from '../../../domain/instance/instance.ts'
import type { Env } from '../../env.ts'
import { change, changeInput, dueItems, get, transact } from '../calls.ts'
import { checked, type Expressions } from '../expressions.ts'
import type { Item } from '../item.ts'
import { admit } from '../rates/admit.ts'
import { generationChange } from '../wallet/item.ts'
import { instanceAt, instanceChange, isLiveMachine, readInstance } from './item.ts'

export function instances(env: Env): Instances {
  const table = () => env.table('instances')
  const at = (userId: string) => instanceAt(table(), userId)

  /** Null if the instance is missing or the condition fails. */
  const set = async (
    userId: string,
    names: Settable | readonly Settable[],
    value: string | boolean | object | null,
    and: readonly Expressions[] = [],
    also: readonly Part[] = [],
  ) => {
    const written = await change(
      {
        ...at(userId),
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

  /** Writes the instance, and the wallet too if a new generation may now spend. */
  const write = async (
    next: InstanceRecord,
    previous: InstanceRecord | null,
    also: readonly Part[],
  ): Promise<boolean> => {
    const me = randomUUID()
    const instance = instanceChange(table(), next, previous, me)
    const spends = spendingGeneration(next)
    if (spends === null || (previous && spends === spendingGeneration(previous))) {
      const written = await change(instance, ...also)
      return written.done || written.old?.writtenBy?.S === me
    }
    const wallet = generationChange(env.table('wallets'), next.userId, spends)
    const written = await transact([{ Update: changeInput(instance) }, { Update: changeInput(wallet) }], ...also)
    return written.done || written.refused[0]?.writtenBy?.S === me
  }

  return {
    async find(userId) {
      const item = await get(table(), { userId })
      return item && readInstance(item)
    },

    /** A new instance may replace a deleted one. */
    create: (record, ...also) => write(record, null, also),

    save: (next, previous, ...also) => write(next, previous, also),

    setTask: async (userId, generation, taskArn) =>
      (await set(userId, 'taskArn', taskArn, [
        checked({ ...at(userId), condition: '#generation = :generation', values: { ':generation': generation } }),
      ])) !== null,

    admitMachine({ userId, instanceId, generation }, limit, nowMs) {
      const subject = {
        ...checked({
          ...at(userId),
          condition: '#id = :id AND #live = :generation AND #live > :none',
          values: { ':id': instanceId, ':generation': generation, ':none': 0 },
        }),
        isAlive: (item: Item) => isLiveMachine(item, instanceId, generation),
        read: readInstance,
      }
      return admit(subject, limit, nowMs)
    },

    async touch(userId, atTime, by, checkByMs) {
      const names = by === 'person' ? (['lastActivityAt', 'attendedAt'] as const) : 'lastActivityAt'
      const sooner =
        checkByMs !== undefined &&
        checked({
          ...at(userId),
          update: ', #dueAt = :checkBy, #deadlineMs = :checkBy',
          condition: '#state = :running AND #dueAt > :checkBy',
          values: { ':checkBy': checkByMs, ':running': 'running' },
        })
      return (sooner && (await set(userId, names, atTime, [sooner]))) || set(userId, names, atTime)
    },

    setModel: (userId, model, ...also) => set(userId, 'model', model, [], also),
    setRuntime: (userId, runtime, ...also) => set(userId, 'runtime', runtime, [], also),
    setPersona: (userId, persona, ...also) => set(userId, 'persona', persona, [], also),

    async setOverPlan(userId, since, before, ...also) {
      const unchanged = checked({
        ...at(userId),
        condition: `(#overPlanSince = :before${before === null ? ' OR attribute_not_exists(#overPlanSince)' : ''})`,
        values: { ':before': before },
      })
      return (await set(userId, 'overPlanSince', since, [unchanged], also)) !== null
    },

    async setCannotStart(userId, generation, reason, ...also) {
      const current = checked({
        ...at(userId),
        condition: '#generation = :generation',
        values: { ':generation': generation },
      })
      return (await set(userId, 'cannotStart', reason && { generation, reason }, [current], also)) !== null
    },

    markErased: async (userId, generation) =>
      (await set(userId, 'volumeErased', true, [
        checked({
          ...at(userId),
          condition: '#generation = :generation AND #state = :erasing',
          values: { ':generation': generation, ':erasing': 'erasing' },
        }),
      ])) !== null,

    async overdue(shard, nowMs) {
      return (await dueItems(table(), shard, nowMs)).flatMap(({ userId }) => userId?.S ?? [])
    },
  }
}

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
