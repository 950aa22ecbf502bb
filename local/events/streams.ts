/** The template's event source mappings: they deliver records of tables' streams to functions, in order. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { StateFile } from '../../emulators/kit/state-file.ts'
import { openState } from '../../emulators/kit/state-file.ts'
import { DynamoError, dynamo } from '../dynamodb/tables.ts'
import type { Functions } from '../functions/functions.ts'
import { nameIn } from '../functions/invoked.ts'
import { messageOf } from '../kit/problem.ts'
import type { JsonObject } from '../template/json.ts'
import { asList, asObject, asText } from '../template/json.ts'
import { region } from '../template/resource-types.ts'
import type { Template } from '../template/template.ts'
import type { Delivery, Mapping } from './mapping.ts'
import { deliver, isChange, passes, readMapping, sequenceOf } from './mapping.ts'

/** Milliseconds. */
const timing = {
  /** Interval of polling a busy stream, of all streams while functions run, and at rest. */
  busyMs: 25,
  awakeMs: 50,
  restMs: 500,
  /** Time from the last record or function until rest. */
  restAfterMs: 5000,
  /** The first wait before a retry; each next one doubles, up to the last. */
  firstRetryMs: 50,
  lastRetryMs: 2000,
}

interface Options {
  template: Template
  functions: Functions
  endpoint: string
  /** Stores the positions of streams for the next start, because a mapping in the cloud keeps its position too. */
  file: string
  log(line: string): void
  timing?: Partial<typeof timing>
  /** Whether a function's role may read a stream; otherwise the stream does not invoke it. */
  mayRead?: (functionArn: string, streamArn: string) => boolean
}

/** Before the first record, only an iterator marks the position. */
const Position = z.union([z.object({ sequence: z.string() }), z.object({ iterator: z.string() })])
type Positions = Record<string, z.infer<typeof Position>>

interface Reader {
  mapping: Mapping
  /** The engine's stream, the shard and the function. */
  key: string
  iterator: string
  /** An iterator at the oldest record. */
  oldest(): Promise<string>
}

/** Maximum of GetRecords. */
const pageSize = 1000
const stopTimeoutMs = 2000
/** Interval of saving positions, ms. After a crash, later records are delivered again, as in the cloud. */
const saveEvery = 100

export class StreamSources {
  readonly #options: Options
  readonly #times: typeof timing
  readonly #mappings: Mapping[]
  readonly #stopping = new AbortController()
  readonly #sleepers = new Set<() => void>()
  #positions: StateFile<Positions> | undefined
  #readers: Reader[] = []
  #reading: Promise<unknown> = Promise.resolve()
  #running = 0
  #lastRunMs = 0

  constructor(options: Options) {
    const { template, mayRead } = options
    this.#options = options
    this.#times = { ...timing, ...options.timing }
    this.#mappings = template
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(({ properties }) => properties.Enabled !== false)
      .map((resource) => readMapping(resource, template))
      .filter(({ functionArn, streamArn }) => mayRead?.(functionArn, streamArn) ?? true)
  }

  /** Finds the current end of each stream. Later writes are delivered. */
  async open(): Promise<void> {
    const positions = openState(this.#options.file, z.record(z.string(), Position), {}, saveEvery)
    this.#positions = positions
    const opening = this.#mappings.map((mapping) => this.#openReaders(mapping, positions.value))
    this.#readers = (await Promise.all(opening)).flat()
    positions.save()
  }

  start(): void {
    this.#reading = Promise.all(this.#readers.map((reader) => this.#read(reader)))
  }

  /** A function started, so writes may follow. @returns a function that reports its end */
  wake(): () => void {
    this.#running += 1
    this.#rouse()
    return () => {
      this.#running -= 1
      this.#lastRunMs = Date.now()
    }
  }

  /** Stops reading, and waits at most 2 s for current deliveries. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#rouse()
    await Promise.race([this.#reading, sleep(stopTimeoutMs, undefined, { ref: false })])
    this.#positions?.save()
    this.#positions?.flush()
    // A longer delivery is repeated by the next reader.
    this.#positions = undefined
  }

  async #openReaders(mapping: Mapping, known: Positions): Promise<Reader[]> {
    const { Table } = await dynamo(this.#options.endpoint, 'DescribeTable', { TableName: mapping.table })
    const StreamArn = asText(asObject(Table).LatestStreamArn)
    const { StreamDescription } = await this.#streams('DescribeStream', { StreamArn })
    const shards = asList(asObject(StreamDescription).Shards).map((shard) => asText(asObject(shard).ShardId))
    const iterator = async (input: JsonObject) =>
      asText((await this.#streams('GetShardIterator', { StreamArn, ...input })).ShardIterator)
    return Promise.all(
      shards.map(async (ShardId) => {
        // The stream's ARN contains its creation time, so a new table does not get an old position.
        const key = `${StreamArn} ${ShardId} ${mapping.functionArn}`
        const at = known[key] ?? { iterator: await iterator({ ShardId, ShardIteratorType: 'LATEST' }) }
        known[key] = at
        const oldest = () => iterator({ ShardId, ShardIteratorType: 'TRIM_HORIZON' })
        if ('iterator' in at) return { mapping, key, iterator: at.iterator, oldest }
        const after = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: at.sequence }
        return { mapping, key, iterator: await iterator({ ShardId, ...after }), oldest }
      }),
    )
  }

  async #read(reader: Reader): Promise<void> {
    const { signal } = this.#stopping
    let lastRecordMs = 0
    let failing = false
    while (!signal.aborted) {
      try {
        const { Records, NextShardIterator } = await this.#page(reader)
        const records = asList(Records).map(asObject)
        if (records.length > 0) {
          await this.#handOver(reader, records)
          reader.iterator = asText(NextShardIterator)
          lastRecordMs = Date.now()
        }
        failing = false
      } catch (error) {
        if (signal.aborted) return
        if (!failing) this.#options.log(`The stream of ${reader.mapping.table} cannot be read: ${messageOf(error)}`)
        failing = true
      }
      await this.#pause(lastRecordMs)
    }
  }

  /** Reads from the last position; if that has expired, from the oldest record, as Lambda does. */
  #page(reader: Reader): Promise<JsonObject> {
    const next = () => this.#streams('GetRecords', { ShardIterator: reader.iterator, Limit: pageSize })
    return next().catch(async (error) => {
      if (!(error instanceof DynamoError && error.name === 'TrimmedDataAccessException')) throw error
      reader.iterator = await reader.oldest()
      return next()
    })
  }

  #streams(operation: string, input: JsonObject): Promise<JsonObject> {
    return dynamo(this.#options.endpoint, operation, input, 'DynamoDBStreams_20120810')
  }

  /** Delivers batches one after another. The position is that of the last finished batch. */
  async #handOver(reader: Reader, records: JsonObject[]): Promise<void> {
    const { mapping, key } = reader
    const wanted = records
      .filter(isChange)
      .map((record) => lambdaRecord(mapping, record))
      .filter((record) => passes(mapping, record))
    const done = (record: JsonObject | undefined) => {
      if (this.#positions) this.#positions.value[key] = { sequence: sequenceOf(record) }
    }
    for (let at = 0; at < wanted.length; at += mapping.batchSize) {
      const batch = wanted.slice(at, at + mapping.batchSize)
      await deliver(mapping, batch, this.#delivery(mapping))
      done(batch.at(-1))
      this.#positions?.save()
    }
    // Positions of unwanted pages are not saved, because a second read does no harm.
    done(records.at(-1))
  }

  #delivery({ functionArn, table }: Mapping): Delivery {
    const { functions, log } = this.#options
    const { firstRetryMs, lastRetryMs } = this.#times
    const { signal } = this.#stopping
    return {
      invoke: (Records) => functions.invoke(functionArn, { Records }),
      wait: (attempt) => sleep(Math.min(firstRetryMs * 2 ** (attempt - 1), lastRetryMs), undefined, { signal }),
      giveUp: (records, reason) =>
        log(
          `${nameIn(functionArn)} gave up ${records.length} records of ${table}, ` +
            `${sequenceOf(records[0])} to ${sequenceOf(records.at(-1))}: ${reason}`,
        ),
    }
  }

  async #pause(lastRecordMs: number): Promise<void> {
    const { restAfterMs, busyMs, awakeMs, restMs } = this.#times
    const since = Date.now() - restAfterMs
    if (lastRecordMs > since) return sleep(busyMs)
    if (this.#running > 0 || this.#lastRunMs > since) return sleep(awakeMs)
    await new Promise<void>((resolve) => {
      const sleeper = () => {
        clearTimeout(timer)
        this.#sleepers.delete(sleeper)
        resolve()
      }
      const timer = setTimeout(sleeper, restMs)
      this.#sleepers.add(sleeper)
    })
  }

  #rouse(): void {
    for (const sleeper of [...this.#sleepers]) sleeper()
  }
}

function lambdaRecord({ streamArn }: Mapping, record: JsonObject): JsonObject {
  return {
    ...record,
    eventID: createHash('md5')
      .update(`${streamArn}/${sequenceOf(record)}`)
      .digest('hex'),
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: region,
    eventSourceARN: streamArn,
  }
}
