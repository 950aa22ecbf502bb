/** Creates the template's tables in the embedded DynamoDB, and adds what a newer template adds. */
import { setTimeout as sleep } from 'node:timers/promises'
import { asList, asObject, asText, type Json, type JsonObject } from '../template/json.ts'
import type { Template } from '../template/template.ts'

/** `name` is DynamoDB's error code. */
export class DynamoError extends Error {
  constructor(name: string, message: string) {
    super(message)
    this.name = name
  }
}

/** One call in DynamoDB's wire protocol. Without the SDK, because only `adapters/` may import it. */
export async function dynamo(
  endpoint: string,
  operation: string,
  input: JsonObject,
  version = 'DynamoDB_20120810',
): Promise<JsonObject> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `${version}.${operation}`,
      'x-amz-date': '20260101T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=local',
    },
    body: JSON.stringify(input),
  })
  const body = asObject(await response.json())
  if (response.ok) return body
  const name = asText(body.__type).split('#').pop() ?? 'Unknown'
  throw new DynamoError(name, `${operation}: ${asText(body.message ?? body.Message, name)}`)
}

/** Existing tables and their items stay. */
export async function createTables(endpoint: string, template: Template): Promise<void> {
  const tables = template.ofType('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable')
  await Promise.all(tables.map(({ name, properties }) => createTable(endpoint, name, properties)))
}

async function createTable(endpoint: string, name: string, properties: JsonObject): Promise<void> {
  const existing = await describe(endpoint, name)
  if (existing) await addIndexes(endpoint, name, existing, properties)
  else await dynamo(endpoint, 'CreateTable', createInput(name, properties))
  const table = await active(endpoint, name)
  await setTimeToLive(endpoint, name, asObject(properties.TimeToLiveSpecification))
  const stream = streamOf(properties)
  if (stream && asObject(table.StreamSpecification).StreamEnabled !== true)
    await dynamo(endpoint, 'UpdateTable', { TableName: name, StreamSpecification: stream })
}

function createInput(name: string, properties: JsonObject): JsonObject {
  const local = indexesOf(properties, 'LocalSecondaryIndexes')
  const global = indexesOf(properties, 'GlobalSecondaryIndexes')
  const stream = streamOf(properties)
  return {
    TableName: name,
    KeySchema: properties.KeySchema ?? [],
    AttributeDefinitions: properties.AttributeDefinitions ?? [],
    BillingMode: 'PAY_PER_REQUEST',
    ...(local.length > 0 && { LocalSecondaryIndexes: local }),
    ...(global.length > 0 && { GlobalSecondaryIndexes: global }),
    ...(stream && { StreamSpecification: stream }),
  }
}

/** Only properties that CreateTable accepts: a template's index may also have throughput, insights or tags. */
const indexesOf = (properties: JsonObject, kind: string): JsonObject[] =>
  asList(properties[kind]).map((raw) => {
    const { IndexName, KeySchema, Projection } = asObject(raw)
    return {
      IndexName: IndexName ?? '',
      KeySchema: KeySchema ?? [],
      Projection: Projection ?? { ProjectionType: 'ALL' },
    }
  })

function streamOf(properties: JsonObject): JsonObject | undefined {
  const view = asObject(properties.StreamSpecification).StreamViewType
  return view === undefined ? undefined : { StreamEnabled: true, StreamViewType: view }
}

async function addIndexes(endpoint: string, name: string, existing: JsonObject, properties: JsonObject): Promise<void> {
  const key = JSON.stringify(properties.KeySchema)
  if (key !== JSON.stringify(existing.KeySchema)) {
    throw new Error(
      `The table ${name} changed its key, which DynamoDB cannot do: rename it in lib/, or start with --reset`,
    )
  }
  const has = new Set(asList(existing.GlobalSecondaryIndexes).map((index) => asText(asObject(index).IndexName)))
  for (const index of indexesOf(properties, 'GlobalSecondaryIndexes')) {
    if (has.has(asText(index.IndexName))) continue
    // DynamoDB adds one index at a time, and only to an active table.
    await dynamo(endpoint, 'UpdateTable', {
      TableName: name,
      AttributeDefinitions: properties.AttributeDefinitions ?? [],
      GlobalSecondaryIndexUpdates: [{ Create: index }],
    })
    await active(endpoint, name)
  }
}

async function setTimeToLive(endpoint: string, name: string, setting: JsonObject): Promise<void> {
  const attribute: Json | undefined = setting.AttributeName
  if (attribute === undefined || setting.Enabled === false) return
  const { TimeToLiveDescription } = await dynamo(endpoint, 'DescribeTimeToLive', { TableName: name })
  const { TimeToLiveStatus, AttributeName } = asObject(TimeToLiveDescription)
  if (AttributeName === attribute && asText(TimeToLiveStatus).startsWith('ENABL')) return
  const specification = { AttributeName: attribute, Enabled: true }
  await dynamo(endpoint, 'UpdateTimeToLive', { TableName: name, TimeToLiveSpecification: specification })
}

async function describe(endpoint: string, name: string): Promise<JsonObject | undefined> {
  try {
    return asObject((await dynamo(endpoint, 'DescribeTable', { TableName: name })).Table)
  } catch (error) {
    if (error instanceof DynamoError && error.name === 'ResourceNotFoundException') return undefined
    throw error
  }
}

async function active(endpoint: string, name: string): Promise<JsonObject> {
  for (let tries = 0; tries < 500; tries++) {
    const table = await describe(endpoint, name)
    const indexes = asList(table?.GlobalSecondaryIndexes).map((index) => asText(asObject(index).IndexStatus, 'ACTIVE'))
    if (table && [asText(table.TableStatus), ...indexes].every((status) => status === 'ACTIVE')) return table
    await sleep(20)
  }
  throw new Error(`The table ${name} did not become active within 10 s`)
}
