import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBServiceException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import { database, observe, type StoreCall } from '../../adapters/dynamo/client.ts'
import { type TableName, type TableShape, tableEnv, tables } from '../../adapters/dynamo/tables.ts'
import { type Env, readEnv } from '../../adapters/env.ts'
import type { PortName } from '../../adapters/ports.ts'
import { registry } from '../../adapters/registry.ts'
import { storeNeeds } from '../../emulators/aws/needs.ts'

const program = fileURLToPath(new URL('../../node_modules/@dynoxide/linux-x64/dynoxide', import.meta.url))

export interface Engine {
  env: Env
  /** The table name for a port's adapter; it limits the adapter to the port's permissions. */
  tableOf(port: PortName): Env['table']
  stop(): Promise<void>
}

/** An in-memory database for this file, with every table of the service; the SDK sends its requests there. */
export async function startEngine(called: (name: TableName) => string = (name) => name): Promise<Engine> {
  const inputs = tableNames.map((name) => tableInput(name, called(name)))
  for (const name of tableNames) names.set(name, called(name))
  const given = process.env.DYNAMODB_ENDPOINT
  const stop = given ? await openDatabase(given, inputs) : await startProgram(inputs)
  const variables = tableNames.map((name) => [tableEnv(name), called(name)])
  const stage = {
    STAGE: 'test',
    PUBLIC_ORIGIN: 'http://localhost',
    FILES_BUCKET: 'berth-files',
    CELL: 'T0',
    IMAGE_VERSION: '1',
  }
  return {
    env: readEnv({ ...Object.fromEntries(variables), ...stage }),
    tableOf: (port) => (name) => nameFor(called(name), port),
    async stop() {
      database().destroy()
      await stop()
    },
  }
}

function pointSdk(endpoint: string, accessKey: string): void {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: 'test',
  })
}

/** Starts the embedded engine and returns a function that stops it. */
async function startProgram(inputs: CreateTableCommandInput[]): Promise<() => Promise<void>> {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'berth-schema-'))
  const schema = join(folder, 'schema.json')
  await writeFile(schema, JSON.stringify(inputs.map((Table) => ({ Table }))))
  const args = ['serve', '-p', String(port), '--schema', schema]
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: {} })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  pointSdk(`http://127.0.0.1:${port}`, 'test')
  standBetween('test')
  await listening(child.stderr)
  await rm(folder, { recursive: true })
  return async () => {
    process.off('exit', kill)
    kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

/** A database of another engine that keeps one database per access key, like DynamoDB Local. */
async function openDatabase(endpoint: string, inputs: CreateTableCommandInput[]): Promise<() => Promise<void>> {
  const accessKey = randomBytes(8).toString('hex')
  pointSdk(endpoint, accessKey)
  waitForBusyMachine()
  for (const input of inputs) await database().send(new CreateTableCommand(input))
  standBetween(accessKey)
  return async () => {}
}

/** The name of each table in this file's database. */
const names = new Map<TableName, string>()

// safe because a table's name is a key of `tables` by definition
const tableNames = Object.keys(tables) as TableName[]

function tableInput(name: TableName, called: string): CreateTableCommandInput {
  const { partition, sort, indexes = {}, stream }: TableShape = tables[name]
  const types = new Map<string, 'S' | 'N'>([[partition, 'S'], ...(sort ? ([[sort, 'S']] as const) : [])])
  for (const index of Object.values(indexes)) {
    types.set(index.partition, 'S').set(index.sort, index.sortType === 'number' ? 'N' : 'S')
  }
  const keys = (hash: string, range?: string) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    ...(range ? [{ AttributeName: range, KeyType: 'RANGE' as const }] : []),
  ]
  const global = Object.entries(indexes).map(([IndexName, index]) => ({
    IndexName,
    KeySchema: keys(index.partition, index.sort),
    Projection: { ProjectionType: 'KEYS_ONLY' as const },
  }))
  return {
    TableName: called,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keys(partition, sort),
    AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    ...(global.length > 0 && { GlobalSecondaryIndexes: global }),
    ...(stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const } }),
  }
}

/** Waits for the line that contains the engine's address. */
async function listening(output: Readable): Promise<void> {
  for await (const line of createInterface(output)) if (line.includes('listening')) return void output.resume()
  throw new Error('the store ended before it answered')
}

async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer()
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!free) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** Runs a function and returns its result with every request it made to the store. */
export async function counted<T>(run: () => Promise<T>): Promise<{ result: T; calls: StoreCall[] }> {
  const calls: StoreCall[] = []
  const stop = observe((call) => calls.push(call))
  try {
    return { result: await run(), calls }
  } finally {
    stop()
  }
}

export interface Units {
  reads: number
  writes: number
}

/**
 * Capacity units of requests. A write that fails its condition also takes units, although the response has none: it
 * counts as one.
 */
export function unitsOf(calls: readonly StoreCall[]): Units {
  const units = { reads: 0, writes: 0 }
  for (const { operation, capacity, failed } of calls) {
    const kind = /^(Get|Query|BatchGet)/.test(operation) ? 'reads' : 'writes'
    units[kind] += failed ? 1 : capacity.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
  }
  return units
}

/** A fault of a request: it fails before the store, fails after it, or the store is busy. */
export type Fault = 'before' | 'after' | 'throttled' | 'conflict'

let paused = 0

/**
 * Makes the n-th request from now (0: the next) meet a fault once, or runs a function right before it. The returned
 * function removes the fault and says whether it happened.
 */
export function inject(fault: Fault | (() => Promise<unknown>), nth = 0): () => boolean {
  let left = nth
  let met = false
  const off = intercept(async (send, commandName) => {
    if (met || paused > 0 || left-- > 0) return send()
    met = true
    if (typeof fault === 'function') {
      await fault()
      return send()
    }
    if (fault === 'after') await send()
    if (fault === 'throttled') throw storeError('ThrottlingException')
    if (fault === 'conflict' && commandName === 'TransactWriteItemsCommand') throw canceled()
    if (fault === 'conflict') throw storeError('TransactionConflictException')
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  })
  return () => {
    off()
    return met
  }
}

/** A function between the adapters and the store; it may send the request or not. */
type Interceptor = <T>(send: () => Promise<T>, commandName: string) => Promise<T>
let interceptor: Interceptor | null = null

/** Runs an interceptor for every request from now on. The returned function removes it. */
export function intercept(added: Interceptor): () => void {
  interceptor = added
  return () => {
    if (interceptor === added) interceptor = null
  }
}

/** A table name that carries its port, so that requests of different ports can be told apart. */
const nameFor = (called: string, port: PortName) => `${called}~${port}`

/** The ports whose permissions a request may use: the requesting port, or any when a test creates an adapter itself. */
const portsAsking = (port: PortName | undefined): PortName[] => {
  if (!port) return Object.keys(registry) as PortName[] // safe because the registry has port names only
  // The outbox writes audit entries on behalf of every port with that permission.
  return port === 'outbox' ? [port, 'audit'] : [port]
}

/** Throws for a request without the port's permission. Tests may read whole tables. */
function mayAsk(operation: string, input: object): void {
  for (const { action, resource } of storeNeeds(operation, { ...input }, 'us-east-1') ?? []) {
    const [, asked = '', index] = /:table\/([^/]+)(?:\/index\/(.+))?$/.exec(resource) ?? []
    const [called, port] = asked.split('~') as [string, PortName?] // safe because `nameFor` made it
    const name = tableNames.find((table) => names.get(table) === called)
    const verb = action.replace('dynamodb:', '')
    if (!name || (!port && index) || ['Scan', 'DescribeTable'].includes(verb)) continue
    const may = portsAsking(port).some((portName) => {
      const { tables: known, indexes } = registry[portName]
      return index ? indexes?.[name]?.includes(index) : known?.[name]?.some((action) => action === verb)
    })
    if (!may)
      throw new Error(`adapters/registry.ts gives ${port ?? 'no port'} no right to ${verb} on ${name} ${index ?? ''}`)
  }
}

/** DynamoDB rejects names without an expression, and an expression with no names; the engine accepts them. */
function mustUseNames(input: object): void {
  const { TransactItems = [] }: { TransactItems?: object[] } = input
  for (const part of [input, ...TransactItems.flatMap((item): object[] => Object.values(item))]) {
    if (!('ExpressionAttributeNames' in part)) continue
    const isUsed = Object.keys(part).some((key) => key.endsWith('Expression'))
    if (!isUsed || Object.keys(part.ExpressionAttributeNames ?? {}).length === 0)
      throw new Error('ExpressionAttributeNames can only be specified when using expressions')
  }
}

const ownName = (name: string) => name.replace(/~.*/, '')

const withKeys = (of: object, name: (key: string) => string) =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [name(key), value]))

/** The request with the tables' own names. */
function underOwnNames<T extends object>(input: T): T {
  const {
    TableName,
    RequestItems,
    TransactItems,
  }: { TableName?: string; RequestItems?: object; TransactItems?: object[] } = input
  return {
    ...input,
    ...(TableName && { TableName: ownName(TableName) }),
    ...(RequestItems && { RequestItems: withKeys(RequestItems, ownName) }),
    ...(TransactItems && {
      TransactItems: TransactItems.map((part) =>
        Object.fromEntries(Object.entries(part).map(([kind, of]) => [kind, underOwnNames(of)])),
      ),
    }),
  }
}

/** The response of a batch under the requested names. */
function underAskedNames<T extends object>(output: T, asked: string[]): T {
  const name = (own: string) => asked.find((table) => ownName(table) === own) ?? own
  const { Responses, UnprocessedKeys }: { Responses?: object; UnprocessedKeys?: object } = output
  return {
    ...output,
    ...(Responses && { Responses: withKeys(Responses, name) }),
    ...(UnprocessedKeys && { UnprocessedKeys: withKeys(UnprocessedKeys, name) }),
  }
}

/** Time limit of a request to the engine in tests, in ms. */
const busyMachineMs = 16_000
const timeouts = ['connectionTimeout', 'requestTimeout'] as const
type Timeout = (typeof timeouts)[number]

/** On a busy machine the engine may be slow; `silent-store.test.ts` tests the store's real time limit. */
function waitForBusyMachine(): void {
  // safe because the client's handler is Node's
  const handler = database().config.requestHandler as {
    updateHttpClientConfig(key: Timeout, ms: number): void
  }
  for (const key of timeouts) handler.updateHttpClientConfig(key, busyMachineMs)
}

/** The client resolves its middleware once, so this runs before the first request. */
function standBetween(accessKey: string): void {
  const { middlewareStack } = database()
  waitForBusyMachine()
  middlewareStack.add(
    (next, context) => async (args) => {
      mayAsk(String(context.commandName).replace(/Command$/, ''), args.input)
      mustUseNames(args.input)
      const answer = await next({ ...args, input: underOwnNames(args.input) })
      const asked = Object.keys('RequestItems' in args.input ? (args.input.RequestItems ?? {}) : {})
      return { ...answer, output: underAskedNames(answer.output, asked) }
    },
    { step: 'initialize', name: 'mayAsk', override: true },
  )
  middlewareStack.add(
    (next, context) => (args) => (interceptor ? interceptor(() => next(args), context.commandName ?? '') : next(args)),
    { step: 'initialize', name: 'interceptor', priority: 'low', override: true },
  )
  // The store requires a signature but never checks it, and signing takes a quarter of a request's time.
  middlewareStack.remove('httpSigningMiddleware')
  middlewareStack.add((next) => (args) => next({ ...args, request: signed(args.request, accessKey) }), {
    step: 'finalizeRequest',
  })
}

function signed(request: unknown, accessKey: string): unknown {
  const Credential = `${accessKey}/20261120/us-east-1/dynamodb/aws4_request`
  const authorization = `AWS4-HMAC-SHA256 Credential=${Credential}, SignedHeaders=host, Signature=0`
  const headers = { 'x-amz-date': '20261120T000000Z', authorization }
  Object.assign(Object(request).headers, headers)
  return request
}

/** Runs a test's own requests without faults and without counting them. */
export async function quietly<T>(run: () => Promise<T>): Promise<T> {
  paused++
  try {
    return await run()
  } finally {
    paused--
  }
}

const storeError = (name: string): Error =>
  new DynamoDBServiceException({ name, $fault: 'client', message: name, $metadata: { httpStatusCode: 400 } })

/** A transaction canceled by a concurrent one. */
export function canceled(): Error {
  const CancellationReasons = [{ Code: 'TransactionConflict' }, { Code: 'None' }]
  return new TransactionCanceledException({ message: 'canceled', $metadata: {}, CancellationReasons })
}
