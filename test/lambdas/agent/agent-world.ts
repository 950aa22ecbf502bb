import type { Audience } from '../../../domain/actor.ts'
import type { Task } from '../../../domain/agent/task.ts'
import type { AgentContext } from '../../../domain/agent/turn.ts'
import type { Attachment, AttachmentPlace } from '../../../domain/chat/attachment.ts'
import type { Message, Prompt } from '../../../domain/chat/message.ts'
import { promptIdOf } from '../../../domain/chat/names.ts'
import type { Question } from '../../../domain/chat/question.ts'
import { ulid } from '../../../domain/ids.ts'
import type { InstanceRecord } from '../../../domain/instance/instance.ts'
import type { ShownSchedule } from '../../../domain/instance/schedules.ts'
import { iso } from '../../../domain/time.ts'
import { agentArea } from '../../../lambdas/agent/index.ts'
import type { Area } from '../../../lambdas/kit/area.ts'
import { openWorld } from '../../world.ts'

export interface Reply {
  status: number
  headers: Record<string, string>
  body: Body
}

/** The response fields that tests read; each test asserts the presence of its own. */
interface Body {
  error: string
  details: Record<string, string[]>
  etag: string
  files: { path: string; text: string }[]
  variables: Record<string, string>
  prompt: Prompt
  history: Message[]
  replaced: AgentContext['replaced']
  model: string
  reply: Message | null
  skills: object[]
  limits: object
  message: Message
  turn: string | null
  question: Question
  task: Task | null
  schedule: ShownSchedule
  schedules: ShownSchedule[]
  get: Record<string, string>
  attachment: Attachment
  upload: AttachmentPlace['upload']
}

interface MachineRequest {
  body?: object | string
  headers?: Record<string, string>
  audience?: Audience
  method?: 'DELETE'
  /** Uses the token of this generation instead of the live one. */
  generation?: number
}

/** The agent's routes, on a clock that moves while their operations sleep. */
export async function openAgentWorld(beside: Area[] = []) {
  const world = await openWorld({ areas: [agentArea, ...beside], ports: ['restorePoints', 'metrics'] })
  const sleeps = { count: 0, onSleep: async () => {} }
  world.clock.sleep = async (ms) => {
    world.clock.nowMs += ms
    sleeps.count++
    await sleeps.onSleep()
  }
  const { conversations, events, instances } = world.ports

  const request = (
    path: string,
    body: object | string | undefined,
    headers: Record<string, string>,
    method: string = body === undefined ? 'GET' : 'POST',
  ): Promise<Reply> => world.request({ method, path, headers, ...(body !== undefined && { body }) })

  /** One user with a running machine. */
  async function tenant() {
    const { userId, instance: created } = await world.tenant({ state: 'provisioning' })
    let instance: InstanceRecord = created
    const nextId = world.ports.ids.next
    return {
      userId,
      get instance() {
        return instance
      },
      /** Sends a message of the user and returns the ids of its prompt and message. */
      async say(text: string, trigger: 'chat' | 'schedule' = 'chat') {
        const at = iso(world.clock.nowMs)
        const message = {
          id: nextId('msg'),
          role: 'user' as const,
          text,
          conversation: 'main',
          channel: 'web' as const,
          at,
        }
        await conversations.receive(userId, message, trigger)
        return { promptId: promptIdOf(message.id), messageId: message.id }
      },
      async call(path: string, { body, headers, audience = 'agent', generation, method }: MachineRequest = {}) {
        const token = await world.machine({ userId, instance }, audience, generation)
        return request(path, body, { ...token, ...headers }, method)
      },
      events: () => events.after(userId, `evt_${ulid(0, new Uint8Array(16))}`, 100),
      /** Ends the machine and starts the next one. */
      async nextGeneration() {
        const next = { ...instance, generation: instance.generation + 1, version: instance.version + 1 }
        if (!(await instances.save(next, instance))) throw new Error('not saved')
        instance = next
      },
    }
  }
  /** A request of the user's browser. */
  const person = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, userId: string, body?: object) =>
    world.request({ method, path, headers: (await world.session(userId)).headers, ...(body && { body }) })
  return { ...world, request, person, sleeps, tenant }
}

export type AgentWorld = Awaited<ReturnType<typeof openAgentWorld>>
export type AgentTenant = Awaited<ReturnType<AgentWorld['tenant']>>
