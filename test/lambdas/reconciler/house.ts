import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { bus } from '../../../adapters/aws/bus.ts'
import { machineTokens } from '../../../adapters/aws/machine-tokens.ts'
import { machines } from '../../../adapters/aws/machines.ts'
import { mail } from '../../../adapters/aws/mail.ts'
import { remains } from '../../../adapters/aws/remains.ts'
import { storage } from '../../../adapters/aws/storage.ts'
import { timers } from '../../../adapters/aws/timers.ts'
import { audit } from '../../../adapters/dynamo/audit.ts'
import { checkouts } from '../../../adapters/dynamo/checkouts.ts'
import { conversations } from '../../../adapters/dynamo/conversations.ts'
import { events } from '../../../adapters/dynamo/events.ts'
import { graces } from '../../../adapters/dynamo/graces.ts'
import { instances } from '../../../adapters/dynamo/instances.ts'
import { restorePoints } from '../../../adapters/dynamo/points.ts'
import { rates } from '../../../adapters/dynamo/rates.ts'
import { rollouts } from '../../../adapters/dynamo/rollouts.ts'
import { schedules } from '../../../adapters/dynamo/schedules.ts'
import { sessions } from '../../../adapters/dynamo/sessions.ts'
import { tasks } from '../../../adapters/dynamo/tasks.ts'
import { tokens } from '../../../adapters/dynamo/tokens.ts'
import { users } from '../../../adapters/dynamo/users.ts'
import { wallets } from '../../../adapters/dynamo/wallets.ts'
import type { Env } from '../../../adapters/env.ts'
import { payments } from '../../../adapters/stripe/payments.ts'
import { ulid } from '../../../domain/ids.ts'
import { changeInstance } from '../../../domain/instance/change.ts'
import type { InstanceRecord, Reason } from '../../../domain/instance/instance.ts'
import { readStartedBy } from '../../../domain/instance/machine.ts'
import type { Verb } from '../../../domain/instance/table.ts'
import type { Basics, Ports } from '../../../domain/ports.ts'
import { billingArea } from '../../../lambdas/billing/index.ts'
import { react } from '../../../lambdas/kit/react.ts'
import { serve } from '../../../lambdas/kit/serve.ts'
import { reconcilerArea } from '../../../lambdas/reconciler/index.ts'
import type { CloudEvent } from '../../../local/aws/endpoints.ts'
import { env as placeEnv } from '../../adapters/aws/place.ts'
import { startEngine } from '../../adapters/engine.ts'
import { agent, testCloud, until } from '../../local/aws/cloud.ts'

const replyShape = z.object({ statusCode: z.number(), body: z.string() })
const ending = z.looseObject({ startedBy: z.string().optional(), lastStatus: z.string().optional() })
const bodyShape = z.looseObject({ error: z.string().optional(), id: z.string().optional(), url: z.string().optional() })

/** The billing and reconciler areas behind their real handlers, over the real stores, the local cloud and its processes. */
export async function openHouse(change: (ports: Ports) => Partial<Ports> = () => ({})) {
  const engine = await startEngine()
  const knobs = { nowMs: 0, deaf: false, agentMode: '', image: '1', erases: true }
  const working = new Set<Promise<unknown>>()
  const failures: unknown[] = []
  const heard: CloudEvent[] = []

  const cloud = await testCloud({
    agentCommand: () => ({ file: process.execPath, args: [agent, knobs.agentMode], cwd: tmpdir() }),
    onEvent: (event) => {
      heard.push(event)
      if (!knobs.deaf) deliver(event)
    },
  })
  Object.assign(process.env, cloud.cloud.env, { POWERTOOLS_LOG_LEVEL: 'SILENT' })
  await cloud.cloud.putSecret('machine-token-keys', JSON.stringify({ current: 'k'.repeat(64) }))

  const env: Env = { ...placeEnv, table: engine.env.table }
  const now = () => Date.now() + knobs.nowMs
  const basics: Basics = {
    clock: { now, sleep: async () => {} },
    ids: { next: (prefix) => `${prefix}_${ulid(now(), randomBytes(16))}`, digits: () => '000000' },
    get settings() {
      return { ...env.settings(), imageVersion: knobs.image }
    },
  }
  const stores = {
    audit: audit(env),
    checkouts: checkouts(env),
    conversations: conversations(env),
    events: events(env),
    graces: graces(env),
    instances: instances(env),
    rates: rates(env),
    restorePoints: restorePoints(env),
    rollouts: rollouts(env),
    schedules: schedules(env),
    sessions: sessions(env),
    tasks: tasks(env),
    tokens: tokens(env),
    users: users(env),
    wallets: wallets(env),
  }
  const others = {
    bus: bus(env),
    machines: machines(env),
    mail: mail(env),
    machineTokens: machineTokens(env),
    payments: payments(env),
    remains: remains(env),
    storage: storage(env),
    timers: timers(env),
  }
  // safe because a test changes ports of these two areas only, and all of those are here
  const ports = Object.defineProperties(
    {},
    Object.getOwnPropertyDescriptors({ ...stores, ...others }),
  ) as unknown as Ports
  Object.defineProperties(ports, Object.getOwnPropertyDescriptors(basics))
  Object.assign(ports, change({ ...ports }))
  const billing = serve(billingArea, ports)
  const reconciler = react(reconcilerArea, ports)
  // safe because middy reads nothing of the Lambda context here
  const context = {} as Parameters<typeof billing>[1]

  /** Gives the reconciler an event as EventBridge does; what fails is kept. */
  function deliver(event: Parameters<typeof reconciler>[0]): Promise<unknown> {
    const said = 'detail' in event ? eraserSaid(event.detail) : Promise.resolve()
    const work = said.then(() => reconciler(event)).catch((error: unknown) => failures.push(error))
    working.add(work)
    return work.finally(() => working.delete(work))
  }

  const folderOf = (instanceId: string) => join(cloud.dataDir, 'volumes', env.variable('FILE_SYSTEM_ID'), instanceId)

  /** What an eraser tells the service when it ends; there is no service here that it could call. */
  async function eraserSaid(detail: unknown): Promise<void> {
    const { startedBy, lastStatus } = ending.parse(detail)
    const whose = lastStatus === 'STOPPED' && readStartedBy(startedBy)
    const record = whose ? await stores.instances.find(whose.userId) : null
    if (!whose || record?.state !== 'erasing' || knobs.erases === false) return
    if (readdirSync(folderOf(record.id)).length === 0) await stores.instances.setEmptied(whose.userId, whose.generation)
  }

  const tick = () => ({ reaction: 'sweep' })

  async function request(path: string, body: string, headers: Record<string, string>) {
    const event = {
      httpMethod: 'POST',
      resource: path,
      path,
      headers: { 'Content-Type': 'application/json', ...headers },
      pathParameters: null,
      queryStringParameters: null,
      body,
      isBase64Encoded: false,
      requestContext: { requestId: basics.ids.next('req'), identity: { sourceIp: '192.0.2.1' } },
    }
    const { statusCode, body: text } = replyShape.parse(await billing(event, context))
    return { status: statusCode, body: bodyShape.parse(JSON.parse(text)) }
  }

  /** A new user with a token of the default scopes. */
  async function user() {
    const id = basics.ids.next('usr')
    const { user: made } = await stores.users.findOrCreate(`${id.toLowerCase()}@example.com`, id, now())
    await stores.wallets.open(id)
    const at = new Date(now()).toISOString()
    const expiresAt = new Date(now() + 86_400_000).toISOString()
    const mint = async (scopes: ('mcp:*' | 'mcp:wallet.read')[]) =>
      (
        await stores.tokens.mint({
          userId: id,
          name: 'test',
          scopes,
          createdAt: at,
          expiresAt,
          lastUsedAt: null,
          revokedAt: null,
        })
      ).plaintext
    const token = await mint(['mcp:*'])
    const instance = () => stores.instances.find(id)
    return {
      ...made,
      mint,
      instance,
      post: (path: string, body: object, bearer = token) =>
        request(path, JSON.stringify(body), { authorization: `Bearer ${bearer}` }),
      ask: (verb: Verb, reason: Reason = 'user') => changeInstance(ports, id, verb, reason, now()),
      /** Waits until the instance is in a state (of a generation, if given). */
      reaches: (state: InstanceRecord['state'], generation?: number) =>
        until(async () => {
          const one = await instance()
          return one?.state === state && (generation ?? one.generation) === one.generation && one
        }),
      /** What the instance's latest machine wrote to its volume about itself. */
      machine: async (generation: number): Promise<Machine> => {
        const { id: instanceId = '' } = (await instance()) ?? {}
        const file = join(folderOf(instanceId), 'seen.json')
        return until(async () => {
          const seen: Machine | false = existsSync(file) && parse(readFileSync(file, 'utf8'))
          if (!seen) return false
          const claims = await others.machineTokens.verify(seen.env.BERTH_AGENT_TOKEN ?? '', 'agent', now())
          return claims?.generation === generation && seen
        })
      },
      events: async () =>
        (await stores.events.after(id, `evt_${ulid(0, new Uint8Array(16))}`, 100)).map(({ type, data }) => ({
          type,
          data,
        })),
    }
  }

  return {
    knobs,
    folderOf,
    ports,
    cloud,
    failures,
    heard,
    request,
    user,
    deliver,
    sweep: () => deliver(tick()),
    /** Resolves when the reconciler has nothing left to do. */
    idle: async () => {
      while (working.size > 0) await Promise.all(working)
    },
    async close() {
      knobs.deaf = true
      while (working.size > 0) await Promise.all(working)
      await cloud.close()
      await engine.stop()
    },
  }
}

export interface Machine {
  env: Record<string, string>
  pid: number
}

/** False while the file is being written. */
function parse(text: string): Machine | false {
  try {
    return JSON.parse(text)
  } catch {
    return false
  }
}

export type House = Awaited<ReturnType<typeof openHouse>>
export type User = Awaited<ReturnType<House['user']>>
