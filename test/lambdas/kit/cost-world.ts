import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { observe } from '../../../adapters/dynamo/client.ts'
import { instances } from '../../../adapters/dynamo/instances.ts'
import { users } from '../../../adapters/dynamo/users.ts'
import { wallets } from '../../../adapters/dynamo/wallets.ts'
import { readEnv } from '../../../adapters/env.ts'
import type { InstanceRecord } from '../../../domain/instance/instance.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import { tableEnv, tables } from '../../../domain/resources.ts'
import { newClaims } from '../../../domain/tokens/machine-token.ts'
import { areas } from '../../../lambdas/areas.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { readCatalogue } from '../../../lib/catalogue.ts'
import {
  asStreaming,
  HttpResponseStream,
  isStreaming,
  ResponseStream,
  type StreamingHandler,
} from '../../../local/response-stream.ts'
import { env as placeEnv } from '../../adapters/aws/place.ts'
import { counted } from '../../adapters/engine.ts'
import { delta, sse, startUpstream, stop, streaming, usage, usageChunk } from '../llm/upstream.ts'
import { openDoorway, origin } from './doorway.ts'

type Handler = (event: object, context: object) => Promise<unknown>

const shape = z.object({ statusCode: z.number(), body: z.string() })

/** Every operation of the service: id, area, declaration. */
export const listed = areas.flatMap((area) => area.operations.map((one) => [one.id, area.name, one] as const))

/** A streaming function's answer: whole, or up to its first event where it goes on for as long as its caller listens. */
async function streamed(handler: StreamingHandler, event: { httpMethod: string }) {
  const stream = new ResponseStream()
  const ended = Promise.resolve(handler(event, stream, {})).catch(() => {}) // Leaving breaks the stream.
  await Promise.race([stream.begun, ended])
  const { statusCode = 0, headers } = stream.head ?? {}
  const endless = event.httpMethod === 'GET' && headers?.['Content-Type'] === 'text/event-stream'
  let body = ''
  for await (const part of stream.iterator({ destroyOnReturn: false })) {
    body += String(part)
    if (endless && body.includes('data: ')) break
  }
  if (!endless) await ended
  return { answer: { statusCode, body }, stream: endless ? stream : null }
}

/**
 * Leaves a stream and waits until its place among the user's streams was given back. Like the real thing, the function
 * learns that its reader has left when it next writes: at the event that `wake` brings.
 */
async function leave(stream: ResponseStream, wake: () => Promise<unknown>): Promise<void> {
  const given = Promise.withResolvers<void>()
  const off = observe(({ operation }) => operation === 'UpdateItem' && given.resolve())
  stream.destroy()
  await wake()
  await given.promise
  off()
}

/** A folder with the files that ship inside a bundle. */
function shipped(): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-costs-'))
  const catalogue = readCatalogue(join(import.meta.dirname, '../../../catalogue'))
  writeFileSync(join(folder, 'catalogue.json'), JSON.stringify(catalogue))
  writeFileSync(join(folder, 'openapi.json'), '{}')
  return folder
}

/** The deployed handlers of these areas over the real stores and the local cloud, each request's store calls counted. */
export async function openCostWorld() {
  const handlers = new Map<string, Handler | StreamingHandler>()
  Object.assign(globalThis, { awslambda: { streamifyResponse: asStreaming, HttpResponseStream } })
  const [world, upstream] = [await openDoorway(), await startUpstream()]
  upstream.use(streaming([sse(delta('Hi')), sse(stop), sse(usageChunk(usage(50, 6))), sse('[DONE]')]))
  const providers = { local: { kind: 'openai', baseUrl: upstream.url, apiKey: 'k' } }
  await world.place.cloud.putSecret('providers', JSON.stringify(providers))
  const places = Object.keys(tables).map((name) => [tableEnv(name as keyof typeof tables), name]) // safe because it is a key of tables
  const facts = {
    STAGE: 'test',
    PUBLIC_ORIGIN: origin,
    CELL: 'T0',
    IMAGE_VERSION: '1',
    BUS_NAME: 'b',
    MAIL_FROM: 'a@example.com',
    FILES_BUCKET: 'berth-files',
    AGENT_LOG_GROUP: 'x',
  }
  Object.assign(process.env, Object.fromEntries(places), facts)
  const arn = (name: string) => `arn:aws:secretsmanager:us-east-1:000000000000:secret:${name}`
  const secret = {
    CURSOR_KEY_SECRET_ARN: 'cursor-key',
    MACHINE_TOKEN_KEYS_SECRET_ARN: 'machine-token-keys',
    EDGE_KEY_SECRET_ARN: 'edge-key',
    STRIPE_SECRET_ARN: 'stripe',
    PROVIDERS_SECRET_ARN: 'providers',
  }
  for (const [name, value] of Object.entries(secret)) process.env[name] = arn(value)
  process.env.LAMBDA_TASK_ROOT = shipped()
  for (const name of ['VARIABLES_KEY_ARN', 'BUS_ARN', 'SCHEDULE_GROUP', 'SCHEDULER_ROLE_ARN'] as const)
    process.env[name] ??= placeEnv.variable(name)
  for (const name of new Set(listed.map(([, area]) => area)))
    handlers.set(name, (await import(`../../../lambdas/${name}/handler.ts`)).handler)

  async function ask(
    areaName: string,
    one: AnyOperation,
    headers: Record<string, string>,
    more: { query?: object; body?: object; path?: object; wake?: () => Promise<unknown> } = {},
  ) {
    const event = {
      httpMethod: one.http.method,
      resource: one.http.path,
      path: one.http.path,
      headers: { Origin: origin, 'Content-Type': 'application/json', ...headers },
      pathParameters: more.path ?? null,
      queryStringParameters: more.query ?? null,
      body: more.body ? JSON.stringify(more.body) : null,
      isBase64Encoded: false,
      requestContext: { requestId: 'r', identity: { sourceIp: '192.0.2.1' } },
    }
    const handler = handlers.get(areaName) as Handler | StreamingHandler // safe because every area has one
    let open: ResponseStream | null = null
    const { result, calls } = await counted(async () => {
      if (!isStreaming(handler)) return handler(event, {})
      const { answer, stream } = await streamed(handler, event)
      open = stream
      return answer
    })
    if (open) await leave(open, more.wake ?? (async () => {}))
    const units = calls
      .flatMap(({ capacity }) => capacity)
      .reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
    const { statusCode: status, body } = shape.parse(result)
    return { status, body, calls: calls.map(({ operation }) => operation), units }
  }

  const env = readEnv(process.env)

  /** A user with an empty wallet and an instance. */
  async function tenant(state: InstanceRecord['state'] = 'running') {
    world.clock.nowMs = Date.now()
    const userId = world.user()
    const instanceId = userId.replace('usr', 'ins')
    await users(env).findOrCreate(`${userId}@example.com`, userId, Date.now())
    await wallets(env).open(userId)
    const instance = newInstance({ instanceId, userId }, 'starter', '1', Date.now())
    await instances(env).create({ ...instance, state })
    return { userId, instanceId }
  }

  /** What lets a tenant, or its machine, ask for an operation. */
  async function admission({ auth }: AnyOperation, { userId, instanceId }: Tenant): Promise<Record<string, string>> {
    if (auth !== 'llm' && auth !== 'files' && auth !== 'agent') return (await world.session(userId)).headers
    const claims = newClaims({ userId, instanceId, generation: 1, audience: auth }, Date.now())
    return { Authorization: `Bearer ${await world.ports.machineTokens.sign(claims)}` }
  }

  const close = async () => {
    await upstream.close()
    await world.close()
  }
  return { ...world, env, ask, tenant, admission, listed, close }
}

export interface Tenant {
  userId: string
  instanceId: string
}

export type CostWorld = Awaited<ReturnType<typeof openCostWorld>>
