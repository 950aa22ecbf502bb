import type { Connections } from '../../../app/ports/socket.ts'
import { connection, connectionTtlMs } from '../../../domain/socket/connection.ts'
import { secondMs } from '../../../domain/time.ts'
import type { Env } from '../../env.ts'
import { get, itemRange, queryAll, transact } from '../calls.ts'
import { type Item, parse, toItem } from '../item.ts'

/** Two items per connection, written together: under its user for senders, and under its id for its own messages. */
export function connections(env: Env): Connections {
  const table = () => env.table('connections')
  const ownKey = (id: string) => ({ userId: `connection#${id}`, item: 'connection' })
  const read = (item: Item) => parse(connection, item)

  const list = (userId: string) => queryAll(itemRange(table(), userId, 'con_', 'con_~'), read)

  return {
    async open(made) {
      const { userId } = made.actor
      const ttl = Math.ceil((made.openedMs + connectionTtlMs) / secondMs)
      const tableName = table()
      const keys = [{ userId, item: `con_${made.id}` }, ownKey(made.id)]
      await transact(keys.map((key) => ({ Put: { TableName: tableName, Item: toItem({ ...made, ...key, ttl }) } })))
      return list(userId)
    },

    list,

    async find(id) {
      const item = await get(table(), ownKey(id))
      return item && read(item)
    },

    async close({ id, actor: { userId } }) {
      const tableName = table()
      const keys = [{ userId, item: `con_${id}` }, ownKey(id)]
      await transact(keys.map((key) => ({ Delete: { TableName: tableName, Key: toItem(key) } })))
    },
  }
}
