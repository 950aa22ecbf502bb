import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { tableEnv, tables } from '../../../domain/resources.ts'
import { areas } from '../../../lambdas/areas.ts'
import type { AnyOperation } from '../../../lambdas/kit/operation.ts'
import { readCatalogue } from '../../../lib/catalogue.ts'
import { env as placeEnv } from '../../adapters/aws/place.ts'
import { counted } from '../../adapters/engine.ts'
import { openDoorway, origin } from './doorway.ts'

type Handler = (event: object, context: object) => Promise<unknown>

const shape = z.object({ statusCode: z.number(), body: z.string() })

/** The areas that answer whole, behind the very handlers that are deployed. */
const buffered = ['public', 'auth', 'account', 'tokens', 'wallet', 'instance', 'chat', 'catalogue', 'billing', 'agent']

/** Their operations: id, area, declaration. */
export const listed = areas
  .filter(({ name }) => buffered.includes(name))
  .flatMap((area) => area.operations.map((one) => [one.id, area.name, one] as const))

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
  const handlers = new Map<string, Handler>()

  const world = await openDoorway()
  const places = Object.keys(tables).map((name) => [tableEnv(name as keyof typeof tables), name]) // safe because it is a key of tables
  const facts = {
    STAGE: 'test',
    PUBLIC_ORIGIN: origin,
    CELL: 'T0',
    IMAGE_VERSION: '1',
    BUS_NAME: 'b',
    MAIL_FROM: 'a@example.com',
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
  for (const name of [
    'FILES_BUCKET',
    'VARIABLES_KEY_ARN',
    'BUS_ARN',
    'SCHEDULE_GROUP',
    'SCHEDULER_ROLE_ARN',
    'AGENT_LOG_GROUP',
  ])
    process.env[name] ??= 'x'
  for (const name of buffered) handlers.set(name, (await import(`../../../lambdas/${name}/handler.ts`)).handler)

  async function ask(
    areaName: string,
    one: AnyOperation,
    headers: Record<string, string>,
    more: { query?: object; body?: object; path?: object } = {},
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
    const { result, calls } = await counted(async () => handlers.get(areaName)?.(event, {}))
    const units = calls
      .flatMap(({ capacity }) => capacity)
      .reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
    const { statusCode: status, body } = shape.parse(result)
    return { status, body, calls: calls.length, units }
  }

  return { ...world, env: { ...placeEnv, table: world.engine.env.table }, ask, listed }
}

export type CostWorld = Awaited<ReturnType<typeof openCostWorld>>
