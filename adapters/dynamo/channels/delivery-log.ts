import * as z from 'zod'
import type { DeliveryLog } from '../../../app/ports/channels.ts'
import type { Env } from '../../env.ts'
import { getMany, query } from '../calls.ts'
import { parse, toItem } from '../item.ts'
import { readInbound } from './inbound-deliveries.ts'
import { readOutgoing } from './outgoing-messages.ts'

type Listed = Awaited<ReturnType<DeliveryLog['list']>>['items'][number]

const position = z.object({ userId: z.string(), createdAt: z.string(), id: z.string(), item: z.string() })

/** Messages from and to chats, by the index `byUser`, which is eventually consistent. */
export const deliveryLog = (env: Env): DeliveryLog => ({
  async list(userId, { after, limit }) {
    const table = env.table('channels')
    const asked = {
      TableName: table,
      IndexName: 'byUser',
      KeyConditionExpression: 'userId = :user',
      ExpressionAttributeValues: toItem({ ':user': userId }),
      ScanIndexForward: false,
      Limit: limit + 1,
      ...(after !== null && { ExclusiveStartKey: toItem(position.parse(JSON.parse(after))) }),
    }
    const keys: z.infer<typeof position>[] = []
    for await (const item of query(asked)) {
      const key = parse(position, item)
      if (/^(in|out)#/.test(key.item)) keys.push(key)
      if (keys.length > limit) break
    }
    const shown = keys.slice(0, limit)
    const records = await getMany(
      table,
      shown.map(({ id, item }) => toItem({ id, item })),
    )
    const byKey = new Map(records.map((record) => [`${record.id?.S} ${record.item?.S}`, record]))
    const items = shown.flatMap(({ id, item }): Listed[] => {
      const record = byKey.get(`${id} ${item}`)
      if (!record) return []
      if (item.startsWith('out#')) return [{ out: readOutgoing(record) }]
      return [{ in: readInbound(record) }]
    })
    const last = shown.at(-1)
    return { items, next: keys.length > limit && last ? JSON.stringify(last) : null }
  },
})
