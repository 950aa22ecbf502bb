import * as z from 'zod'
import { parseJson } from '../json.ts'
import { redact } from '../redaction.ts'
import { cut } from '../text.ts'

interface Message {
  body: string
  /** Only text attributes. */
  attributes: Readonly<Record<string, string>>
}

/** Failed work by the part that gave up: each has another way to retry. */
export type Undelivered = {
  /** In words, without a value of a user's. */
  what: string
  error: string
} & Way

type Way =
  | { kind: 'invocation'; functionArn: string; payload: unknown }
  | { kind: 'changes'; functionArn: string; batch: Batch }
  | { kind: 'schedule'; busArn: string; detail: string }
  | { kind: 'unknown' }

const batch = z.object({
  streamArn: z.string(),
  shardId: z.string(),
  startSequenceNumber: z.string(),
  endSequenceNumber: z.string(),
  batchSize: z.int(),
})
/** The place of changes in a table's stream, which keeps them for a day. */
export type Batch = z.infer<typeof batch>

/** Lambda's record of a permanent failure; one of a stream has the place of the records instead of their content. */
const failure = z.object({
  requestContext: z.object({ functionArn: z.string(), condition: z.string() }),
  responsePayload: z.object({ errorMessage: z.string().optional(), errorType: z.string().optional() }).nullish(),
  requestPayload: z.unknown().optional(),
  DDBStreamBatchInfo: batch.optional(),
})

const starter = z.union([
  z.object({ job: z.string() }).transform(({ job }) => `the job ${job}`),
  z.object({ 'detail-type': z.string() }).transform((event) => `the event ${event['detail-type']}`),
])

/** Reads a dead-letter queue's message. Never throws. */
export function readMessage({ body, attributes }: Message): Undelivered {
  const payload = parseJson(body)
  const lambda = failure.safeParse(payload)
  if (lambda.success) return ofLambda(lambda.data)
  const { SCHEDULE_ARN, TARGET_ARN, RULE_ARN, ERROR_CODE = '', ERROR_MESSAGE = '' } = attributes
  const error = shortened(`${ERROR_CODE} ${ERROR_MESSAGE}`)
  if (SCHEDULE_ARN && TARGET_ARN)
    return {
      kind: 'schedule',
      what: `the schedule ${lastOf(SCHEDULE_ARN)}`,
      error,
      busArn: TARGET_ARN,
      detail: body.replaceAll('<aws.scheduler.scheduled-time>', attributes.SCHEDULED_TIME ?? ''),
    }
  if (RULE_ARN && TARGET_ARN)
    return {
      kind: 'invocation',
      what: `${started(payload)} for ${nameOf(TARGET_ARN)}`,
      error,
      functionArn: TARGET_ARN,
      payload,
    }
  return { kind: 'unknown', what: 'a message of another kind, such as an alarm’s mail', error }
}

function ofLambda({
  requestContext,
  responsePayload,
  requestPayload,
  DDBStreamBatchInfo,
}: z.infer<typeof failure>): Undelivered {
  const { functionArn: qualified, condition } = requestContext
  // An alias stays; the failed version does not.
  const functionArn = qualified.replace(/:\$LATEST$/, '')
  const { errorType = condition, errorMessage = 'its log says why' } = responsePayload ?? {}
  const error = shortened(`${errorType}: ${errorMessage}`)
  if (!DDBStreamBatchInfo)
    return {
      kind: 'invocation',
      what: `${started(requestPayload)} for ${nameOf(functionArn)}`,
      error,
      functionArn,
      payload: requestPayload,
    }
  const { streamArn, batchSize } = DDBStreamBatchInfo
  const table = streamArn.split('/')[1]
  return {
    kind: 'changes',
    what: `${batchSize} changes of ${table} for ${nameOf(functionArn)}`,
    error,
    functionArn,
    batch: DDBStreamBatchInfo,
  }
}

const started = (payload: unknown): string => starter.catch('something').parse(payload)

/** Redacted, because an error may quote its input. */
const shortened = (text: string): string => cut(redact(text).replace(/\s+/g, ' ').trim(), 160)

const nameOf = (functionArn: string): string => functionArn.split(':')[6] ?? functionArn

const lastOf = (arn: string): string => arn.split('/').at(-1) ?? arn
