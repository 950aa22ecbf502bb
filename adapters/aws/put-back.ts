import {
  type _Record,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams'
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import type { Batch, Undelivered } from '../../domain/operator/undelivered.ts'
import { redact } from '../../domain/redaction.ts'
import { cut } from '../../domain/text.ts'

/** Batch size of the stream's event source mapping. */
const batchSize = 100

/** Maximum number of pages read per batch: many pages of a shard may be empty. */
const mostPages = 1_000

/** Retries a dead letter and waits for the end. @throws with the reason of the failure */
export async function putBack(letter: Undelivered): Promise<void> {
  if (letter.kind === 'unknown') throw new Error('it cannot be retried from here; delete it with "redrive drop"')
  if (letter.kind === 'schedule') return putEvent(letter)
  if (letter.kind === 'invocation') return invoke(letter.functionArn, letter.payload)
  const records = await recordsOf(letter.batch)
  for (let from = 0; from < records.length; from += batchSize)
    await invoke(letter.functionArn, { Records: records.slice(from, from + batchSize) })
}

/** Synchronous, so that a message that fails again stays in the queue with its first error. */
async function invoke(functionArn: string, payload: unknown): Promise<void> {
  const { FunctionError, Payload } = await new LambdaClient({ maxAttempts: 3 }).send(
    new InvokeCommand({ FunctionName: functionArn, Payload: JSON.stringify(payload) }),
  )
  if (!FunctionError) return
  const said = JSON.parse(Buffer.from(Payload ?? []).toString() || '{}') as { errorMessage?: string } // safe because Lambda answers an error as an object
  throw new Error(cut(redact(said.errorMessage ?? FunctionError), 160))
}

async function putEvent({ busArn, detail }: Extract<Undelivered, { kind: 'schedule' }>): Promise<void> {
  const entry = { EventBusName: busArn, Source: 'berth', DetailType: 'schedule.due', Detail: detail }
  const { Entries = [] } = await new EventBridgeClient({ maxAttempts: 3 }).send(
    new PutEventsCommand({ Entries: [entry] }),
  )
  const refused = Entries.find(({ ErrorCode }) => ErrorCode)
  if (refused) throw new Error(`${refused.ErrorCode} ${refused.ErrorMessage}`)
}

/**
 * The records of a batch as Lambda delivers them. The mapping's filter is skipped: functions ignore other records.
 * @throws when the stream no longer has them
 */
async function recordsOf({ streamArn, shardId, startSequenceNumber, endSequenceNumber }: Batch) {
  const streams = new DynamoDBStreamsClient({ maxAttempts: 3 })
  const at = new GetShardIteratorCommand({
    StreamArn: streamArn,
    ShardId: shardId,
    ShardIteratorType: 'AT_SEQUENCE_NUMBER',
    SequenceNumber: startSequenceNumber,
  })
  let { ShardIterator: iterator } = await streams.send(at).catch((error: Error) => {
    if (error.name !== 'TrimmedDataAccessException' && error.name !== 'ResourceNotFoundException') throw error
    throw new Error('its stream keeps changes for a day and has forgotten these')
  })
  const found: _Record[] = []
  const end = BigInt(endSequenceNumber)
  for (let page = 0; iterator && page < mostPages; page++) {
    const { Records = [], NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator: iterator }))
    for (const record of Records) if (sequenceOf(record) <= end) found.push(record)
    const last = Records.at(-1)
    iterator = last && sequenceOf(last) >= end ? undefined : NextShardIterator
  }
  if (found.length === 0) throw new Error('its stream has none of these changes any more')
  return found.map((record) => lambdaRecord(streamArn, record))
}

const sequenceOf = ({ dynamodb }: _Record): bigint => BigInt(dynamodb?.SequenceNumber ?? 0)

/** A stream record in the form of a Lambda event: times in seconds, bytes in base64. */
const lambdaRecord = (streamArn: string, record: _Record) => ({
  ...JSON.parse(JSON.stringify(record, asEvent)),
  eventSourceARN: streamArn,
})

function asEvent(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const given = this[key]
  if (given instanceof Date) return Math.floor(given.getTime() / 1000)
  return given instanceof Uint8Array ? Buffer.from(given).toString('base64') : value
}
