import { setTimeout as sleep } from 'node:timers/promises'
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { database } from './client.ts'
import { type Item, toAttribute, toItem } from './item.ts'

/** A conditional update in words: every `#name` stands for the attribute of that name, unless `names` says otherwise. */
export interface Change {
  table: string
  key: Readonly<Record<string, string>>
  update: string
  condition?: string
  values: Readonly<Record<`:${string}`, unknown>>
  names?: Readonly<Record<`#${string}`, string>>
}

/** What became of a conditional write: the item after it, or the item its condition refused (null when there is none). */
export type Written = { done: true; item: Item } | { done: false; old: Item | null }

/** Per part of a refused transaction: undefined when its condition held, else the item it refused or null. */
export type Transacted = { done: true } | { done: false; refused: (Item | null | undefined)[] }

export function changeInput({ table, key, update, condition, values, names = {} }: Change) {
  const words = [...new Set(`${update} ${condition ?? ''}`.match(/#\w+/g))]
  const attributes = Object.entries(values).map(([name, value]) => [name, toAttribute(value)] as const)
  return {
    TableName: table,
    Key: toItem(key),
    UpdateExpression: update,
    ...(condition && { ConditionExpression: condition }),
    ExpressionAttributeNames: { ...Object.fromEntries(words.map((word) => [word, word.slice(1)])), ...names },
    ...(attributes.length > 0 && { ExpressionAttributeValues: Object.fromEntries(attributes) }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
}

export const change = (one: Change): Promise<Written> =>
  conditional(async (db) => {
    const input = { ...changeInput(one), ReturnValues: 'ALL_NEW' as const }
    return (await db.send(new UpdateItemCommand(input))).Attributes
  })

/** A put that never replaces anything; `key` is an attribute of the table's key. */
export const putInput = (table: string, key: string, record: object) => ({
  TableName: table,
  Item: toItem(record),
  ConditionExpression: 'attribute_not_exists(#key)',
  ExpressionAttributeNames: { '#key': key },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
})

export const putNew = (table: string, key: string, record: object): Promise<Written> =>
  conditional(async (db) => {
    await db.send(new PutItemCommand(putInput(table, key, record)))
    return {}
  })

async function conditional(write: (db: DynamoDBClient) => Promise<Item | undefined>): Promise<Written> {
  try {
    return { done: true, item: (await call(write)) ?? {} }
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { done: false, old: error.Item ?? null }
    throw error
  }
}

export async function transact(items: TransactWriteItem[]): Promise<Transacted> {
  try {
    await call((db) => db.send(new TransactWriteItemsCommand({ TransactItems: items })))
    return { done: true }
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error
    const reasons = error.CancellationReasons ?? []
    if (!reasons.some(({ Code }) => Code === refusedCode)) throw error
    return {
      done: false,
      refused: reasons.map(({ Code, Item }) => (Code === refusedCode ? (Item ?? null) : undefined)),
    }
  }
}

/** Reads one item as of now. */
export async function get(table: string, key: Readonly<Record<string, string>>): Promise<Item | null> {
  const input = { TableName: table, Key: toItem(key), ConsistentRead: true }
  return (await call((db) => db.send(new GetItemCommand(input)))).Item ?? null
}

/** Items of a query, page by page as they are asked for. */
export async function* query(input: QueryCommandInput): AsyncGenerator<Item> {
  let from: Item | undefined
  do {
    const page = await call((db) => db.send(new QueryCommand({ ...input, ExclusiveStartKey: from })))
    yield* page.Items ?? []
    from = page.LastEvaluatedKey
  } while (from)
}

const batchSize = 100

/** Reads many items as of now, in no order; those that are gone are left out. */
export async function getMany(table: string, keys: Item[]): Promise<Item[]> {
  const found: Item[] = []
  let left = keys
  for (let round = 0; left.length > 0; round++) {
    const batch = { [table]: { Keys: left.slice(0, batchSize), ConsistentRead: true } }
    const answer = await call((db) => db.send(new BatchGetItemCommand({ RequestItems: batch })))
    found.push(...(answer.Responses?.[table] ?? []))
    const missed = answer.UnprocessedKeys?.[table]?.Keys ?? []
    if (missed.length > 0) await backOff(round)
    left = [...missed, ...left.slice(batchSize)]
  }
  return found
}

const refusedCode = 'ConditionalCheckFailed'

/** The store refused without doing anything: trying again is always right. */
const busyCodes = new Set([
  'TransactionConflict',
  'TransactionConflictException',
  'TransactionInProgressException',
  'ReplicatedWriteConflictException',
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
])

const attempts = { busy: 12, fault: 4 }

/**
 * One request, tried again with jitter while the store is busy, and a few times after a fault. After a fault the write
 * may have been done already, so every write here recognises its own earlier self in the item that refuses it.
 */
export async function call<T>(request: (db: DynamoDBClient) => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await request(database())
    } catch (error) {
      const trouble = troubleOf(error)
      if (!trouble || tried >= attempts[trouble]) throw error
      await backOff(tried)
    }
  }
}

/** Waits a random while, longer on average with every try, a second at most. */
export const backOff = (tried: number): Promise<void> => sleep(Math.random() * Math.min(1_000, 20 * 2 ** tried))

function troubleOf(error: unknown): keyof typeof attempts | null {
  if (error instanceof TransactionCanceledException) {
    const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? '')
    return !codes.includes(refusedCode) && codes.some((code) => busyCodes.has(code)) ? 'busy' : null
  }
  if (error instanceof DynamoDBServiceException) {
    if (busyCodes.has(error.name)) return 'busy'
    return (error.$metadata.httpStatusCode ?? 500) >= 500 ? 'fault' : null
  }
  // What never reached the store, or whose answer never came, is not the service's own exception.
  return error instanceof Error && ('code' in error || error.name === 'TimeoutError') ? 'fault' : null
}
