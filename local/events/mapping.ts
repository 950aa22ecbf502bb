/** One event source mapping of the template, read, and what Lambda does with the records of one of its batches. */
import { isDeepStrictEqual } from 'node:util'
import type { Outcome } from '../functions.ts'
import { invokedBy } from '../invoked.ts'
import type { JsonObject } from '../json.ts'
import { asList, asObject, asText } from '../json.ts'
import type { Resource, Template } from '../template.ts'
import { checkPattern, matches } from './pattern.ts'

export interface Mapping {
  functionArn: string
  streamArn: string
  table: string
  batchSize: number
  bisects: boolean
  reportsItems: boolean
  /** Infinite if the template says nothing, as in Lambda. */
  retries: number
  /** Milliseconds. */
  maxAgeMs: number
  filters: JsonObject[]
}

/** How long the stream keeps a record, in seconds: no mapping tries longer. */
const KEPT_SECONDS = 86_400

/** Throws for what the runner cannot run of it. */
export function readMapping({ logicalId, properties }: Resource, template: Template): Mapping {
  const { EventSourceArn, FilterCriteria, FunctionName, StartingPosition, TumblingWindowInSeconds } = properties
  const streamArn = asText(EventSourceArn)
  const table = template
    .ofType('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable')
    .find(({ arn, properties }) => streamArn.startsWith(`${arn}/stream/`) && properties.StreamSpecification)
  if (!table) throw new Error(`${logicalId} reads ${streamArn}, which is no stream of the template's tables`)
  if (StartingPosition !== 'LATEST' || TumblingWindowInSeconds !== undefined) {
    throw new Error(`${logicalId}: a mapping here starts at LATEST and has no tumbling window`)
  }
  const invoked = invokedBy(template, asText(FunctionName))
  if (!invoked) throw new Error(`${logicalId} invokes ${asText(FunctionName)}, which is no function of the template`)
  const filters = asList(asObject(FilterCriteria).Filters).map((filter) =>
    asObject(JSON.parse(asText(asObject(filter).Pattern, '{}'))),
  )
  for (const filter of filters) checkPattern(filter)
  const number = (key: string, otherwise: number) => {
    const value = Number(asText(properties[key], '-1'))
    return value < 0 ? otherwise : value
  }
  return {
    functionArn: invoked.arn,
    streamArn,
    table: table.name,
    batchSize: number('BatchSize', 100),
    bisects: properties.BisectBatchOnFunctionError === true,
    reportsItems: asList(properties.FunctionResponseTypes).includes('ReportBatchItemFailures'),
    retries: number('MaximumRetryAttempts', Number.POSITIVE_INFINITY),
    maxAgeMs: number('MaximumRecordAgeInSeconds', KEPT_SECONDS) * 1000,
    filters,
  }
}

/** Whether DynamoDB would have written this record: not for a write that leaves the item as it was. */
export function isChange(record: JsonObject): boolean {
  const { NewImage, OldImage } = asObject(record.dynamodb)
  return NewImage === undefined || !isDeepStrictEqual(NewImage, OldImage)
}

export function passes({ filters }: Mapping, record: JsonObject): boolean {
  return filters.length === 0 || filters.some((filter) => matches(filter, record))
}

export function sequenceOf(record: JsonObject | undefined): string {
  return asText(asObject(record?.dynamodb).SequenceNumber)
}

export interface Delivery {
  invoke(records: JsonObject[]): Promise<Outcome>
  /** Waits before the attempt of this number, counted from 1; rejects when nothing more is to be tried. */
  wait(attempt: number): Promise<void>
  /** Receives records that are not retried. */
  giveUp(records: JsonObject[], reason: string): void
}

/** Hands over a batch until it is taken or given up. Splitting one is no attempt, as in Lambda. */
export async function deliver(mapping: Mapping, records: JsonObject[], delivery: Delivery, tried = 0): Promise<void> {
  let batch = records
  for (let attempt = tried; ; attempt++) {
    const isOld = (record: JsonObject) => ageMs(record) > mapping.maxAgeMs
    const old = batch.filter(isOld)
    if (old.length > 0) delivery.giveUp(old, `older than ${mapping.maxAgeMs / 1000} s`)
    batch = batch.filter((record) => !isOld(record))
    if (batch.length === 0) return
    const outcome = await delivery.invoke(batch)
    const failed = firstFailed(mapping, batch, outcome)
    if (failed === undefined) return
    // Those before the first that failed are done; the attempts are those of what is left.
    if (failed > 0) attempt = 0
    batch = batch.slice(failed)
    if (mapping.bisects && batch.length > 1 && !outcome.ok) {
      await delivery.wait(attempt + 1)
      const middle = Math.ceil(batch.length / 2)
      await deliver(mapping, batch.slice(0, middle), delivery, attempt)
      return deliver(mapping, batch.slice(middle), delivery, attempt)
    }
    if (attempt >= mapping.retries) {
      return delivery.giveUp(batch, outcome.ok ? 'the function reported them' : outcome.error.errorMessage)
    }
    await delivery.wait(attempt + 1)
  }
}

function ageMs(record: JsonObject): number {
  return Date.now() - Number(asObject(record.dynamodb).ApproximateCreationDateTime) * 1000
}

/** Index of the record from which on the batch failed; undefined if all of it is done. */
function firstFailed({ reportsItems }: Mapping, batch: JsonObject[], outcome: Outcome): number | undefined {
  if (!outcome.ok) return 0
  const failures = reportsItems ? asList(asObject(outcome.payload).batchItemFailures) : []
  if (failures.length === 0) return undefined
  const indexes = failures.map((failure) =>
    batch.findIndex((record) => sequenceOf(record) === asText(asObject(failure).itemIdentifier, ' ')),
  )
  // An identifier that is none of the batch fails all of it.
  return Math.max(0, Math.min(...indexes))
}
