import { readMessage } from '../../../domain/operator/undelivered.ts'

const functionArn = 'arn:aws:lambda:eu-central-1:123456789012:function:berth-prod-webhook-queue'
const context = { requestId: '8a5d', condition: 'RetriesExhausted', approximateInvokeCount: 3 }
const responseContext = { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' }

/** What Lambda sends to the destination of an event that it gave up. */
const invocation = (requestPayload: object, errorMessage = 'no') => ({
  version: '1.0',
  timestamp: '2026-11-20T12:00:00.000Z',
  requestContext: { ...context, functionArn: `${functionArn}:$LATEST` },
  requestPayload,
  responseContext,
  responsePayload: { errorType: 'Error', errorMessage, trace: ['Error: at /var/task/index.js:1:1'] },
})

const read = (said: unknown, attributes: Record<string, string> = {}) =>
  readMessage({ body: typeof said === 'string' ? said : JSON.stringify(said), attributes })

describe('a dead letter', () => {
  test('of a function is what it was started with, for the same function', () => {
    const payload = { source: 'berth', 'detail-type': 'instance.wanted', detail: { userId: 'usr_1', note: 'private' } }
    const letter = read(invocation(payload, 'key=abcdef of a@example.com'))
    expect(letter).toEqual({
      kind: 'invocation',
      what: 'the event instance.wanted for berth-prod-webhook-queue',
      error: 'Error: key=[redacted] of [redacted]',
      functionArn,
      payload,
    })
    expect(read(invocation({ job: 'sweep' })).what).toBe('the job sweep for berth-prod-webhook-queue')
  })

  test('of an alias goes back to that alias', () => {
    const said = invocation({ job: 'sweep' })
    const aliased = { ...said, requestContext: { ...said.requestContext, functionArn: `${functionArn}:live` } }
    expect(read(aliased)).toMatchObject({ functionArn: `${functionArn}:live` })
  })

  test('of a stream is where its changes are', () => {
    const DDBStreamBatchInfo = {
      shardId: 'shardId-00000001573689847184-864758bb',
      startSequenceNumber: '800000000003126276362',
      endSequenceNumber: '800000000003126276369',
      approximateArrivalOfFirstRecord: '2026-11-20T12:00:00Z',
      approximateArrivalOfLastRecord: '2026-11-20T12:00:01Z',
      batchSize: 2,
      streamArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/events/stream/2026-11-14T00:13:19.377',
    }
    const requestContext = { ...context, functionArn, condition: 'RetryAttemptsExhausted' }
    expect(read({ requestContext, responseContext, version: '1.0', DDBStreamBatchInfo })).toMatchObject({
      kind: 'changes',
      what: '2 changes of events for berth-prod-webhook-queue',
      error: 'RetryAttemptsExhausted: its log says why',
      batch: { shardId: DDBStreamBatchInfo.shardId, startSequenceNumber: '800000000003126276362' },
    })
  })

  test('of a rule is its event, for its target', () => {
    const event = { source: 'aws.ecs', 'detail-type': 'ECS Task State Change', detail: { secret: 'x' } }
    const attributes = {
      RULE_ARN: 'arn:r',
      TARGET_ARN: functionArn,
      ERROR_CODE: 'NO_PERMISSIONS',
      ERROR_MESSAGE: 'may not',
    }
    expect(read(event, attributes)).toEqual({
      kind: 'invocation',
      what: 'the event ECS Task State Change for berth-prod-webhook-queue',
      error: 'NO_PERMISSIONS may not',
      functionArn,
      payload: event,
    })
  })

  test('of a schedule is its event, at the time that it was due', () => {
    const attributes = {
      SCHEDULE_ARN: 'arn:aws:scheduler:eu-central-1:123456789012:schedule/berth-prod/sch_1',
      TARGET_ARN: 'arn:aws:events:eu-central-1:123456789012:event-bus/berth-prod',
      SCHEDULED_TIME: '2026-11-20T12:00:00Z',
      ERROR_CODE: 'AWS.Events.Throttled',
    }
    const letter = read('{"userId":"usr_1","dueAt":"<aws.scheduler.scheduled-time>"}', attributes)
    expect(letter).toMatchObject({ kind: 'schedule', what: 'the schedule sch_1', busArn: attributes.TARGET_ARN })
    expect(letter).toHaveProperty('detail', '{"userId":"usr_1","dueAt":"2026-11-20T12:00:00Z"}')
  })

  test.each(['', 'no JSON', '{}', 'null', '[]', '{"Type":"Notification","Message":"ALARM"}'])(
    'that is none: %s',
    (body) => {
      expect(read(body)).toMatchObject({ kind: 'unknown' })
    },
  )

  test('says nothing of what a user wrote, whatever it is', () => {
    const payload = { source: 'berth', 'detail-type': 'thing', detail: { text: 'my diary', token: 'oss_0123456789' } }
    const shown = [read(invocation(payload)), read(payload, { RULE_ARN: 'arn:r', TARGET_ARN: functionArn })]
    for (const { what, error } of shown) expect(`${what} ${error}`).not.toMatch(/diary|oss_/)
  })
})
