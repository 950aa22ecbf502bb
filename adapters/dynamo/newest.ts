import { QueryCommand } from '@aws-sdk/client-dynamodb'
import { call } from './calls.ts'
import { type Item, toItem } from './item.ts'

/** A user's newest items before the sort key `after`, newest first, and whether more follow. One strongly consistent query. */
export async function newest(
  table: string,
  userId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ items: Item[]; more: boolean }> {
  const input = {
    TableName: table,
    KeyConditionExpression: after === null ? 'userId = :user' : 'userId = :user AND id < :after',
    ExpressionAttributeValues: toItem({ ':user': userId, ':after': after }),
    ScanIndexForward: false,
    ConsistentRead: true,
    Limit: limit + 1,
  }
  const { Items = [] } = await call((db) => db.send(new QueryCommand(input)))
  return { items: Items.slice(0, limit), more: Items.length > limit }
}
