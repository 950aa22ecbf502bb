/**
 * `npm run admin -- redrive`, unchanged, against moto server for SQS, EventBridge, DynamoDB and its streams:
 * third-party emulators. It invokes the real handler of jobs, behind Lambda's API.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams'
import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import * as z from 'zod'
import type { Basics } from '../app/ports/basics.ts'
import { used } from '../bin/admin/place.ts'
import { area } from '../lambdas/kit/area.ts'
import { job } from '../lambdas/kit/job.ts'
import { jobHandler } from '../lambdas/kit/job-handler.ts'
import { startMoto } from './tools/moto.ts'

const arnOf = (name: string) => `arn:aws:lambda:us-east-1:123456789012:function:${name}`
const root = join(import.meta.dirname, '..')

/** The received jobs, and whether they fail. */
const done: unknown[] = []
const faults = { broken: false }
const note = async ({ input }: { input: unknown }) => {
  if (faults.broken) throw new Error('still broken, token=abc')
  done.push(input)
}
process.env.POWERTOOLS_LOG_LEVEL = 'SILENT'
const handler = jobHandler(
  area({
    name: 'events',
    jobs: [
      job({ id: 'sweep', on: { everyMinutes: 1 }, input: z.unknown(), uses: {}, run: note }),
      job({
        id: 'onEvent',
        on: { table: 'events', key: 'id', prefixes: ['evt_'], changes: ['INSERT'] },
        input: z.object({ after: z.object({ id: z.string(), count: z.number() }) }),
        uses: {},
        run: note,
      }),
    ],
  }),
  {
    clock: { now: () => Date.now(), sleep: async () => {} },
    alarms: { raise() {}, measure() {} },
    settings: { logLevel: 'ERROR' },
  } as unknown as Basics, // safe because these jobs use nothing else
)

/** Lambda's Invoke over a handler: a failure is an answer with its own header. */
async function startLambda() {
  const server = createServer(async (request, response) => {
    const payload = JSON.parse(await text(request))
    const error = await handler(payload).then(
      () => null,
      (thrown: Error) => thrown,
    )
    if (error) response.setHeader('X-Amz-Function-Error', 'Unhandled')
    response.end(error ? JSON.stringify({ errorMessage: error.message }) : 'null')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // safe because it listens on TCP
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

const admin = async (...args: string[]): Promise<{ code: number | null; said: string }> => {
  const child = spawn(process.execPath, [join(root, 'bin/admin.ts'), 'redrive', ...args, '--stage', 'prod'], {
    env: process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said, wrong] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, said: said + wrong }
}

/** The tables by which the command finds its stage; `events` has a stream. */
async function makeTables(): Promise<{ streamArn: string; shardId: string; numbers: string[] }> {
  const db = new DynamoDBClient({})
  const key = {
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' as const }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' as const }],
  }
  const tableOf = (name: (typeof used)[number]) => `berth-prod-state-Tables${name}0A1B2C3D-X`
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const }
  for (const name of used)
    await db.send(
      new CreateTableCommand({
        TableName: tableOf(name),
        BillingMode: 'PAY_PER_REQUEST',
        ...key,
        ...(name === 'events' && { StreamSpecification }),
      }),
    )
  const TableName = tableOf('events')
  for (const [i, id] of ['evt_before', 'evt_1', 'other', 'evt_2', 'evt_after'].entries())
    await db.send(
      new PutItemCommand({
        TableName,
        Item: { id: { S: id }, count: { N: String(i) }, bytes: { B: Buffer.from('x') } },
      }),
    )
  const { Table } = await db.send(new DescribeTableCommand({ TableName }))
  const streams = new DynamoDBStreamsClient({})
  const StreamArn = Table?.LatestStreamArn ?? ''
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }))
  const ShardId = StreamDescription?.Shards?.[0]?.ShardId ?? ''
  const { ShardIterator } = await streams.send(
    new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
  )
  const { Records = [] } = await streams.send(new GetRecordsCommand({ ShardIterator }))
  return {
    streamArn: StreamArn,
    shardId: ShardId,
    numbers: Records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? ''),
  }
}

async function prove(): Promise<void> {
  const sqs = new SQSClient({})
  const { streamArn, shardId, numbers } = await makeTables()
  assert.equal(numbers.length, 5, 'the stream has five changes')

  const none = await admin()
  assert.equal(none.code, 2, none.said)
  assert.match(none.said, /There is no dead-letter queue of the stage prod/)

  const make = async (QueueName: string) => (await sqs.send(new CreateQueueCommand({ QueueName }))).QueueUrl ?? ''
  const functions = await make('berth-prod-service-Undelivered0A1B2C3D-X')
  const schedules = await make('berth-prod-state-TimersUndelivered0A1B2C3D-Y')
  await make('berth-prod2-service-Undelivered0A1B2C3D-Z')

  /** The messages in the queue, hidden ones included. */
  const count = async (QueueUrl: string) => {
    const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
    )
    assert.equal(Attributes.ApproximateNumberOfMessagesNotVisible, '0', 'nothing stays hidden')
    return Number(Attributes.ApproximateNumberOfMessages)
  }
  const send = async (QueueUrl: string, said: object, attributes: Record<string, string> = {}) => {
    const MessageAttributes = Object.fromEntries(
      Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
    )
    return (
      (await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(said), MessageAttributes })))
        .MessageId ?? ''
    )
  }
  const functionArn = arnOf('berth-prod-events')
  const ended = (condition: string) => ({ requestId: 'r', functionArn: `${functionArn}:$LATEST`, condition })
  await send(functions, {
    version: '1.0',
    requestContext: ended('RetriesExhausted'),
    requestPayload: { job: 'sweep' },
    responsePayload: { errorType: 'Error', errorMessage: 'the store is down' },
  })
  await send(functions, {
    version: '1.0',
    requestContext: ended('RetryAttemptsExhausted'),
    DDBStreamBatchInfo: {
      streamArn,
      shardId,
      startSequenceNumber: numbers[1],
      endSequenceNumber: numbers[3],
      batchSize: 2,
    },
  })
  const busArn =
    (await new EventBridgeClient({}).send(new CreateEventBusCommand({ Name: 'berth-prod' }))).EventBusArn ?? ''
  await send(
    schedules,
    { userId: 'usr_1', scheduleId: 'sch_1', dueAt: '<aws.scheduler.scheduled-time>' },
    {
      SCHEDULE_ARN: 'arn:aws:scheduler:us-east-1:123456789012:schedule/berth-prod/sch_1',
      TARGET_ARN: busArn,
      SCHEDULED_TIME: '2026-11-20T12:00:00Z',
      ERROR_CODE: 'AWS.Events.Throttled',
    },
  )
  const junk = await send(functions, { Type: 'Notification' })
  // Events on the bus arrive here.
  const arrived = await make('arrived')
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: arrived, AttributeNames: ['QueueArn'] }),
  )
  const events = new EventBridgeClient({})
  await events.send(
    new PutRuleCommand({ Name: 'all', EventBusName: 'berth-prod', EventPattern: '{"source":["berth"]}' }),
  )
  await events.send(
    new PutTargetsCommand({
      Rule: 'all',
      EventBusName: 'berth-prod',
      Targets: [{ Id: '1', Arn: Attributes?.QueueArn }],
    }),
  )

  const listed = await admin()
  assert.equal(listed.code, 0, listed.said)
  assert.match(listed.said, /the job sweep for berth-prod-events: Error: the store is down/)
  assert.match(
    listed.said,
    /2 changes of berth-prod-state-Tablesevents0A1B2C3D-X for berth-prod-events: RetryAttemptsExhausted/,
  )
  assert.match(listed.said, /the schedule sch_1: AWS.Events.Throttled/)
  assert.match(listed.said, /^4 left/m)
  assert.deepEqual([await count(functions), await count(schedules)], [3, 1])
  console.log('lists what lies in both queues of the stage, and leaves it there')

  faults.broken = true
  const again = await admin('all')
  assert.equal(again.code, 1, again.said)
  assert.match(again.said, /failed again: still broken, token=\[redacted\]/)
  assert.deepEqual([await count(functions), await count(schedules), done], [3, 0, []])
  console.log('what fails again stays, with its first error')

  faults.broken = false
  const repaired = await admin('all')
  assert.equal(repaired.code, 1, 'the message that is none is still there')
  assert.match(repaired.said, /failed again: it cannot be retried from here/)
  const inputs = done.map((input) => JSON.stringify(input) ?? '')
  assert.equal(inputs.filter((input) => input === '{}').length, 1, 'the job ran once')
  assert.deepEqual(inputs.filter((input) => input !== '{}').sort(), [
    '{"after":{"id":"evt_1","count":1}}',
    '{"after":{"id":"evt_2","count":3}}',
  ])
  assert.equal(await count(functions), 1)
  console.log(
    'an invocation and the changes of a stream, those and no others, reach their function again and leave the queue',
  )

  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: arrived }))
  assert.deepEqual(
    Messages.map(({ Body }) => JSON.parse(Body ?? '')).map((event) => [event['detail-type'], event.detail]),
    [['schedule.due', { userId: 'usr_1', scheduleId: 'sch_1', dueAt: '2026-11-20T12:00:00Z' }]],
  )
  console.log('a schedule’s event is on the bus, at the time that it was due')

  const wrong = await admin('drop', 'no-such-id')
  assert.equal(wrong.code, 2)
  assert.equal(await count(functions), 1)
  const dropped = await admin('drop', junk)
  assert.equal(dropped.code, 0, dropped.said)
  assert.equal(await count(functions), 0)
  console.log('what is dropped is gone, and nothing else is')

  await send(functions, {
    version: '1.0',
    requestContext: ended('RetryAttemptsExhausted'),
    DDBStreamBatchInfo: {
      streamArn,
      shardId: 'shardId-gone',
      startSequenceNumber: '1',
      endSequenceNumber: '2',
      batchSize: 1,
    },
  })
  const gone = await admin('all')
  assert.equal(gone.code, 1)
  assert.equal(await count(functions), 1)
  console.log('changes that the stream has forgotten are said to be gone, and stay')
}

const [moto, lambda] = await Promise.all([startMoto(), startLambda()])
try {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: moto.url,
    AWS_ENDPOINT_URL_LAMBDA: lambda.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  })
  await prove()
} finally {
  lambda.close()
  await moto.stop()
}
