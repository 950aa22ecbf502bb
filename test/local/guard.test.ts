import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { Authorizer } from '../../emulators/aws/authorization.ts'
import { readPolicy } from '../../emulators/aws/policies.ts'
import { type Engine, startEngine } from '../../local/dynamodb/engine.ts'
import { type Guard, startGuard } from '../../local/dynamodb/guard.ts'
import { dynamo } from '../../local/dynamodb/tables.ts'
import { temporaryFolder } from './assembly.ts'

const authorizer = new Authorizer()
const table = (name: string) => `arn:aws:dynamodb:us-east-1:000000000000:table/${name}`
let engine: Engine
let guard: Guard
let client: DynamoDBClient

const allow = (...statements: [actions: string[], resource: string][]) =>
  authorizer.setDirectory({
    principals: [
      {
        name: 'one',
        arn: 'arn:aws:iam::000000000000:role/one',
        policies: [
          readPolicy(
            {
              Version: '2012-10-17',
              Statement: statements.map(([actions, Resource]) => ({
                Effect: 'Allow',
                Action: actions.map((action) => `dynamodb:${action}`),
                Resource,
              })),
            },
            'one',
          ),
        ],
      },
    ],
  })

beforeAll(async () => {
  const dataDir = temporaryFolder()
  for (const folder of ['data', 'logs']) mkdirSync(join(dataDir, folder))
  engine = await startEngine(join(import.meta.dirname, '../..'), dataDir, () => {})
  for (const name of ['things', 'others'])
    await dynamo(engine.endpoint, 'CreateTable', {
      TableName: name,
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: ['id', 'due'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      BillingMode: 'PAY_PER_REQUEST',
      GlobalSecondaryIndexes: [
        {
          IndexName: 'due',
          KeySchema: [{ AttributeName: 'due', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    })
  guard = await startGuard(engine.endpoint, authorizer)
  client = clientOf('one')
})
afterAll(async () => {
  client.destroy()
  await guard.close()
  await engine.stop()
})

const clientOf = (accessKeyId: string) =>
  new DynamoDBClient({
    endpoint: guard.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId, secretAccessKey: 'local' },
    maxAttempts: 1,
  })

const Key = { id: { S: 'a' } }
const things = { TableName: 'things' }
const update = { Key, UpdateExpression: 'SET n = :n', ExpressionAttributeValues: { ':n': { N: '1' } } }
const query = { ...things, ExpressionAttributeValues: { ':v': { S: 'a' } } }
const byIndex = new QueryCommand({ ...query, IndexName: 'due', KeyConditionExpression: 'due = :v' })

describe('a request to the store', () => {
  test.each<[string, string[], string, () => Promise<unknown>]>([
    ['GetItem', ['GetItem'], 'things', () => client.send(new GetItemCommand({ ...things, Key }))],
    ['PutItem', ['PutItem'], 'things', () => client.send(new PutItemCommand({ ...things, Item: Key }))],
    ['UpdateItem', ['UpdateItem'], 'things', () => client.send(new UpdateItemCommand({ ...things, ...update }))],
    [
      'Query',
      ['Query'],
      'things',
      () => client.send(new QueryCommand({ ...query, KeyConditionExpression: 'id = :v' })),
    ],
    ['Query of an index', ['Query'], 'things/index/due', () => client.send(byIndex)],
    [
      'BatchGetItem',
      ['BatchGetItem'],
      'things',
      () => client.send(new BatchGetItemCommand({ RequestItems: { things: { Keys: [Key] } } })),
    ],
    [
      'BatchWriteItem',
      ['BatchWriteItem'],
      'things',
      () => client.send(new BatchWriteItemCommand({ RequestItems: { things: [{ PutRequest: { Item: Key } }] } })),
    ],
    [
      'TransactGetItems',
      ['GetItem'],
      'things',
      () => client.send(new TransactGetItemsCommand({ TransactItems: [{ Get: { ...things, Key } }] })),
    ],
    [
      'a transaction’s Update',
      ['UpdateItem'],
      'things',
      () => client.send(new TransactWriteItemsCommand({ TransactItems: [{ Update: { ...things, ...update } }] })),
    ],
    [
      'a transaction’s Delete',
      ['DeleteItem'],
      'things',
      () => client.send(new TransactWriteItemsCommand({ TransactItems: [{ Delete: { ...things, Key } }] })),
    ],
    [
      'a transaction’s ConditionCheck',
      ['ConditionCheckItem'],
      'things',
      () =>
        client.send(
          new TransactWriteItemsCommand({
            TransactItems: [{ ConditionCheck: { ...things, Key, ConditionExpression: 'attribute_not_exists(due)' } }],
          }),
        ),
    ],
  ])('%s needs %s on %s', async (_, actions, resource, send) => {
    allow([actions, table(resource)])
    await expect(send()).resolves.toBeDefined()
    allow([actions, table('others')])
    await expect(send()).rejects.toMatchObject({ name: 'AccessDeniedException', $metadata: { httpStatusCode: 400 } })
    const others = [
      'GetItem',
      'PutItem',
      'UpdateItem',
      'DeleteItem',
      'Query',
      'BatchGetItem',
      'BatchWriteItem',
      'ConditionCheckItem',
      'Scan',
    ]
    allow([others.filter((other) => !actions.includes(other)), table(resource)])
    await expect(send()).rejects.toMatchObject({
      message: expect.stringContaining(`dynamodb:${actions[0]} on resource: ${table(resource)}`),
    })
  })

  test('for several tables needs the right to each', async () => {
    const both = () =>
      client.send(
        new TransactWriteItemsCommand({
          TransactItems: [{ Put: { ...things, Item: Key } }, { Put: { TableName: 'others', Item: Key } }],
        }),
      )
    allow([['PutItem'], table('things')])
    await expect(both()).rejects.toMatchObject({ message: expect.stringContaining(table('others')) })
    allow([['PutItem'], table('*')])
    await expect(both()).resolves.toBeDefined()
  })

  test('without a grant is refused, whatever it is; the owner’s request is allowed', async () => {
    allow([['GetItem'], '*'])
    await expect(client.send(new ScanCommand(things))).rejects.toMatchObject({ name: 'AccessDeniedException' })
    await expect(client.send(new ListTablesCommand({}))).rejects.toMatchObject({ name: 'AccessDeniedException' })
    await expect(clientOf('local').send(new ListTablesCommand({}))).resolves.toMatchObject({
      TableNames: ['others', 'things'],
    })
    await expect(clientOf('two').send(new ListTablesCommand({}))).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
    })
  })

  test('is forwarded unchanged, even if large or one of many', async () => {
    allow([['GetItem', 'PutItem'], table('things')])
    const big = 'ä'.repeat(150_000)
    await client.send(new PutItemCommand({ ...things, Item: { id: { S: 'big' }, big: { S: big } } }))
    const read = () => client.send(new GetItemCommand({ ...things, Key: { id: { S: 'big' } }, ConsistentRead: true }))
    for (const { Item } of await Promise.all(Array.from({ length: 20 }, read))) expect(Item?.big?.S).toBe(big)
  })

  test('without a signature, or of unknown length, is not forwarded', async () => {
    const send = async (...headers: string[]) => {
      const socket = connect(Number(new URL(guard.endpoint).port), '127.0.0.1')
      socket.end(
        ['POST / HTTP/1.1', 'host: x', 'connection: close', 'x-amz-target: D.ListTables', ...headers, '', '{}'].join(
          '\r\n',
        ),
      )
      return text(socket)
    }
    expect(await send('content-length: 2')).toMatch(/400 Bad Request[\s\S]*MissingAuthenticationToken/)
    expect(await send('transfer-encoding: chunked', 'authorization: AWS4-HMAC-SHA256 Credential=local/x')).toBe('')
  })

  test('fails as it does without a guard when the store is down', async () => {
    const lost = await startGuard('http://127.0.0.1:9', authorizer)
    const request = fetch(lost.endpoint, {
      method: 'POST',
      body: '{}',
      headers: { authorization: 'Credential=local/x' },
    })
    await expect(request).rejects.toThrow()
    await lost.close()
  })
})
