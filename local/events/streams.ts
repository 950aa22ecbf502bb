/** The template's event source mappings: they deliver records of tables' streams to functions, in order. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { StateFile } from '../../emulators/kit/state-file.ts'
import { openState } from '../../emulators/kit/state-file.ts'
import { DynamoError, dynamo } from '../dynamodb/tables.ts'
import type { Functions } from '../functions/functions.ts'
import { nameIn } from '../functions/invoked.ts'
import { messageOf } from '../start/problem.ts'
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

export interface StreamSources {
  /** Finds the current end of each stream. Later writes are delivered. */
  open(): Promise<void>
  start(): void
  /** A function started, so writes may follow. @returns a function that reports its end */
  wake(): () => void
  /** Stops reading, and waits at most 2 s for current deliveries. */
  stop(): Promise<void>
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

export function createStreamSources({
  template,
  functions,
  endpoint,
  file,
  log,
  mayRead,
  ...given
}: Options): StreamSources {
  const times = { ...timing, ...given.timing }
  const mappings = template
    .ofType('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => properties.Enabled !== false)
    .map((resource) => readMapping(resource, template))
    .filter(({ functionArn, streamArn }) => mayRead?.(functionArn, streamArn) ?? true)
  const stopping = new AbortController()
  const { signal } = stopping
  const sleepers = new Set<() => void>()
  let positions: StateFile<Positions> | undefined
  let readers: Reader[] = []
  let reading: Promise<unknown> = Promise.resolve()
  let running = 0
  let lastRunMs = 0

  const streams = (operation: string, input: JsonObject) =>
    dynamo(endpoint, operation, input, 'DynamoDBStreams_20120810')

  const openReaders = async (mapping: Mapping, known: Positions): Promise<Reader[]> => {
    const { Table } = await dynamo(endpoint, 'DescribeTable', { TableName: mapping.table })
    const StreamArn = asText(asObject(Table).LatestStreamArn)
    const { StreamDescription } = await streams('DescribeStream', { StreamArn })
    const shards = asList(asObject(StreamDescription).Shards).map((shard) => asText(asObject(shard).ShardId))
    const iterator = async (input: JsonObject) =>
      asText((await streams('GetShardIterator', { StreamArn, ...input })).ShardIterator)
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

  const delivery = ({ mapping }: Reader): Delivery => ({
    invoke: (Records) => functions.invoke(mapping.functionArn, { Records }),
    wait: (attempt) =>
      sleep(Math.min(times.firstRetryMs * 2 ** (attempt - 1), times.lastRetryMs), undefined, { signal }),
    giveUp: (records, reason) =>
      log(
        `${nameIn(mapping.functionArn)} gave up ${records.length} records of ${mapping.table}, ` +
          `${sequenceOf(records[0])} to ${sequenceOf(records.at(-1))}: ${reason}`,
      ),
  })

  /** Delivers batches one after another. The position is that of the last finished batch. */
  const handOver = async (reader: Reader, records: JsonObject[]) => {
    const { mapping, key } = reader
    const wanted = records
      .filter(isChange)
      .map((record) => lambdaRecord(mapping, record))
      .filter((record) => passes(mapping, record))
    const done = (record: JsonObject | undefined) => {
      if (positions) positions.value[key] = { sequence: sequenceOf(record) }
    }
    for (let at = 0; at < wanted.length; at += mapping.batchSize) {
      const batch = wanted.slice(at, at + mapping.batchSize)
      await deliver(mapping, batch, delivery(reader))
      done(batch.at(-1))
      positions?.save()
    }
    // Positions of unwanted pages are not saved, because a second read does no harm.
    done(records.at(-1))
  }

  const nextPage = (reader: Reader): Promise<JsonObject> =>
    streams('GetRecords', { ShardIterator: reader.iterator, Limit: pageSize })

  /** Reads from the last position; if that has expired, from the oldest record, as Lambda does. */
  const page = (reader: Reader): Promise<JsonObject> =>
    nextPage(reader).catch(async (error) => {
      if (!(error instanceof DynamoError && error.name === 'TrimmedDataAccessException')) throw error
      reader.iterator = await reader.oldest()
      return nextPage(reader)
    })

  const read = async (reader: Reader) => {
    let lastRecordMs = 0
    let failing = false
    while (!signal.aborted) {
      try {
        const { Records, NextShardIterator } = await page(reader)
        const records = asList(Records).map(asObject)
        if (records.length > 0) {
          await handOver(reader, records)
          reader.iterator = asText(NextShardIterator)
          lastRecordMs = Date.now()
        }
        failing = false
      } catch (error) {
        if (signal.aborted) return
        if (!failing) log(`The stream of ${reader.mapping.table} cannot be read: ${messageOf(error)}`)
        failing = true
      }
      await pause(lastRecordMs)
    }
  }

  const pause = async (lastRecordMs: number) => {
    const since = Date.now() - times.restAfterMs
    if (lastRecordMs > since) return sleep(times.busyMs)
    if (running > 0 || lastRunMs > since) return sleep(times.awakeMs)
    await new Promise<void>((resolve) => {
      const sleeper = () => {
        clearTimeout(timer)
        sleepers.delete(sleeper)
        resolve()
      }
      const timer = setTimeout(sleeper, times.restMs)
      sleepers.add(sleeper)
    })
  }
  const rouse = () => {
    for (const sleeper of [...sleepers]) sleeper()
  }

  return {
    open: async () => {
      positions = openState(file, z.record(z.string(), Position), {}, saveEvery)
      const known = positions.value
      readers = (await Promise.all(mappings.map((mapping) => openReaders(mapping, known)))).flat()
      positions.save()
    },
    start: () => {
      reading = Promise.all(readers.map(read))
    },
    wake: () => {
      running += 1
      rouse()
      return () => {
        running -= 1
        lastRunMs = Date.now()
      }
    },
    stop: async () => {
      stopping.abort()
      rouse()
      await Promise.race([reading, sleep(stopTimeoutMs, undefined, { ref: false })])
      positions?.save()
      positions?.flush()
      // A longer delivery is repeated by the next reader.
      positions = undefined
    },
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
