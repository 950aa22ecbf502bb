import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Env } from '../adapters/env.ts'
import type { PortName, Ports } from '../adapters/ports.ts'
import { registry } from '../adapters/registry.ts'
import type { Basics } from '../app/ports/basics.ts'
import type { Audience } from '../domain/actor.ts'
import { type AlarmName, alarms, type MeasureName } from '../domain/alarms.ts'
import { ulid } from '../domain/ids.ts'
import type { InstanceRecord } from '../domain/instance/instance.ts'
import { newInstance } from '../domain/instance/life-cycle.ts'
import type { Scope } from '../domain/scopes.ts'
import { dayMs, iso } from '../domain/time.ts'
import { newClaims } from '../domain/tokens/machine-token.ts'
import type { AwsOptions } from '../emulators/aws/emulator.ts'
import { mergeAccess, portsOf } from '../lambdas/kit/access.ts'
import { type Area, accessOf, area } from '../lambdas/kit/area.ts'
import type { AnyOperation } from '../lambdas/kit/operation.ts'
import { pathParameters } from '../lambdas/kit/parameters.ts'
import { pipeline } from '../lambdas/kit/pipeline.ts'
import { type ReadableBody, readable } from '../lambdas/kit/readable.ts'
import type { HttpRequest, HttpResponse } from '../lambdas/kit/request.ts'
import { readCatalogue } from '../lib/build/catalogue.ts'
import { readRuntimes } from '../lib/build/runtimes.ts'
import { startEngine } from './adapters/engine.ts'
import { env, openCloud, origin } from './cloud.ts'

/** The time of a world's clock unless a test sets another. */
export const startMs = Date.parse('2026-11-20T12:00:00.000Z')

/** A clock that tests move with its `nowMs`; otherwise it stands still, or runs with the machine's clock. */
function openClock(start: number | 'running') {
  const machineMs = () => (start === 'running' ? Date.now() : start)
  let aheadMs = 0
  const clock = {
    get nowMs() {
      return machineMs() + aheadMs
    },
    set nowMs(ms: number) {
      aheadMs = ms - machineMs()
    },
    now: () => clock.nowMs,
    sleep: async (_ms: number): Promise<void> => {},
  }
  return clock
}

/** Ports for creating and authenticating a caller. */
const always = [
  'cursors',
  'edge',
  'instances',
  'leases',
  'outbox',
  'machineTokens',
  'rates',
  'sessions',
  'tokens',
  'users',
  'wallets',
] as const satisfies PortName[]

/** Further ports of a world with open connections. */
const connecting = ['bus', 'connections', 'events', 'sockets'] as const satisfies PortName[]

interface WorldOptions {
  /** Areas whose operations `request` reaches. The world has every port that they use. */
  areas?: readonly Area[]
  /** Ports that a test uses directly. */
  ports?: readonly PortName[]
  /** Replacements of adapters. */
  replace?: (ports: Ports, env: Env) => Partial<Ports>
  clock?: number | 'running'
  cloud?: Partial<AwsOptions>
  /** Whether the functions that the store's streams start are run; by default only when a test streams. */
  follows?: boolean
  /** Files that ship with a function, besides the catalogue. */
  files?: Record<string, unknown>
}

/** A response whose body is still a stream. */
type TestResponse = Omit<HttpResponse, 'body'> & ReadableBody

/** The parts of a request that tests set. */
export interface TestRequest {
  method?: string
  /** The path below the API root as it is sent, optionally with a query. */
  path?: string
  operation?: AnyOperation
  /** Path parameters, when they cannot be read from the path. */
  parameters?: Record<string, string>
  query?: object
  /** Headers besides the page's own origin and JSON's content type; undefined removes one of these. */
  headers?: Record<string, string | undefined>
  body?: object | string
  ip?: string
}

/**
 * The product over the embedded store and the local AWS, with the adapters of a deployment and a clock that tests move.
 */
export async function openWorld({
  areas = [],
  ports: own = [],
  replace = () => ({}),
  clock: start = startMs,
  cloud: cloudOptions,
  files = {},
  follows: wantsToFollow,
}: WorldOptions = {}) {
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT'
  const [engine, cloud] = [await startEngine(), await openCloud(cloudOptions)]
  const wanted = new Set([...own, ...portsOf(mergeAccess(areas.map(accessOf))).map(([name]) => name)])
  // A client that streams connects, and receives what the store's streams publish.
  const streams = wanted.has('socketClient')
  const follows = wantsToFollow ?? streams
  // Loaded on demand: most worlds have no open connections.
  const socketApi = streams || wanted.has('sockets') ? await (await import('./sockets.ts')).openSocketApi() : null
  const shipped = mkdtempSync(join(tmpdir(), 'berth-shipped-'))
  const content: Record<string, () => unknown> = {
    'catalogue.json': () => readCatalogue(join(import.meta.dirname, '../catalogue')),
    'runtimes.json': () => readRuntimes(join(import.meta.dirname, '../agent/runtimes')),
    'openapi.json': () => ({ components: { securitySchemes: { session: { name: 'service.session' } } } }),
  }
  const worldEnv: Env = {
    ...env,
    table: engine.env.table,
    variable: (name) => (name === 'SOCKET_API' && socketApi ? socketApi.url : env.variable(name)),
    file(name) {
      writeFileSync(join(shipped, name), JSON.stringify(files[name] ?? content[name]?.()))
      return join(shipped, name)
    },
  }

  const clock = openClock(start)
  let made = 0
  /** Ids of the same millisecond sort in the order of creation. */
  const nextId: Basics['ids']['next'] = (prefix) => {
    const number = ++made
    const rising = Uint8Array.from({ length: 16 }, (_, i) => (i < 9 ? 0 : (number >> (5 * (15 - i))) & 31))
    return `${prefix}_${ulid(clock.nowMs, rising)}`
  }
  /** Letters that differ each time. */
  const nextWord: Basics['ids']['random'] = (alphabet, length) => {
    let number = ++made
    return Array.from({ length }, () => {
      const letter = alphabet.charAt(number % alphabet.length)
      number = Math.floor(number / alphabet.length)
      return letter
    }).join('')
  }
  /** Alarms that were raised for operators. */
  const raised: { name: AlarmName; value: number; [fact: string]: string | number }[] = []
  const measured: { name: MeasureName; value: number; [dimension: string]: string | number }[] = []
  const basics: Basics = {
    clock,
    ids: { next: nextId, random: nextWord },
    settings: worldEnv.settings(),
    alarms: {
      raise(name, value, facts) {
        // A use case that writes nothing and does not say so fails every test.
        if (name === 'FollowUpsWithoutWrite') throw new Error(`${alarms[name]} ${JSON.stringify(facts)}`)
        raised.push({ ...facts, name, value })
      },
      measure: (name, value, dimensions) => void measured.push({ ...dimensions, name, value }),
    },
  }

  const names = new Set([...always, ...(socketApi ? connecting : []), ...wanted])
  const adapters: Partial<Record<PortName, unknown>> = {}
  for (const name of names) {
    const adapter = (await import(`../adapters/${registry[name].module}`))[name]
    adapters[name] = adapter({ ...worldEnv, table: engine.tableOf(name) })
  }
  const ports = { ...basics, ...adapters } as Ports // safe because a test names the ports that it uses beyond those of its areas
  Object.assign(ports, replace({ ...ports }, worldEnv))
  await socketApi?.serve(ports, follows, process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '')

  const handlerOver = (
    operations: readonly AnyOperation[],
    deps: Partial<Ports>,
    declared: Pick<Area, 'unserved'> = {},
  ) => {
    const handle = pipeline(area({ ...declared, name: 'test', operations }), { ...basics, ...deps })
    return async (sent: TestRequest = {}): Promise<TestResponse> => {
      const response = await handle(toRequest(sent, operations, nextId('req')))
      return { ...response, ...readable(response.body) }
    }
  }
  /** A function instance with its own memory, for these operations; returns responses as streams. */
  const handler = (operations: readonly AnyOperation[], change: Partial<Ports> = {}) =>
    handlerOver(operations, { ...ports, ...change })
  /** An area's function, with exactly the ports that it uses. */
  const areaHandler = (of: Area) =>
    handlerOver(of.operations, Object.fromEntries(portsOf(accessOf(of)).map(([name]) => [name, ports[name]])), of)
  /** The same function, whose responses are read to the end. */
  function client(operations: readonly AnyOperation[], change: Partial<Ports> = {}) {
    const handle = handler(operations, change)
    return async (sent: TestRequest = {}) => readResponse(await handle(sent))
  }
  const newUserId = () => nextId('usr')

  async function bearer(scopes: Scope[] = ['mcp:*'], userId = newUserId(), days = 1) {
    const times = { createdAt: iso(clock.nowMs), expiresAt: iso(clock.nowMs + days * dayMs) }
    const wanted = { userId, name: 'test', scopes, ...times, lastUsedAt: null, revokedAt: null }
    const { record, plaintext } = await ports.tokens.mint(wanted)
    return { record, plaintext, headers: { Authorization: `Bearer ${plaintext}` } }
  }

  async function session(userId = newUserId()) {
    const { record, cookie } = await ports.sessions.open(userId, clock.nowMs, 'a test')
    return { record, headers: { Cookie: `__Secure-service.session=${cookie}` } }
  }

  /** An operator of the stage, freshly signed in with a passkey; the configuration contains `email`. */
  async function operator(email = 'operator@example.com') {
    const { user } = await ports.users.findOrCreate(email, newUserId(), clock.nowMs)
    const { record, cookie } = await ports.sessions.open(user.id, clock.nowMs, 'a test', 'pky_operator')
    return { userId: user.id, record, headers: { Cookie: `__Secure-service.session=${cookie}` } }
  }

  /** A user with a wallet and an instance, which runs unless the test sets another state. */
  async function tenant(change: Partial<InstanceRecord> = {}): Promise<Tenant> {
    const [userId, instanceId] = [newUserId(), nextId('ins')]
    await ports.users.findOrCreate(`${userId.toLowerCase()}@example.com`, userId, clock.nowMs)
    await ports.wallets.open(userId)
    const made = newInstance({ instanceId, userId }, 'basic', '1', clock.nowMs)
    const instance: InstanceRecord = { ...made, state: 'running', deadlineMs: null, ...change }
    await ports.instances.create(instance)
    return { userId, instance }
  }

  /** The machine token of the tenant's instance, of the current generation unless the test names another. */
  async function machine({ userId, instance }: Tenant, audience: Audience, generation = instance.generation) {
    const claims = newClaims({ userId, instanceId: instance.id, generation, audience }, clock.nowMs)
    return { Authorization: `Bearer ${await ports.machineTokens.sign(claims)}` }
  }

  async function close() {
    await socketApi?.close()
    await cloud.close()
    await engine.stop()
    rmSync(shipped, { recursive: true })
  }

  return {
    env: worldEnv,
    socketApi,
    cloud,
    clock,
    ports,
    handler,
    areaHandler,
    client,
    request: client(areas.flatMap(({ operations }) => operations)),
    nextId,
    newUserId,
    bearer,
    session,
    operator,
    tenant,
    machine,
    raised,
    measured,
    close,
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

export interface Tenant {
  userId: string
  instance: InstanceRecord
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/\{(\w+)(\+?)\}/g, (_, _name, rest) => (rest ? '(.+)' : '([^/]+)'))}$`)

function toRequest(sent: TestRequest, operations: readonly AnyOperation[], id: string): HttpRequest {
  const { ip = '192.0.2.1', body = '', operation } = sent
  const method = sent.method ?? operation?.http.method ?? 'GET'
  const [target = '', query = ''] = (sent.path ?? operation?.http.path ?? '/thing').split('?')
  const routes = operations.flatMap(({ http }) => [http.path, ...(http.aliases ?? [])])
  const route =
    operation?.http.path ??
    routes.find((path) => path === target) ??
    routes.find((path) => patternOf(path).test(target)) ??
    target
  const values = patternOf(route).exec(target)?.slice(1) ?? []
  const read = Object.fromEntries(pathParameters(route).map((name, i) => [name, values[i] ?? '']))
  const headers = { Origin: origin, ...(typeof body === 'object' && { 'Content-Type': 'application/json' }) }
  const named = Object.entries({ ...headers, ...sent.headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), value]],
  )
  return {
    id,
    ip,
    method,
    headers: Object.fromEntries(named),
    target,
    route,
    parameters: sent.parameters ?? read,
    query: { ...Object.fromEntries(new URLSearchParams(query)), ...sent.query },
    body: typeof body === 'object' ? JSON.stringify(body) : body,
  }
}

/** A response whose body was read to the end. */
export async function readResponse({ status, headers, cookies, body: sent, done }: TestResponse) {
  let text = ''
  if (typeof sent === 'string') text = sent
  else for await (const part of sent as Readable) text += Buffer.from(part).toString() // safe because both kinds are iterated in the same way
  await done
  const body = /json/.test(headers['Content-Type'] ?? '') && text !== '' ? JSON.parse(text) : null
  return { status, headers, cookies, text, body, requestId: headers['X-Request-Id'] ?? '' }
}
