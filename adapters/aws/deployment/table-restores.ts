/** Restores tables next to their sources. The SDK finds credentials and Region. */
import {
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb'
import { once } from '../../memoize.ts'

const client = once(() => new DynamoDBClient())

/** ms since 1970; null without point-in-time recovery. */
export async function restorableWindow(table: string): Promise<{ fromMs: number; untilMs: number } | null> {
  const { ContinuousBackupsDescription } = await client().send(
    new DescribeContinuousBackupsCommand({ TableName: table }),
  )
  const { EarliestRestorableDateTime: from, LatestRestorableDateTime: until } =
    ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {}
  return from && until ? { fromMs: from.getTime(), untilMs: until.getTime() } : null
}

/** Starts to restore `source` into `target`. @param atMs ms since 1970 */
export async function restoreTable(source: string, target: string, atMs: number): Promise<void> {
  await client().send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName: source,
      TargetTableName: target,
      RestoreDateTime: new Date(atMs),
    }),
  )
}

/** A table's definition in a fixed order, for comparisons. */
interface TableShape {
  keys: string[]
  indexes: string[]
}

/** Null if the table is missing; `isReady` once table and indexes are active. */
export async function describeTable(name: string): Promise<{ isReady: boolean; shape: TableShape } | null> {
  try {
    const { Table = {} } = await client().send(new DescribeTableCommand({ TableName: name }))
    const { TableStatus, KeySchema = [], GlobalSecondaryIndexes = [] } = Table
    const keysOf = (schema: typeof KeySchema) =>
      schema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`)
    const indexes = GlobalSecondaryIndexes.map(
      ({ IndexName, KeySchema = [] }) => `${IndexName}: ${keysOf(KeySchema).join(', ')}`,
    )
    const isReady =
      TableStatus === 'ACTIVE' && GlobalSecondaryIndexes.every(({ IndexStatus }) => IndexStatus === 'ACTIVE')
    return { isReady, shape: { keys: keysOf(KeySchema), indexes: indexes.sort() } }
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return null
    throw error
  }
}

/** Starts to delete a table. Does nothing if the table is missing. */
export async function deleteTable(name: string): Promise<void> {
  try {
    await client().send(new DeleteTableCommand({ TableName: name }))
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error
  }
}
