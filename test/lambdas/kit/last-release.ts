import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AttributeValue, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { type TableName, tables } from '../../../adapters/dynamo/tables.ts'
import { areas } from '../../../lambdas/areas.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { openWorld, type Tenant, type World } from '../../world.ts'
import { given, places, recordsIn } from './records.ts'
import { requests } from './requests.ts'

type Item = Record<string, AttributeValue>

/** The data that a release left in the store, and its responses about that data. */
export interface Release {
  /** The callers: cookies and a token in plain text. */
  callers: { tenant: Tenant; session: string; operator: string; pat: string }
  /** Ids of one record of each kind. */
  records: Record<string, string>
  items: Record<TableName, Item[]>
  answers: Record<string, { status: number; body: unknown }>
}

export const releaseFile = join(import.meta.dirname, 'last-release.json')
export const lastRelease = (): Release => JSON.parse(readFileSync(releaseFile, 'utf8'))

const tableNames = Object.keys(tables) as TableName[] // safe because tables is a closed record of its own keys

export async function openReleaseWorld(): Promise<World> {
  const world = await openWorld({ areas, follows: false })
  await world.cloud.cloud.putSecret('providers', '{}')
  return world
}

/** All items in the store. */
export async function storedIn({ env }: World): Promise<Release['items']> {
  const all: [string, Item[]][] = []
  for (const name of tableNames) {
    const { Items = [] } = await new DynamoDBClient().send(new ScanCommand({ TableName: env.table(name) }))
    all.push([name, Items])
  }
  return Object.fromEntries(all) as Release['items'] // safe because there is an entry of each table
}

/** Writes items directly, with extra attributes. */
export async function store({ env }: World, items: Release['items'], more: Item): Promise<void> {
  const client = new DynamoDBClient()
  for (const name of tableNames)
    for (const item of items[name] ?? [])
      await client.send(new PutItemCommand({ TableName: env.table(name), Item: { ...item, ...more } }))
}

/** Reads whose responses show no stored data, or differ every time. */
const apart: Record<string, string> = {
  listFiles: 'a machine or a volume worker answers',
  searchFiles: 'a machine or a volume worker answers',
  getFile: 'a machine or a volume worker answers',
  getFileChanges: 'a machine or a volume worker answers',
  compareRestorePoint: 'a machine or a volume worker answers',
  getReplyChanges: 'a machine or a volume worker answers',
  listRestorePointFiles: 'of what lies in the bucket',
  getAttachment: 'an address that is signed anew each time',
  getOpenapi: 'of what ships with the service',
  listPlans: 'of what ships with the service',
  listModels: 'of what ships with the service',
  listApiModels: 'of what ships with the service',
  listMachineModels: 'of what ships with the service',
  listRuntimes: 'of what ships with the service',
  listSkills: 'of what ships with the service',
  getSkill: 'of what ships with the service',
  listPersonas: 'of what ships with the service',
  getAgentFiles: 'of what ships with the service',
  getMachineModel: 'of what ships with the service',
  getApiModel: 'of what ships with the service',
  readAsUser: 'each of the reads here, by a view that an operator began',
}

/** Every read-only operation, by its kind of caller. */
export const reads: [id: string, operation: AnyOperation][] = areas
  .flatMap(({ operations }) => operations)
  .filter(({ id, http }) => http.method === 'GET' && !http.stream && !Object.hasOwn(apart, id))
  .map((operation) => [operation.id, operation])

/** Encrypted values are excluded, because their key exists only in one local KMS. */
const writes = [
  'login',
  'setNotificationSettings',
  'addPushDevice',
  'mintToken',
  'setWalletLimits',
  'setAutoTopup',
  'createSchedule',
  'createHook',
  'checkBooks',
  'changeTrials',
  'changeRollout',
  'broadcastNotice',
  'observeAgent',
  'createAgentSchedule',
]

/** Some data written by users, operators and agents, next to the records. @throws when it is rejected */
export async function write(world: World, release: Omit<Release, 'answers'>): Promise<void> {
  for (const operation of areas.flatMap(({ operations }) => operations).filter(({ id }) => writes.includes(id))) {
    const { status, body } = await ask(world, release, operation)
    if (status >= 300) throw new Error(`${operation.id} answers ${status} ${JSON.stringify(body)}`)
  }
}

/** One record of each kind, all of one user. */
export async function fill(world: World, tenant: Tenant): Promise<Release['records']> {
  const make = recordsIn(world)
  const made: [string, string][] = []
  for (const kind of Object.keys(make) as (keyof typeof make)[]) made.push([kind, await make[kind](tenant)])
  return Object.fromEntries(made)
}

/** Requests about the existing records. */
export async function ask(
  world: World,
  { callers: { tenant, session, operator, pat }, records, items }: Omit<Release, 'answers'>,
  operation: AnyOperation,
): Promise<{ status: number; body: unknown }> {
  const named = Object.keys(operation.input.shape).flatMap((field) => {
    const [kind, also] = places[`${operation.id}.${field}`] ?? []
    return kind && operation.http.method === 'GET' ? [{ ...also, [field]: records[kind] }] : []
  })
  const { query, parameters, body: said } = requests[operation.id] ?? {}
  const sent = given(operation, Object.assign({}, query, parameters, said, ...named))
  const about =
    operation.auth === 'operator' && 'user' in operation.input.shape
      ? { parameters: { ...sent.parameters, user: tenant.userId } }
      : {}
  const headers =
    operation.auth === 'llm' || operation.auth === 'files' || operation.auth === 'agent'
      ? await world.machine(tenant, operation.auth)
      : operation.auth === 'pat'
        ? { Authorization: pat }
        : { Cookie: operation.auth === 'operator' ? operator : session }
  const { status, body } = await world.request({ operation, ...sent, ...about, headers })
  const stored = new Set(items.audit.map(({ id }) => id?.S))
  return { status, body: without(body, (id) => id.startsWith('aud_') && !stored.has(id)) }
}

/** The items without those that reading adds, because an operator's reads write audit entries. */
function without(body: unknown, came: (id: string) => boolean): unknown {
  const isLeft = (entry: { id?: unknown } | null) => !came(String(entry?.id))
  return JSON.parse(JSON.stringify(body), (_, value) => (Array.isArray(value) ? value.filter(isLeft) : value))
}
