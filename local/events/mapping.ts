/** One event source mapping of the template, and Lambda's handling of its batches. */
import { isDeepStrictEqual } from 'node:util'
import type { Outcome } from '../functions/functions.ts'
import { invokedBy } from '../functions/invoked.ts'
import type { JsonObject } from '../template/json.ts'
import { asList, asObject, asText } from '../template/json.ts'
import type { Resource, Template } from '../template/template.ts'
import { checkPattern, matches } from './pattern.ts'

export interface Mapping {
  functionArn: string
  streamArn: string
  table: string
  batchSize: number
  bisects: boolean
  reportsItems: boolean
  /** Infinite by default, as in Lambda. */
  retries: number
  maxAgeMs: number
  filters: JsonObject[]
}

/** Retention of a stream's records, seconds: the maximum of any mapping. */
const keptSeconds = 86_400

/** @throws for a mapping that the runner does not support */
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
    maxAgeMs: number('MaximumRecordAgeInSeconds', keptSeconds) * 1000,
    filters,
  }
}

/** False for a write that leaves the item unchanged: DynamoDB puts no record into the stream. */
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
  /** Waits before this attempt (from 1); rejects to end the retries. */
  wait(attempt: number): Promise<void>
  /** Receives records after the last retry. */
  giveUp(records: JsonObject[], reason: string): void
}

/** Delivers a batch until it succeeds or is given up. As in Lambda, splitting counts as no attempt. */
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
    // The records before the first failure are done. The remaining ones start with new attempts.
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

/** Index of the first failed record; undefined if all are done. */
function firstFailed({ reportsItems }: Mapping, batch: JsonObject[], outcome: Outcome): number | undefined {
  if (!outcome.ok) return 0
  const failures = reportsItems ? asList(asObject(outcome.payload).batchItemFailures) : []
  if (failures.length === 0) return undefined
  const indexes = failures.map((failure) =>
    batch.findIndex((record) => sequenceOf(record) === asText(asObject(failure).itemIdentifier, ' ')),
  )
  // An identifier outside of the batch fails all of it.
  return Math.max(0, Math.min(...indexes))
}
