import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { storage } from '../../../adapters/aws/storage.ts'
import { conversations } from '../../../adapters/dynamo/conversations.ts'
import { events } from '../../../adapters/dynamo/events.ts'
import { instances } from '../../../adapters/dynamo/instances.ts'
import { leases } from '../../../adapters/dynamo/leases.ts'
import { metrics } from '../../../adapters/dynamo/metrics.ts'
import { restorePoints } from '../../../adapters/dynamo/points.ts'
import { tasks } from '../../../adapters/dynamo/tasks.ts'
import { users } from '../../../adapters/dynamo/users.ts'
import { wallets } from '../../../adapters/dynamo/wallets.ts'
import type { Audience } from '../../../domain/actor.ts'
import type { Task } from '../../../domain/agent/task.ts'
import type { Message, Prompt } from '../../../domain/chat/message.ts'
import { ulid } from '../../../domain/ids.ts'
import type { InstanceRecord } from '../../../domain/instance/instance.ts'
import { newInstance } from '../../../domain/instance/life-cycle.ts'
import type { Basics, Ports } from '../../../domain/ports.ts'
import { iso } from '../../../domain/time.ts'
import { type MachineClaims, newClaims } from '../../../domain/tokens/machine-token.ts'
import type { MachineTokens } from '../../../domain/tokens/ports.ts'
import { agentArea } from '../../../lambdas/agent/index.ts'
import { serve } from '../../../lambdas/kit/serve.ts'
import { readCatalogue } from '../../../lib/catalogue.ts'
import { startEngine } from '../../adapters/engine.ts'

export interface Answer {
  status: number
  headers: Record<string, string>
  body: Body
}

/** The parts of answers that tests read; which of them are there is what they assert. */
export interface Body {
  error: string
  details: Record<string, string[]>
  etag: string
  files: { path: string; text: string }[]
  variables: Record<string, string>
  prompt: Prompt
  history: Message[]
  reply: Message | null
  skills: object[]
  limits: object
  message: Message
  task: Task | null
  get: Record<string, string>
}

/** One user with a running machine. */
export interface Tenant {
  userId: string
  instance: InstanceRecord
  /** What the user says; answers the prompt's id and the message's. */
  say(text: string): Promise<{ promptId: string; messageId: string }>
  call(target: string, more?: Asking): Promise<Answer>
  events(): Promise<{ type: string; data: Record<string, unknown> }[]>
  /** Ends the machine and starts the next one. */
  nextGeneration(): Promise<void>
}

type Mailed = Parameters<Ports['mail']['send']>[0]

export interface Asking {
  body?: object | string
  headers?: Record<string, string>
  audience?: Audience
  /** The token of this generation instead of the live one. */
  generation?: number
}

const replyShape = z.object({ statusCode: z.number(), headers: z.record(z.string(), z.string()), body: z.string() })

/** Tokens without a key: what is signed and how is the adapter's own test. */
const plainTokens: MachineTokens = {
  sign: async (claims) => `bmt_${claims.audience}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`,
  async verify(token, audience, nowMs) {
    const [head, body = ''] = token.split('.')
    if (head !== `bmt_${audience}`) return null
    const claims: MachineClaims = JSON.parse(Buffer.from(body, 'base64url').toString())
    return claims.expiresMs > nowMs ? claims : null
  },
}

/** The area behind its real handler chain and the real stores, with a clock that tests move. */
export async function openDoor() {
  const engine = await startEngine()
  const catalogue = readCatalogue(fileURLToPath(new URL('../../../catalogue', import.meta.url)))
  const clock = { nowMs: Date.now(), slept: 0 }
  const nextId = (prefix: string) => `${prefix}_${ulid(clock.nowMs++, randomBytes(16))}`
  const basics: Basics = {
    clock: {
      now: () => clock.nowMs,
      sleep: async (ms) => {
        clock.nowMs += ms
        clock.slept++
        await hooks.onSleep()
      },
    },
    ids: { next: nextId, digits: () => '000000' },
    settings: engine.env.settings(),
  }
  const hooks = { onSleep: async () => {} }
  const stores = {
    instances: instances(engine.env),
    conversations: conversations(engine.env),
    events: events(engine.env),
    leases: leases(engine.env),
    metrics: metrics(engine.env),
    restorePoints: restorePoints(engine.env),
    storage: storage(engine.env),
    tasks: tasks(engine.env),
    users: users(engine.env),
  }
  const mails: Mailed[] = []
  const published: { name: string; userId: string }[] = []
  const values: Record<string, Record<string, string>> = {}
  const deps = {
    ...basics,
    ...stores,
    variables: {
      find: async () => ({ version: 0, variables: [] }),
      save: async () => true,
      values: async (userId: string) => values[userId] ?? {},
    },
    mail: { send: async (mail: Mailed) => void mails.push(mail) },
    bus: { publish: async (name: string, userId: string) => void published.push({ name, userId }) },
    machineTokens: plainTokens,
    catalogue: {
      skills: async () => catalogue.skills,
      personas: async () => catalogue.personas,
      choices: async () => ({ skills: [], personas: [], variables: [] }),
    } as unknown as Ports['catalogue'], // safe because the area only reads it
  }
  // Enough to sign an address with; nothing is fetched.
  Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' })
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT'
  const handler = serve(agentArea, deps)

  async function tenant(): Promise<Tenant> {
    const userId = nextId('usr')
    await wallets(engine.env).open(userId)
    let instance: InstanceRecord = { ...newInstance({ instanceId: nextId('ins'), userId }, 'basic', '1', clock.nowMs) }
    await stores.instances.create(instance)
    return {
      userId,
      get instance() {
        return instance
      },
      async say(text) {
        const at = iso(clock.nowMs)
        const message = { id: nextId('msg'), role: 'user' as const, text, channel: 'web' as const, at }
        const promptId = nextId('prm')
        const fixed = { kind: 'message', conversation: 'web', channel: 'web', trigger: 'chat' } as const
        await stores.conversations.receive(userId, message, { ...fixed, id: promptId, messageId: message.id, text, at })
        return { promptId, messageId: message.id }
      },
      async call(target, { body, headers = {}, audience = 'agent', generation = instance.generation } = {}) {
        const who = { audience, userId, instanceId: instance.id, generation }
        const token = await plainTokens.sign(newClaims(who, Date.now()))
        return ask(target, body, { authorization: `Bearer ${token}`, ...headers })
      },
      events: () => stores.events.after(userId, `evt_${ulid(0, new Uint8Array(16))}`, 100),
      async nextGeneration() {
        const next = { ...instance, generation: instance.generation + 1, version: instance.version + 1 }
        if (!(await stores.instances.save(next, instance))) throw new Error('not saved')
        instance = next
      },
    }
  }

  async function ask(
    target: string,
    body: object | string | undefined,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const url = new URL(target, 'http://api')
    const query = Object.fromEntries(url.searchParams)
    const event = {
      httpMethod: body === undefined ? 'GET' : 'POST',
      resource: url.pathname,
      path: url.pathname,
      headers: { 'Content-Type': 'application/json', ...headers },
      pathParameters: null,
      queryStringParameters: Object.keys(query).length > 0 ? query : null,
      body: typeof body === 'object' ? JSON.stringify(body) : (body ?? null),
      isBase64Encoded: false,
      requestContext: { requestId: nextId('req'), identity: { sourceIp: '192.0.2.1' } },
    }
    // safe because middy reads nothing of the Lambda context here
    const reply = replyShape.parse(await handler(event, {} as Parameters<typeof handler>[1]))
    return { status: reply.statusCode, headers: reply.headers, body: JSON.parse(reply.body) }
  }

  return { clock, hooks, values, mails, published, stores, catalogue, tenant, ask, close: () => engine.stop() }
}

export type Door = Awaited<ReturnType<typeof openDoor>>
