import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '../../local/dynamodb/engine.ts'
import { startEngine } from '../../local/dynamodb/engine.ts'
import { createTables, dynamo } from '../../local/dynamodb/tables.ts'
import { StreamSources } from '../../local/events/streams.ts'
import type { Functions, Outcome } from '../../local/functions/functions.ts'
import type { JsonObject } from '../../local/template/json.ts'
import type { Template } from '../../local/template/template.ts'
import { readTemplate } from '../../local/template/template.ts'
import { until } from '../until.ts'
import { lambda, temporaryFolder, writeAssembly } from './assembly.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks into events whose shape it asserts
type Event = any

const table = (TableName: string, stream = true): JsonObject => ({
  Type: 'AWS::DynamoDB::GlobalTable',
  Properties: {
    TableName,
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    ...(stream && { StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' } }),
  },
})
const mapping = (more: JsonObject = {}): JsonObject => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: {
    EventSourceArn: { 'Fn::GetAtt': ['T', 'StreamArn'] },
    FunctionName: { Ref: 'Fn' },
    StartingPosition: 'LATEST',
    ...more,
  },
})
const filter = (...patterns: JsonObject[]): JsonObject => ({
  FilterCriteria: { Filters: patterns.map((pattern) => ({ Pattern: JSON.stringify(pattern) })) },
})
const templateOf = (name: string, more: JsonObject = {}): Template =>
  readTemplate(
    writeAssembly({ S: { resources: { Fn: lambda('one'), T: table(name), M: mapping(more) } } }, { one: '' }),
  )

const dataDir = temporaryFolder()
let engine: Engine
let open: StreamSources[] = []
let tables = 0

beforeAll(async () => {
  mkdirSync(join(dataDir, 'data'))
  mkdirSync(join(dataDir, 'logs'))
  engine = await startEngine(join(import.meta.dirname, '../..'), dataDir, () => {})
})
afterEach(async () => {
  for (const sources of open) await sources.stop()
  open = []
})
afterAll(() => engine.stop())

/** Reads the stream of its own table; `answer` returns the function's answer to each batch. */
async function setUp(more: JsonObject = {}, answer: (ids: string[]) => unknown = () => null) {
  tables += 1
  const name = `table-${tables}`
  const template = templateOf(name, more)
  await createTables(engine.endpoint, template)
  const events: Event[] = []
  const lines: string[] = []
  const file = join(temporaryFolder(), 'streams.json')
  const functions: Functions = {
    has: () => true,
    invoke: async (_, event: Event): Promise<Outcome> => {
      events.push(event)
      try {
        return { ok: true, payload: await answer(idsOf(event)) }
      } catch (error) {
        return { ok: false, error: { errorType: 'Error', errorMessage: String(error) } }
      }
    },
    invokeStreaming: () => {
      throw new Error('not used')
    },
  }
  const start = async (timing = {}) => {
    const sources = new StreamSources({
      template,
      functions,
      endpoint: engine.endpoint,
      file,
      log: (line) => lines.push(line),
      timing: { firstRetryMs: 1, lastRetryMs: 4, ...timing },
    })
    open.push(sources)
    await sources.open()
    return sources
  }
  const put = (id: string, attributes: JsonObject = {}) =>
    dynamo(engine.endpoint, 'PutItem', { TableName: name, Item: { id: { S: id }, ...attributes } })
  const batches = () => events.map(idsOf)
  return { name, template, events, lines, start, put, batches, seen: () => batches().flat() }
}

function idsOf({ Records }: Event): string[] {
  return Records.map((record: Event) => record.dynamodb.Keys.id.S)
}
const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}`)

describe('a record', () => {
  test('has the shape of Lambda’s events', async () => {
    const { name, events, start, put } = await setUp()
    const sources = await start()
    await put('a', { n: { N: '1' } })
    await put('a', { n: { N: '2' } })
    await dynamo(engine.endpoint, 'DeleteItem', { TableName: name, Key: { id: { S: 'a' } } })
    sources.start()
    await until(() => events.flatMap(({ Records }) => Records).length === 3)
    const records = events.flatMap(({ Records }) => Records)
    expect(records.map(({ eventName }) => eventName)).toEqual(['INSERT', 'MODIFY', 'REMOVE'])
    expect(new Set(records.map(({ eventID }) => eventID)).size).toBe(3)
    expect(records[1]).toEqual({
      eventID: expect.stringMatching(/^[0-9a-f]{32}$/),
      eventName: 'MODIFY',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      eventSourceARN: expect.stringMatching(`^arn:aws:dynamodb:us-east-1:000000000000:table/${name}/stream/`),
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { id: { S: 'a' } },
        NewImage: { id: { S: 'a' }, n: { N: '2' } },
        OldImage: { id: { S: 'a' }, n: { N: '1' } },
        SequenceNumber: expect.any(String),
        SizeBytes: expect.any(Number),
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    })
  })

  test('is missing for a write that changes nothing, and for writes before the start', async () => {
    const { start, put, seen } = await setUp()
    await put('before')
    const sources = await start()
    await put('a', { n: { N: '1' } })
    await put('a', { n: { N: '1' } })
    await put('b')
    sources.start()
    await until(() => seen().includes('b'))
    expect(seen()).toEqual(['a', 'b'])
  })

  test('from a transaction arrives with the others of that transaction, in order', async () => {
    const { name, start, seen } = await setUp()
    const sources = await start()
    sources.start()
    const Put = (id: string) => ({ Put: { TableName: name, Item: { id: { S: id } } } })
    await dynamo(engine.endpoint, 'TransactWriteItems', { TransactItems: ['x', 'y', 'z'].map(Put) })
    await until(() => seen().length === 3)
    expect(seen()).toEqual(['x', 'y', 'z'])
  })
})

describe('filters', () => {
  test('start no function for records that match none of them', async () => {
    const { start, put, batches } = await setUp(
      filter(
        { eventName: ['INSERT'], dynamodb: { Keys: { id: { S: [{ prefix: 'c#' }] } } } },
        {
          dynamodb: { NewImage: { urgent: { BOOL: [{ exists: true }] } } },
        },
      ),
    )
    const sources = await start()
    await put('c#1')
    await put('c#1', { n: { N: '1' } })
    await put('d#1')
    await put('d#2', { urgent: { BOOL: true } })
    sources.start()
    await until(() => batches().length > 0)
    await put('c#end')
    await until(() => batches().flat().includes('c#end'))
    expect(batches()).toEqual([['c#1', 'd#2'], ['c#end']])
  })

  test('test fields for existence, not objects', async () => {
    const { start, put, seen } = await setUp(
      filter(
        { dynamodb: { NewImage: { n: [{ exists: true }] } } },
        {
          dynamodb: { Keys: { id: { S: ['end'] } } },
        },
      ),
    )
    const sources = await start()
    sources.start()
    await put('a', { n: { N: '1' } })
    await put('end')
    await until(() => seen().length > 0)
    expect(seen()).toEqual(['end'])
  })
})

describe('batches', () => {
  test('are as long as the template says, and are sent in order, one after the other', async () => {
    let running = 0
    let most = 0
    const { start, put, batches, seen } = await setUp({ BatchSize: 10 }, async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
    })
    const sources = await start()
    for (const id of numbers(25)) await put(id)
    sources.start()
    await until(() => seen().length === 25)
    expect(batches().map(({ length }) => length)).toEqual([10, 10, 5])
    expect(seen()).toEqual(numbers(25))
    expect(most).toBe(1)
  })

  test('that fail are retried before later records', async () => {
    let failures = 2
    const { start, put, batches, lines } = await setUp({ BatchSize: 2 }, () => {
      if (failures-- > 0) throw new Error('not yet')
    })
    const sources = await start()
    for (const id of numbers(3)) await put(id)
    sources.start()
    await until(() => batches().length === 4)
    expect(batches()).toEqual([['0', '1'], ['0', '1'], ['0', '1'], ['2']])
    expect(lines).toEqual([])
  })

  test('are given up after their retries, and later records are not', async () => {
    const { name, start, put, batches, lines } = await setUp({ BatchSize: 2, MaximumRetryAttempts: 1 }, (ids) => {
      if (ids.includes('1')) throw new Error('bad')
    })
    const sources = await start()
    for (const id of numbers(3)) await put(id)
    sources.start()
    await until(() => batches().length === 3)
    expect(batches()).toEqual([['0', '1'], ['0', '1'], ['2']])
    expect(lines).toEqual([`S-Fn gave up 2 records of ${name}, 1 to 2: Error: bad`])
  })

  test('are halved until only the failing record is given up', async () => {
    const { name, start, put, batches, lines } = await setUp(
      { BatchSize: 4, MaximumRetryAttempts: 1, BisectBatchOnFunctionError: true },
      (ids) => {
        if (ids.includes('2')) throw new Error('bad')
      },
    )
    const sources = await start()
    for (const id of numbers(5)) await put(id)
    sources.start()
    await until(() => batches().flat().includes('4'))
    expect(batches()).toEqual([['0', '1', '2', '3'], ['0', '1'], ['2', '3'], ['2'], ['2'], ['3'], ['4']])
    expect(lines).toEqual([`S-Fn gave up 1 records of ${name}, 3 to 3: Error: bad`])
  })

  test('continue after the last record that the function reports as done', async () => {
    let failures = 1
    const { start, put, events, batches } = await setUp(
      { MaximumRetryAttempts: 1, FunctionResponseTypes: ['ReportBatchItemFailures'] },
      (ids) => {
        if (!ids.includes('1') || failures-- <= 0) return { batchItemFailures: [] }
        const failed = events[0].Records[1].dynamodb.SequenceNumber
        return { batchItemFailures: [{ itemIdentifier: failed }] }
      },
    )
    const sources = await start()
    for (const id of numbers(3)) await put(id)
    sources.start()
    await until(() => batches().length === 2)
    expect(batches()).toEqual([
      ['0', '1', '2'],
      ['1', '2'],
    ])
  })

  test('fail as a whole for an unknown item, and not at all if items are not reported', async () => {
    const strange = () => ({ batchItemFailures: [{ itemIdentifier: 'ghost' }] })
    const reporting = await setUp(
      { MaximumRetryAttempts: 1, FunctionResponseTypes: ['ReportBatchItemFailures'] },
      strange,
    )
    const plain = await setUp({ BatchSize: 1 }, strange)
    for (const each of [reporting, plain]) {
      const sources = await each.start()
      await each.put('a')
      await each.put('b')
      sources.start()
    }
    await until(() => reporting.lines.length === 1 && plain.seen().length === 2)
    expect(reporting.batches()).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
    expect(plain.batches()).toEqual([['a'], ['b']])
  })

  test('with records that are too old are given up', async () => {
    const { start, put, seen, lines } = await setUp({ MaximumRecordAgeInSeconds: 1 }, (ids) => {
      if (ids.includes('a')) throw new Error('for ever')
    })
    const sources = await start()
    await put('a')
    sources.start()
    await until(() => lines.length > 0)
    await put('b')
    await until(() => seen().includes('b'))
    expect(lines).toEqual([expect.stringContaining('older than 1 s')])
  })
})

describe('reading continues', () => {
  test('after a restart at the same position', async () => {
    const { start, put, seen } = await setUp()
    const first = await start()
    first.start()
    await put('a')
    await until(() => seen().includes('a'))
    await first.stop()
    await put('while it was stopped')
    const second = await start()
    await put('b')
    second.start()
    await until(() => seen().includes('b'))
    expect(seen()).toEqual(['a', 'while it was stopped', 'b'])
  })

  test('after a restart before the first record, and after a restart of the engine', async () => {
    const { start, put, seen } = await setUp()
    await (await start()).stop()
    await put('a')
    await engine.stop()
    engine = await startEngine(join(import.meta.dirname, '../..'), dataDir, () => {})
    ;(await start()).start()
    await until(() => seen().length === 1)
    expect(seen()).toEqual(['a'])
  })

  test('with the batch that was not accepted before the stop, not with earlier batches', async () => {
    let fails = true
    const { start, put, batches } = await setUp({ BatchSize: 1 }, (ids) => {
      if (fails && ids.includes('b')) throw new Error('down')
    })
    const first = await start({ firstRetryMs: 60_000, lastRetryMs: 60_000 })
    await put('a')
    await put('b')
    first.start()
    await until(() => batches().length === 2)
    await first.stop()
    fails = false
    ;(await start()).start()
    await until(() => batches().length === 3)
    expect(batches()).toEqual([['a'], ['b'], ['b']])
  })

  test('at once when a function starts, however long the idle pause', async () => {
    const { start, put, seen } = await setUp()
    const sources = await start({ restMs: 3_600_000 })
    sources.start()
    await put('a')
    sources.wake()
    await until(() => seen().includes('a'))
    await put('b')
    await until(() => seen().includes('b'))
  })

  test('after the engine was unreachable, which is logged once', async () => {
    const { start, put, seen, lines } = await setUp()
    const sources = await start({ restMs: 5 })
    sources.start()
    const down = globalThis.fetch
    let refusals = 0
    globalThis.fetch = async () => {
      refusals += 1
      throw new Error('down')
    }
    await until(() => refusals > 3)
    globalThis.fetch = down
    await put('a')
    await until(() => seen().includes('a'))
    expect(lines).toEqual([expect.stringMatching(/cannot be read: down$/)])
  })

  test('at the oldest record when the next one is no longer kept', async () => {
    const { start, put, seen, lines } = await setUp()
    const sources = await start()
    await put('a')
    const given = globalThis.fetch
    let [trimmed, asked] = ['', '']
    // As in DynamoDB Local, where records written since then are in other tables, too.
    globalThis.fetch = async (url, init) => {
      const { ShardIterator = '', ShardIteratorType } = JSON.parse(String(init?.body))
      if (ShardIteratorType) asked = ShardIteratorType
      if (ShardIterator) trimmed ||= ShardIterator
      if (!ShardIterator || ShardIterator !== trimmed || asked) return given(url, init)
      return Response.json({ __type: 'com.amazonaws.dynamodb.v20120810#TrimmedDataAccessException' }, { status: 400 })
    }
    sources.start()
    await until(() => seen().includes('a'))
    globalThis.fetch = given
    expect({ asked, lines }).toEqual({ asked: 'TRIM_HORIZON', lines: [] })
  })
})

describe('the template', () => {
  const create = (resources: JsonObject) =>
    new StreamSources({
      template: readTemplate(
        writeAssembly({ S: { resources: { Fn: lambda('one'), T: table('things'), ...resources } } }, { one: '' }),
      ),
      functions: {
        has: () => true,
        invoke: async () => ({ ok: true, payload: null }),
        invokeStreaming: () => {
          throw new Error('not used')
        },
      },
      endpoint: engine.endpoint,
      file: '',
      log: () => {},
    })

  test.each<[string, JsonObject, string]>([
    ['a queue', { M: mapping({ EventSourceArn: 'arn:aws:sqs:us-east-1:1:x' }) }, 'no stream of the template'],
    ['a table without a stream', { T: table('things', false), M: mapping() }, 'no stream of the template'],
    ['a missing function', { M: mapping({ FunctionName: 'ghost' }) }, 'no function of the template'],
    ['another starting position', { M: mapping({ StartingPosition: 'TRIM_HORIZON' }) }, 'starts at LATEST'],
    ['an unknown filter', { M: mapping(filter({ eventName: [{ magic: 1 }] })) }, '"magic"'],
  ])('that maps %s is an error', (_, resources, named) => {
    expect(() => create(resources)).toThrow(named)
  })

  test('may name the function by its ARN, and disable a mapping', () => {
    create({ M: mapping({ FunctionName: { 'Fn::GetAtt': ['Fn', 'Arn'] } }) })
    create({ M: mapping({ Enabled: false, FunctionName: 'ghost' }) })
  })
})
