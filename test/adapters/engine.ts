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
import { registry } from '../../adapters/registry.ts'
import type { PortName } from '../../app/ports.ts'
import { storeNeeds } from '../../local/aws/needs.ts'

const program = fileURLToPath(new URL('../../node_modules/@dynoxide/linux-x64/dynoxide', import.meta.url))

export interface Engine {
  env: Env
  /** Where a port's adapter finds a table, so that it is held to the rights of that port. */
  tableOf(port: PortName): Env['table']
  stop(): Promise<void>
}

/** A database of this file's own, in memory, with every table of the service; the SDK is pointed at it. */
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

/** The embedded engine. Answers how to stop it. */
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

/** A database of another engine, which keeps one for each access key, as DynamoDB Local does. */
async function openDatabase(endpoint: string, inputs: CreateTableCommandInput[]): Promise<() => Promise<void>> {
  const accessKey = randomBytes(8).toString('hex')
  pointSdk(endpoint, accessKey)
  for (const input of inputs) await database().send(new CreateTableCommand(input))
  standBetween(accessKey)
  return async () => {}
}

/** What each table is called in this file's database. */
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

/** Waits for the line that says where it listens. */
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

/** Runs something and answers its result with every request it made to the store. */
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

/** Units that requests took. A write that its condition refused takes units too, though the answer says none: one is counted. */
export function unitsOf(calls: readonly StoreCall[]): Units {
  const units = { reads: 0, writes: 0 }
  for (const { operation, capacity, failed } of calls) {
    const kind = /^(Get|Query|BatchGet)/.test(operation) ? 'reads' : 'writes'
    units[kind] += failed ? 1 : capacity.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
  }
  return units
}

/** What a request may meet on its way: it fails before the store, after it, or the store is busy. */
export type Fault = 'before' | 'after' | 'throttled' | 'conflict'

let paused = 0

/**
 * Lets the n-th request from now (0: the next) meet a fault, once, or lets something happen right before it.
 * Calling it off answers whether it was met.
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

/** What stands between the adapters and the store; it may send the request, or not. */
type Interceptor = <T>(send: () => Promise<T>, commandName: string) => Promise<T>
let interceptor: Interceptor | null = null

/** Puts something in the way of every request from now on. Answers how to take it away. */
export function intercept(added: Interceptor): () => void {
  interceptor = added
  return () => {
    if (interceptor === added) interceptor = null
  }
}

/** The name by which a port's adapter asks for a table, so that its requests can be told from those of other ports. */
const nameFor = (called: string, port: PortName) => `${called}~${port}`

/** The ports whose rights a request may use: the one that asks, else any, as where tests make an adapter themselves. */
const portsAsking = (port: PortName | undefined): PortName[] => {
  if (!port) return Object.keys(registry) as PortName[] // safe because the registry has port names only
  // The outbox writes lines of the trail for whoever has that port.
  return port === 'outbox' ? [port, 'audit'] : [port]
}

/** Throws for what the port that asks has no right to. Tests look at whole tables themselves. */
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

const ownName = (name: string) => name.replace(/~.*/, '')

const withKeys = (of: object, name: (key: string) => string) =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [name(key), value]))

/** A request under the tables' own names. */
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

/** What a batch answered, under the names it was asked by. */
function underAskedNames<T extends object>(output: T, asked: string[]): T {
  const name = (own: string) => asked.find((table) => ownName(table) === own) ?? own
  const { Responses, UnprocessedKeys }: { Responses?: object; UnprocessedKeys?: object } = output
  return {
    ...output,
    ...(Responses && { Responses: withKeys(Responses, name) }),
    ...(UnprocessedKeys && { UnprocessedKeys: withKeys(UnprocessedKeys, name) }),
  }
}

/** Time limit of a request to the engine in tests, ms. */
const busyMachineMs = 16_000

/** The client resolves its middleware once, so this is so from the first request. */
function standBetween(accessKey: string): void {
  const { middlewareStack, config } = database()
  // On a busy machine the engine may be slow; `silent-store.test.ts` tests the store's real time limit.
  // safe because the client's handler is Node's
  const handler = config.requestHandler as { updateHttpClientConfig(key: 'requestTimeout', ms: number): void }
  handler.updateHttpClientConfig('requestTimeout', busyMachineMs)
  middlewareStack.add(
    (next, context) => async (args) => {
      mayAsk(String(context.commandName).replace(/Command$/, ''), args.input)
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
  // The store wants a signature and does not check it: making one is a quarter of what a request costs.
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

/** Runs what belongs to the test itself: no fault gets in its way, and it is not counted. */
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

/** A transaction that another one is in the way of. */
export function canceled(): Error {
  const CancellationReasons = [{ Code: 'TransactionConflict' }, { Code: 'None' }]
  return new TransactionCanceledException({ message: 'canceled', $metadata: {}, CancellationReasons })
}
