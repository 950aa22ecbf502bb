import { randomUUID } from 'node:crypto'
import type { Instances } from '../../../app/ports/instance.ts'
import type { Part } from '../../../app/ports/part.ts'
import { type InstanceRecord, spendingGeneration } from '../../../domain/instance/instance.ts'
import type { Env } from '../../env.ts'
import { type Change, change, changeInput, dueItems, get, transact } from '../calls.ts'
import type { Item } from '../item.ts'
import { admit } from '../rates/admit.ts'
import { generationChange } from '../wallet/item.ts'
import { instanceChange, isLiveMachine, readInstance } from './item.ts'

export function instances(env: Env): Instances {
  const table = () => env.table('instances')

  /** Null if the instance is missing or the condition fails. */
  const set = async (
    userId: string,
    names: Settable | readonly Settable[],
    value: string | boolean | object | null,
    and: readonly Condition[] = [],
    also: readonly Part[] = [],
  ) => {
    const written = await change(
      {
        table: table(),
        key: { userId },
        update: `SET ${[names]
          .flat()
          .map((name) => `#${name} = :value`)
          .join(', ')}${and.map(({ update = '' }) => update).join('')}`,
        condition: ['attribute_exists(#userId)', '#state <> :deleted', ...and.map(({ condition }) => condition)].join(
          ' AND ',
        ),
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
        { condition: '#generation = :generation', values: { ':generation': generation } },
      ])) !== null,

    admitMachine({ userId, instanceId, generation }, limit, nowMs) {
      const subject = {
        table: table(),
        key: { userId },
        alive: '#id = :id AND #live = :generation AND #live > :none',
        isAlive: (item: Item) => isLiveMachine(item, instanceId, generation),
        values: { ':id': instanceId, ':generation': generation, ':none': 0 },
        read: readInstance,
      }
      return admit(subject, limit, nowMs)
    },

    async touch(userId, at, by, checkByMs) {
      const names = by === 'person' ? (['lastActivityAt', 'attendedAt'] as const) : 'lastActivityAt'
      const sooner = checkByMs !== undefined && {
        update: ', #dueAt = :checkBy, #deadlineMs = :checkBy',
        condition: '#state = :running AND #dueAt > :checkBy',
        values: { ':checkBy': checkByMs, ':running': 'running' },
      }
      return (sooner && (await set(userId, names, at, [sooner]))) || set(userId, names, at)
    },

    setModel: (userId, model, ...also) => set(userId, 'model', model, [], also),
    setRuntime: (userId, runtime, ...also) => set(userId, 'runtime', runtime, [], also),
    setPersona: (userId, persona, ...also) => set(userId, 'persona', persona, [], also),

    async setOverPlan(userId, since, before, ...also) {
      const unchanged = {
        condition: `(#overPlanSince = :before${before === null ? ' OR attribute_not_exists(#overPlanSince)' : ''})`,
        values: { ':before': before },
      }
      return (await set(userId, 'overPlanSince', since, [unchanged], also)) !== null
    },

    async setCannotStart(userId, generation, reason, ...also) {
      const current = { condition: '#generation = :generation', values: { ':generation': generation } }
      return (await set(userId, 'cannotStart', reason && { generation, reason }, [current], also)) !== null
    },

    markErased: async (userId, generation) =>
      (await set(userId, 'volumeErased', true, [
        {
          condition: '#generation = :generation AND #state = :erasing',
          values: { ':generation': generation, ':erasing': 'erasing' },
        },
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

type Condition = Required<Pick<Change, 'condition' | 'values'>> & { update?: string }
