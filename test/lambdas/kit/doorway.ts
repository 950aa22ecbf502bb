import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { cursors } from '../../../adapters/aws/cursors.ts'
import { edge } from '../../../adapters/aws/edge.ts'
import { machineTokens } from '../../../adapters/aws/machine-tokens.ts'
import { instances } from '../../../adapters/dynamo/instances.ts'
import { leases } from '../../../adapters/dynamo/leases.ts'
import { rates } from '../../../adapters/dynamo/rates.ts'
import { sessions } from '../../../adapters/dynamo/sessions.ts'
import { tokens } from '../../../adapters/dynamo/tokens.ts'
import type { Env } from '../../../adapters/env.ts'
import { ulid } from '../../../domain/ids.ts'
import type { Basics, Ports } from '../../../domain/ports.ts'
import type { Scope } from '../../../domain/scopes.ts'
import { dayMs, iso } from '../../../domain/time.ts'
import { type AnyOperation, area } from '../../../lambdas/kit/operation.ts'
import { serve } from '../../../lambdas/kit/serve.ts'
import { env as placeEnv, startPlace } from '../../adapters/aws/place.ts'
import { startEngine } from '../../adapters/engine.ts'

const replyShape = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  multiValueHeaders: z.record(z.string(), z.array(z.string())).optional(),
  body: z.string(),
})

export interface Asked {
  method?: string
  path?: string
  resource?: string
  headers?: Record<string, string>
  pathParameters?: Record<string, string>
  query?: Record<string, string>
  body?: string
  ip?: string
}

export const origin = 'http://localhost'
export const edgeKey = 'e'.repeat(64)

/** Operations of a test's own behind the real middleware, the real stores and the local cloud, on a clock of its own. */
export async function openDoorway() {
  Object.assign(process.env, { POWERTOOLS_LOG_LEVEL: 'SILENT' })
  const [engine, place] = [await startEngine(), await startPlace()]
  await place.cloud.putSecret('machine-token-keys', JSON.stringify({ current: 'k'.repeat(64) }))
  await place.cloud.putSecret('cursor-key', JSON.stringify({ key: 'c'.repeat(64) }))
  await place.cloud.putSecret('edge-key', JSON.stringify({ key: edgeKey }))
  const env: Env = { ...placeEnv, table: engine.env.table }
  const clock = { nowMs: Date.parse('2026-11-20T12:00:00.000Z') }
  const basics: Basics = {
    clock: { now: () => clock.nowMs, sleep: async () => {} },
    ids: { next: (prefix) => `${prefix}_${ulid(clock.nowMs, randomBytes(16))}`, digits: () => '000000' },
    settings: env.settings(),
  }
  const stores = {
    cursors: cursors(env),
    edge: edge(env),
    instances: instances(env),
    leases: leases(env),
    machineTokens: machineTokens(env),
    rates: rates(env),
    sessions: sessions(env),
    tokens: tokens(env),
  }
  const ports = { ...basics, ...stores }

  /** A function instance of its own, with a memory of its own, for these operations. */
  function door(operations: AnyOperation[], change: Partial<Ports> = {}) {
    const handler = serve(area({ name: 'test', access: {}, operations }), { ...ports, ...change })
    const context = {} as Parameters<typeof handler>[1] // safe because middy reads nothing of the Lambda context here
    return async ({ method = 'GET', path = '/thing', resource = path, ip = '192.0.2.1', ...asked }: Asked = {}) => {
      const event = {
        httpMethod: method,
        resource,
        path,
        headers: { Origin: origin, ...asked.headers },
        pathParameters: asked.pathParameters ?? null,
        queryStringParameters: asked.query ?? null,
        body: asked.body ?? null,
        isBase64Encoded: false,
        requestContext: { requestId: basics.ids.next('req'), identity: { sourceIp: ip } },
      }
      const { statusCode: status, headers, body } = replyShape.parse(await handler(event, context))
      const answer = { status, headers, body: body === '' ? null : JSON.parse(body) }
      return { ...answer, requestId: event.requestContext.requestId }
    }
  }

  const user = () => basics.ids.next('usr')

  async function bearer(scopes: Scope[] = ['mcp:*'], userId = user(), days = 1) {
    const times = { createdAt: iso(clock.nowMs), expiresAt: iso(clock.nowMs + days * dayMs) }
    const asked = { userId, name: 'test', scopes, ...times, lastUsedAt: null, revokedAt: null }
    const { record, plaintext } = await ports.tokens.mint(asked)
    return { record, plaintext, headers: { Authorization: `Bearer ${plaintext}` } }
  }

  async function session(userId = user()) {
    const { record, cookie } = await ports.sessions.open(userId, clock.nowMs, 'a test')
    return { record, headers: { Cookie: `__Secure-service.session=${cookie}` } }
  }

  const close = async () => {
    await place.close()
    await engine.stop()
  }
  return { engine, place, clock, ports, door, user, bearer, session, close }
}

export type Doorway = Awaited<ReturnType<typeof openDoorway>>
