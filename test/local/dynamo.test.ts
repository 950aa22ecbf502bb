import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '../../local/dynamodb/engine.ts'
import { startEngine } from '../../local/dynamodb/engine.ts'
import { createTables, dynamo } from '../../local/dynamodb/tables.ts'
import { readTemplate } from '../../local/template/template.ts'
import { temporaryFolder, writeAssembly } from './assembly.ts'

const repo = join(import.meta.dirname, '../..')
const key = (name: string) => ({ AttributeName: name, KeyType: 'HASH' })
const text = (name: string) => ({ AttributeName: name, AttributeType: 'S' })
const index = (attribute: string) => ({
  IndexName: `by-${attribute}`,
  KeySchema: [key(attribute)],
  Projection: { ProjectionType: 'ALL' },
})

function templateWith(attributes: string[], keyName = 'pk') {
  const Properties = {
    TableName: 'things',
    KeySchema: [key(keyName)],
    AttributeDefinitions: [keyName, ...attributes].map(text),
    GlobalSecondaryIndexes: attributes.map(index),
    TimeToLiveSpecification: { AttributeName: 'goneAt', Enabled: true },
    StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    Replicas: [{ Region: 'us-east-1' }],
  }
  return readTemplate(writeAssembly({ S: { resources: { T: { Type: 'AWS::DynamoDB::GlobalTable', Properties } } } }))
}

describe('the embedded DynamoDB', () => {
  const dataDir = temporaryFolder()
  let engine: Engine

  beforeAll(async () => {
    mkdirSync(join(dataDir, 'data'))
    mkdirSync(join(dataDir, 'logs'))
    engine = await startEngine(repo, dataDir, () => {})
  })
  afterAll(() => engine.stop())

  const describeTable = async () => (await dynamo(engine.endpoint, 'DescribeTable', { TableName: 'things' })).Table

  test('has the template’s tables with keys, indexes, TTL and streams', async () => {
    await createTables(engine.endpoint, templateWith(['user']))
    expect(await describeTable()).toMatchObject({
      TableStatus: 'ACTIVE',
      KeySchema: [key('pk')],
      GlobalSecondaryIndexes: [{ IndexName: 'by-user', KeySchema: [key('user')] }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    })
    expect(await dynamo(engine.endpoint, 'DescribeTimeToLive', { TableName: 'things' })).toMatchObject({
      TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'goneAt' },
    })
  })

  test('keeps everything at a second start, and adds a new index while items stay', async () => {
    const Item = { pk: { S: '1' }, day: { S: 'monday' } }
    await dynamo(engine.endpoint, 'PutItem', { TableName: 'things', Item })
    await createTables(engine.endpoint, templateWith(['user']))
    await createTables(engine.endpoint, templateWith(['user', 'day']))
    const found = await dynamo(engine.endpoint, 'Query', {
      TableName: 'things',
      IndexName: 'by-day',
      KeyConditionExpression: '#d = :d',
      ExpressionAttributeNames: { '#d': 'day' },
      ExpressionAttributeValues: { ':d': { S: 'monday' } },
    })
    expect(found.Items).toEqual([Item])
  })

  test('reports a changed key with advice', async () => {
    await expect(createTables(engine.endpoint, templateWith([], 'id'))).rejects.toThrow('--reset')
  })

  test('keeps its data over a restart', async () => {
    await engine.stop()
    await expect(fetch(engine.endpoint)).rejects.toThrow()
    engine = await startEngine(repo, dataDir, () => {})
    const { Item } = await dynamo(engine.endpoint, 'GetItem', { TableName: 'things', Key: { pk: { S: '1' } } })
    expect(Item).toEqual({ pk: { S: '1' }, day: { S: 'monday' } })
  })
})
