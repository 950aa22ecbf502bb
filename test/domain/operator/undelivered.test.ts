import { readMessage } from '../../../domain/operator/undelivered.ts'

const functionArn = 'arn:aws:lambda:eu-central-1:123456789012:function:berth-prod-webhook-queue'
const context = { requestId: '8a5d', condition: 'RetriesExhausted', approximateInvokeCount: 3 }
const responseContext = { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' }

/** Lambda's message to the failure destination of an event. */
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
  test('from a function has the original event and the same function', () => {
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

  test('from an alias returns to that alias', () => {
    const said = invocation({ job: 'sweep' })
    const aliased = { ...said, requestContext: { ...said.requestContext, functionArn: `${functionArn}:live` } }
    expect(read(aliased)).toMatchObject({ functionArn: `${functionArn}:live` })
  })

  test('from a stream has the position of its changes', () => {
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

  test('from a rule has its event and its target', () => {
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

  test('from a schedule has its event with the original time', () => {
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
    'is not recognised: %s',
    (body) => {
      expect(read(body)).toMatchObject({ kind: 'unknown' })
    },
  )

  test('reveals no text of a user, whatever its kind', () => {
    const payload = { source: 'berth', 'detail-type': 'thing', detail: { text: 'my diary', token: 'oss_0123456789' } }
    const shown = [read(invocation(payload)), read(payload, { RULE_ARN: 'arn:r', TARGET_ARN: functionArn })]
    for (const { what, error } of shown) expect(`${what} ${error}`).not.toMatch(/diary|oss_/)
  })
})
