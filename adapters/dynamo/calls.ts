import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  type ConditionCheck,
  type Delete,
  DeleteItemCommand,
  type DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type Update,
  UpdateItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb'
import type { Part } from '../../app/ports/part.ts'
import { lost, retry } from '../../app/retry.ts'
import { database, silenceMs } from './client.ts'
import { type Checked, type Expressions, itemAt } from './expressions.ts'
import { type Item, toAttribute, toItem } from './item.ts'
import { noteWritten, refusalOf, writesOf } from './part.ts'

export type Change = Expressions & { update: string }

/** DynamoDB rejects names that no expression uses. */
export type Conditional = Expressions & { condition: string; update?: never }

/** The item after the write, or the item that the condition refused (null if there is none). */
export type Written = { done: true; item: Item } | { done: false; old: Item | null }

/** Per part of a refused transaction: undefined if its condition held, otherwise the refused item or null. */
export type Transacted = { done: true } | { done: false; refused: (Item | null | undefined)[] }

export const changeInput: Checked<Change, [], Update> = (wanted) => ({
  ...conditionInput(wanted, wanted.update),
  UpdateExpression: wanted.update,
})

/** Adds or removes one in an item's count. The condition keeps parallel writers below `most`. @param ttl of the item */
export const countInput = (
  table: string,
  key: Readonly<Record<string, string>>,
  by: 1 | -1,
  most?: number,
  ttl?: number,
) =>
  changeInput({
    ...itemAt<'count'>(table, key),
    update: `ADD #count :by${ttl === undefined ? '' : ' SET #ttl = :ttl'}`,
    // A missing count is 0.
    ...(most !== undefined && {
      condition: most > 0 ? 'attribute_not_exists(#count) OR #count < :most' : '#count < :most',
    }),
    values: { ':by': by, ...(most !== undefined && { ':most': most }), ...(ttl !== undefined && { ':ttl': ttl }) },
  })

export const deleteInput: Checked<Conditional, [], Delete> = (wanted) => conditionInput(wanted, '')

export const plainDelete = (table: string, key: Readonly<Record<string, string>>) => ({
  TableName: table,
  Key: toItem(key),
})

/** A condition on an item that the transaction does not change. */
export const checkInput: Checked<Conditional, [], ConditionCheck> = (wanted) => ({
  ...conditionInput(wanted, ''),
  ConditionExpression: wanted.condition,
})

function conditionInput({ table, key, condition, values = {}, names = {} }: Expressions, update: string) {
  const words = [...new Set(`${update} ${condition ?? ''}`.match(/#\w+/g))]
  const attributes = Object.entries(values).map(([name, value]) => [name, toAttribute(value)] as const)
  return {
    TableName: table,
    Key: toItem(key),
    ...(condition && { ConditionExpression: condition }),
    ExpressionAttributeNames: { ...Object.fromEntries(words.map((word) => [word, word.slice(1)])), ...names },
    ...(attributes.length > 0 && { ExpressionAttributeValues: Object.fromEntries(attributes) }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
}

export const change: Checked<Change, Part[], Promise<Written>> = (wanted, ...also) => {
  const input = changeInput(wanted)
  return writeOne(
    { Update: input },
    also,
    async (db) => (await db.send(new UpdateItemCommand({ ...input, ReturnValues: 'ALL_NEW' }))).Attributes,
    () => get(wanted.table, wanted.key),
  )
}

export const putIf: Checked<Conditional, [record: object], Promise<Written>> = (wanted, record) => {
  const { Key: _, ...input } = conditionInput(wanted, '')
  return conditional(async (db) => {
    await db.send(new PutItemCommand({ ...input, Item: toItem(record) }))
    return {}
  })
}

/** A change whose new item nobody needs: it is not read. */
export const changed: Checked<Change, Part[], Promise<boolean>> = async (wanted, ...also) => {
  const input = changeInput(wanted)
  const written = await writeOne({ Update: input }, also, async (db) => {
    await db.send(new UpdateItemCommand(input))
    return {}
  })
  return written.done
}

export const setting = <Attributes extends Readonly<Record<string, unknown>>>(attributes: Attributes) => ({
  // safe because these are the names in the expression
  update: `SET ${Object.keys(attributes)
    .map((name) => `#${name} = :${name}`)
    .join(', ')}` as `SET #${keyof Attributes & string}`,
  values: Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`:${name}`, value])),
})

/** Sets the attributes and the next revision, if the item still has the revision `seen`; 0 for a missing item. */
export const ifStill = <Name extends string, Attributes extends Readonly<Record<string, unknown>>>(
  name: Name,
  seen: number,
  attributes: Attributes,
) => {
  // safe because the computed name is `name`
  const next = { ...attributes, [name]: seen + 1 } as Attributes & Record<Name, number>
  const { update, values } = setting(next)
  return {
    update,
    condition: seen === 0 ? (`attribute_not_exists(#${name})` as const) : (`#${name} = :seen` as const),
    values: seen === 0 ? values : { ...values, ':seen': seen },
  }
}

/** Returns the old item. Null if there was none, also for the second of two parallel calls. */
export async function remove(table: string, key: Readonly<Record<string, string>>): Promise<Item | null> {
  const input = { TableName: table, Key: toItem(key), ReturnValues: 'ALL_OLD' as const }
  return (await call((db) => db.send(new DeleteItemCommand(input)))).Attributes ?? null
}

export const removed: Checked<Conditional, Part[], Promise<boolean>> = async (wanted, ...also) => {
  const input = deleteInput(wanted)
  let tries = 0
  const written = await writeOne({ Delete: input }, also, async (db) => {
    tries++
    await db.send(new DeleteItemCommand(input))
    return {}
  })
  // A retry after a lost answer finds no item, which is the wanted result.
  return written.done || (tries > 1 && written.old === null)
}

export async function put(table: string, item: Item): Promise<void> {
  await call((db) => db.send(new PutItemCommand({ TableName: table, Item: item })))
}

/** A put that never replaces; `key` is an attribute of the table's key. */
export const putInput = (table: string, key: string, record: object) => ({
  TableName: table,
  Item: toItem(record),
  ConditionExpression: 'attribute_not_exists(#key)',
  ExpressionAttributeNames: { '#key': key },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
})

/** A put that replaces only an expired item. */
export const putOverExpired = <Key extends string>(
  table: string,
  key: Key,
  record: Record<Key, string> & { ttl: number },
  nowMs: number,
) => ({
  TableName: table,
  Item: toItem(record),
  ConditionExpression: 'attribute_not_exists(#key) OR #ttl <= :now',
  ExpressionAttributeNames: { '#key': key, '#ttl': 'ttl' },
  ExpressionAttributeValues: toItem({ ':now': Math.floor(nowMs / 1000) }),
})

export const putNew = (table: string, key: string, record: object, ...also: Part[]): Promise<Written> => {
  const input = putInput(table, key, record)
  return writeOne({ Put: input }, also, async (db) => {
    await db.send(new PutItemCommand(input))
    return {}
  })
}

async function writeOne(
  own: TransactWriteItem,
  also: readonly Part[],
  alone: (db: DynamoDBClient) => Promise<Item | undefined>,
  itemAfter: () => Promise<Item | null> = async () => null,
): Promise<Written> {
  if (also.every(({ items }) => items.length === 0)) return conditional(alone)
  const written = await transact([own], ...also)
  if (written.done) return { done: true, item: (await itemAfter()) ?? {} }
  return { done: false, old: written.refused[0] ?? null }
}

async function conditional(write: (db: DynamoDBClient) => Promise<Item | undefined>): Promise<Written> {
  try {
    return { done: true, item: (await call(write)) ?? {} }
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { done: false, old: error.Item ?? null }
    throw error
  }
}

/** Writes all items and those of the parts, or none; `refused` has results of `own`. @throws a part's refusal */
export async function transact(own: TransactWriteItem[], ...also: Part[]): Promise<Transacted> {
  const written = await transaction([...own, ...writesOf(also)])
  if (written.done) {
    noteWritten(also)
    return written
  }
  const refused = written.refused.slice(0, own.length)
  if (refused.some((each) => each !== undefined)) return { done: false, refused }
  throw refusalOf(also, written.refused.slice(own.length))
}

async function transaction(items: TransactWriteItem[]): Promise<Transacted> {
  // The token keeps a retry after a lost answer from writing twice.
  const input = { TransactItems: items, ClientRequestToken: randomUUID() }
  try {
    await call((db) => db.send(new TransactWriteItemsCommand(input)))
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

/** Strongly consistent. */
export async function get(table: string, key: Readonly<Record<string, string>>): Promise<Item | null> {
  const input = { TableName: table, Key: toItem(key), ConsistentRead: true }
  return (await call((db) => db.send(new GetItemCommand(input)))).Item ?? null
}

export async function* query(input: QueryCommandInput): AsyncGenerator<Item> {
  let from = input.ExclusiveStartKey
  do {
    const page = await call((db) => db.send(new QueryCommand({ ...input, ExclusiveStartKey: from })))
    yield* page.Items ?? []
    from = page.LastEvaluatedKey
  } while (from)
}

export async function queryAll<T>(input: QueryCommandInput, read: (item: Item) => T): Promise<T[]> {
  const found: T[] = []
  for await (const item of query(input)) found.push(read(item))
  return found
}

/** Keys of one shard of the index `due` whose time has passed, the longest overdue first. */
export async function dueItems(table: string, shard: number | string, nowMs: number, most?: number): Promise<Item[]> {
  const input = {
    TableName: table,
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard AND dueAt <= :now',
    ExpressionAttributeValues: toItem({ ':shard': String(shard), ':now': nowMs }),
    Limit: most,
  }
  const found: Item[] = []
  for await (const item of query(input)) {
    found.push(item)
    if (found.length === most) break
  }
  return found
}

const batchSize = 100

/** Strongly consistent, in no order, without missing items. */
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

const writeBatchSize = 25

/** Replaces existing items. The keys must differ. */
export const putMany = (table: string, items: Item[]): Promise<void> =>
  writeMany(
    table,
    items.map((Item) => ({ PutRequest: { Item } })),
  )

/** The keys must differ; missing items are no error. */
export const removeMany = (table: string, keys: Readonly<Record<string, string>>[]): Promise<void> =>
  writeMany(
    table,
    keys.map((key) => ({ DeleteRequest: { Key: toItem(key) } })),
  )

async function writeMany(table: string, requests: WriteRequest[]): Promise<void> {
  let left = requests
  for (let round = 0; left.length > 0; round++) {
    const batch = { [table]: left.slice(0, writeBatchSize) }
    const answer = await call((db) => db.send(new BatchWriteItemCommand({ RequestItems: batch })))
    const missed = answer.UnprocessedItems?.[table] ?? []
    if (missed.length > 0) await backOff(round)
    left = [...missed, ...left.slice(writeBatchSize)]
  }
}

/** A strongly consistent query of a user's items between two sort keys, oldest first. */
export const itemRange = (table: string, userId: string, from: string, to: string) => ({
  TableName: table,
  KeyConditionExpression: 'userId = :user AND #item BETWEEN :from AND :to',
  ExpressionAttributeNames: { '#item': 'item' },
  ExpressionAttributeValues: toItem({ ':user': userId, ':from': from, ':to': to }),
  ConsistentRead: true,
})

/** Keys by the index `byUser`, which is eventually consistent. */
export const queryByUser = (table: string, userId: string): AsyncGenerator<Item> =>
  query({
    TableName: table,
    IndexName: 'byUser',
    KeyConditionExpression: 'userId = :user',
    ExpressionAttributeValues: toItem({ ':user': userId }),
  })

/** Finds keys by that index and reads each item strongly consistent, newest first. */
export async function getByUser<T extends { createdAt: string; id: string }>(
  table: string,
  userId: string,
  read: (item: Item) => T,
): Promise<T[]> {
  const keys: Item[] = []
  for await (const { id } of queryByUser(table, userId)) if (id) keys.push({ id })
  const records = (await getMany(table, keys)).map(read)
  return records.sort((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id.localeCompare(a.id))
}

const refusedCode = 'ConditionalCheckFailed'

/** Errors after which nothing was written, so a retry is always safe. */
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

/** A try that begins later could end after the request's five seconds, ms. */
const lastTryMs = silenceMs + 500

/** After a timeout, follow-up calls such as the admission of the caller fail at once for this time, ms. */
const restMs = 300

/** Set after a timeout: the error, and until when all calls fail with it. */
const silence: { error: unknown; untilMs: number } = { error: null, untilMs: 0 }

/**
 * Retries with jitter while the store is busy, and a few times after a fault, as long as a try can end in time. After a
 * fault the write may have happened, so every write recognises its earlier attempt in the item that refuses it.
 */
export async function call<T>(request: (db: DynamoDBClient) => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  if (startedMs < silence.untilMs) throw silence.error
  for (let tried = 1; ; tried++) {
    try {
      return await request(database())
    } catch (error) {
      const trouble = troubleOf(error)
      const isLate = performance.now() - startedMs > lastTryMs
      if (isLate && isSilent(error)) Object.assign(silence, { error, untilMs: performance.now() + restMs })
      if (!trouble || tried >= attempts[trouble] || (isLate && trouble === 'fault')) throw error
      await backOff(tried)
    }
  }
}

const isSilent = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

/** Retries a conditional write that lost a race. @throws the error of `failure` after the last try */
export async function untilWritten<T>(
  tries: number,
  failure: () => Error,
  attempt: () => Promise<T | typeof lost>,
): Promise<T> {
  const wait = async (tried: number) => (tried > 1 ? backOff(Math.min(tried, 3)) : undefined)
  const result = await retry(attempt, { tries, wait })
  if (result === lost) throw failure()
  return result
}

export const backOff = (tried: number): Promise<void> => sleep(Math.random() * Math.min(1_000, 20 * 2 ** tried))

/** Whether the store was too busy in all tries; nothing was written then. */
export const isBusy = (error: unknown): boolean => troubleOf(error) === 'busy'

function troubleOf(error: unknown): keyof typeof attempts | null {
  if (error instanceof TransactionCanceledException) {
    const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? '')
    return !codes.includes(refusedCode) && codes.some((code) => busyCodes.has(code)) ? 'busy' : null
  }
  if (error instanceof DynamoDBServiceException) {
    if (busyCodes.has(error.name)) return 'busy'
    return (error.$metadata.httpStatusCode ?? 500) >= 500 ? 'fault' : null
  }
  // Network errors and timeouts are no service exceptions.
  return error instanceof Error && ('code' in error || error.name === 'TimeoutError') ? 'fault' : null
}
