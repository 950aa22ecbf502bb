import { randomUUID } from 'node:crypto'
import { spendingGeneration } from '../../domain/instance/instance.ts'
import type { Instances } from '../../domain/instance/ports.ts'
import type { Env } from '../env.ts'
import { admit } from './admit.ts'
import { type Change, change, changeInput, get, query, transact } from './calls.ts'
import { instanceChange, livesFor, readInstance } from './instance-item.ts'
import { type Item, toItem } from './item.ts'
import { generationChange } from './wallet-item.ts'

export function instances(env: Env): Instances {
  const table = () => env.table('instances')

  /** An update of an instance that must be there; null when it is not, or the condition says no. */
  const set = async (
    userId: string,
    name: 'model' | 'persona' | 'lastActivityAt' | 'taskArn' | 'overPlanSince' | 'emptied',
    value: string | boolean | null,
    ...and: Condition[]
  ) => {
    const written = await change({
      table: table(),
      key: { userId },
      update: `SET #${name} = :value`,
      condition: ['attribute_exists(#userId)', '#state <> :deleted', ...and.map(({ condition }) => condition)].join(
        ' AND ',
      ),
      values: Object.assign({ ':value': value, ':deleted': 'deleted' }, ...and.map(({ values }) => values)),
    })
    return written.done ? readInstance(written.item) : null
  }

  /** Writes the instance and, when another generation may now spend, the wallet with it. */
  const write = async (userId: string, one: Change, walletGeneration: number | null): Promise<Item | null | 'done'> => {
    if (walletGeneration === null) {
      const written = await change(one)
      return written.done ? 'done' : written.old
    }
    const wallet = generationChange(env.table('wallets'), userId, walletGeneration)
    const written = await transact([{ Update: changeInput(one) }, { Update: changeInput(wallet) }])
    return written.done ? 'done' : (written.refused[0] ?? null)
  }

  return {
    async find(userId) {
      const item = await get(table(), { userId })
      return item && readInstance(item)
    },

    /** A deleted instance makes room for a new one. */
    async create(record) {
      const me = randomUUID()
      const one = instanceChange(table(), record, null, me)
      const refused = await write(record.userId, one, spendingGeneration(record))
      return refused === 'done' || refused?.writtenBy?.S === me
    },

    async save(next, previous) {
      const me = randomUUID()
      const one = instanceChange(table(), next, previous, me)
      const spends = spendingGeneration(next)
      const refused = await write(next.userId, one, spends === spendingGeneration(previous) ? null : spends)
      return refused === 'done' || refused?.writtenBy?.S === me
    },

    setTask: async (userId, generation, taskArn) =>
      (await set(userId, 'taskArn', taskArn, {
        condition: '#generation = :generation',
        values: { ':generation': generation },
      })) !== null,

    admitMachine({ userId, instanceId, generation }, limit, nowMs) {
      const subject = {
        table: table(),
        key: { userId },
        alive: '#id = :id AND #live = :generation AND #live > :none',
        isAlive: (item: Item) => livesFor(item, instanceId, generation),
        values: { ':id': instanceId, ':generation': generation, ':none': 0 },
        read: readInstance,
      }
      return admit(subject, limit, nowMs)
    },

    touch: (userId, at) => set(userId, 'lastActivityAt', at),

    setModel: (userId, model) => set(userId, 'model', model),
    setPersona: (userId, persona) => set(userId, 'persona', persona),

    setOverPlan: async (userId, since, before) =>
      (await set(userId, 'overPlanSince', since, {
        condition: `(#overPlanSince = :before${before === null ? ' OR attribute_not_exists(#overPlanSince)' : ''})`,
        values: { ':before': before },
      })) !== null,

    setEmptied: async (userId, generation) =>
      (await set(userId, 'emptied', true, {
        condition: '#generation = :generation AND #state = :erasing',
        values: { ':generation': generation, ':erasing': 'erasing' },
      })) !== null,

    async overdue(shard, nowMs) {
      const due = {
        TableName: table(),
        IndexName: 'due',
        KeyConditionExpression: 'dueShard = :shard AND dueAt <= :now',
        ExpressionAttributeValues: toItem({ ':shard': String(shard), ':now': nowMs }),
      }
      const users: string[] = []
      for await (const { userId } of query(due)) if (userId?.S) users.push(userId.S)
      return users
    },
  }
}

type Condition = Required<Pick<Change, 'condition' | 'values'>>
