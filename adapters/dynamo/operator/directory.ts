import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import type { AddressRange, Directory } from '../../../app/ports/operator.ts'
import { shards } from '../../../domain/ids.ts'
import type { ListedPlan, ListedState } from '../../../domain/operator/listed-user.ts'
import type { Env } from '../../env.ts'
import { readUser } from '../account/users.ts'
import { call, getMany } from '../calls.ts'
import { failedShard, readInstance } from '../instance/item.ts'
import { type Item, parse, toItem } from '../item.ts'
import { toState, walletKey } from '../wallet/item.ts'
import { suspendedList } from './suspensions.ts'

/** Most users in one state, per query: sixteen shards for those awake or closing, otherwise one. */
const most = { shard: 100, list: 1_000 }

const allShards = Array.from({ length: shards }, (_, shard) => String(shard))

const listed = z.object({ id: z.string(), email: z.string() })

export function directory(env: Env): Directory {
  const [users, wallets, instances, console] = [
    env.table('users'),
    env.table('wallets'),
    env.table('instances'),
    env.table('console'),
  ]
  return {
    async byAddress({ plans, limit, prefix, after }) {
      // The user to continue after may have moved to an address behind all with this beginning.
      if (after !== null && lowestAfter(after) > highestWith(prefix)) return []
      const pages = await Promise.all(plans.map((plan) => query(addressQuery(users, plan, { prefix, after, limit }))))
      const found = pages.flat().map((item) => parse(listed, item))
      found.sort((a, b) => (a.email < b.email ? -1 : 1))
      return found.slice(0, limit).map(({ id }) => id)
    },

    async inState(state) {
      const { queries, limit, key } = stateQueries({ users, instances, console }, state)
      const pages = await Promise.all(queries.map((asked) => query({ ...asked, Limit: limit + 1 })))
      return {
        ids: pages.flatMap((page) => page.slice(0, limit).flatMap((item) => item[key]?.S ?? [])),
        more: pages.some((page) => page.length > limit),
      }
    },

    users: async (ids) =>
      (
        await getMany(
          users,
          ids.map((id) => toItem({ id })),
        )
      ).map(readUser),

    async entries(found) {
      const keys = found.map(({ id }) => id)
      const [walletItems, instanceItems] = await Promise.all([
        getMany(
          wallets,
          keys.map((userId) => toItem(walletKey(userId))),
        ),
        getMany(
          instances,
          keys.map((userId) => toItem({ userId })),
        ),
      ])
      const states = new Map(walletItems.map(toState).map((wallet) => [wallet.userId, wallet]))
      const records = new Map(instanceItems.map(readInstance).map((instance) => [instance.userId, instance]))
      return found.map((user) => ({
        user,
        wallet: states.get(user.id) ?? null,
        instance: records.get(user.id) ?? null,
      }))
    },
  }
}

const query = async (input: QueryCommandInput): Promise<Item[]> =>
  (await call((db) => db.send(new QueryCommand(input)))).Items ?? []

const lowestAfter = (address: string): string => `${address}\0`
const highestWith = (prefix: string): string => `${prefix}\uffff`

const addressQuery = (table: string, plan: ListedPlan, { prefix, after, limit }: Omit<AddressRange, 'plans'>) => ({
  TableName: table,
  IndexName: 'byPlan',
  KeyConditionExpression: '#listed = :listed AND #email BETWEEN :from AND :to',
  ExpressionAttributeNames: { '#listed': 'listed', '#email': 'email' },
  ExpressionAttributeValues: toItem({
    ':listed': plan,
    ':from': after === null ? prefix || ' ' : lowestAfter(after),
    ':to': highestWith(prefix),
  }),
  Limit: limit,
})

/** An instance is in the index `due` while it is awake or has failed, and a user while an erasure is scheduled. */
function stateQueries(
  { users, instances, console }: Record<'users' | 'instances' | 'console', string>,
  state: ListedState,
) {
  const due = (table: string, shard: string): QueryCommandInput => ({
    TableName: table,
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard',
    ExpressionAttributeValues: toItem({ ':shard': shard }),
    ScanIndexForward: false,
  })
  const suspended: QueryCommandInput = {
    TableName: console,
    KeyConditionExpression: '#list = :list',
    ExpressionAttributeNames: { '#list': 'list' },
    ExpressionAttributeValues: toItem({ ':list': suspendedList }),
  }
  const all = {
    awake: { queries: allShards.map((shard) => due(instances, shard)), limit: most.shard, key: 'userId' },
    failed: { queries: [due(instances, failedShard)], limit: most.list, key: 'userId' },
    closing: { queries: allShards.map((shard) => due(users, shard)), limit: most.shard, key: 'id' },
    suspended: { queries: [suspended], limit: most.list, key: 'id' },
  } as const
  return all[state]
}
