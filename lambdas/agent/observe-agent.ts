import * as z from 'zod'
import { type Observation, observation, observationBody } from '../../domain/agent/observation.ts'
import { type Message, message } from '../../domain/chat/message.ts'
import { notFound } from '../../domain/errors.ts'
import { askPoint } from '../../domain/files/ask-point.ts'
import { finishTask } from '../../domain/files/finish.ts'
import { dailyMs } from '../../domain/files/point.ts'
import { watchVolume } from '../../domain/instance/volume.ts'
import type { Basics, Ports } from '../../domain/ports.ts'
import { iso } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const observeAgent = operation({
  id: 'observeAgent',
  summary: 'Report what the agent does: its reply, its progress, that it lives',
  description: 'A reply is written once per prompt: repeating the call answers the first one.',
  http: { method: 'POST', path: '/agent/observe' },
  auth: 'agent',
  limit: 'agent',
  input: observationBody,
  output: z.object({ accepted: z.literal(true), message: message.optional() }),
  exampleInput: { kind: 'reply', promptId: 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0', text: 'Your wallet has 12.40 USD.' },
  errors: ['not-found'],
  uses: [
    'bus',
    'conversations',
    'events',
    'instances',
    'mail',
    'metrics',
    'restorePoints',
    'storage',
    'tasks',
    'users',
  ],
  run: async ({ input, actor, deps, now }) => {
    const seen = observation.parse(input)
    const { userId, instanceId, generation } = actor
    const written = await note(seen, { userId, instanceId, generation, now }, deps)
    return { accepted: true as const, ...(written && { message: written }) }
  },
})

interface Asking {
  userId: string
  instanceId: string
  generation: number
  now: number
}

type Deps = Pick<
  Ports,
  | 'bus'
  | 'conversations'
  | 'events'
  | 'instances'
  | 'mail'
  | 'metrics'
  | 'restorePoints'
  | 'storage'
  | 'tasks'
  | 'users'
> &
  Basics

/** Does what an observation asks for; answers the message when it wrote one. */
async function note(seen: Observation, asking: Asking, deps: Deps): Promise<Message | undefined> {
  if (seen.kind === 'reply') return reply(seen, asking, deps)
  if (seen.kind === 'progress') await progress(seen, asking, deps)
  if (seen.kind === 'heartbeat') await heartbeat(seen, asking, deps)
  if (seen.kind === 'crashed') await deps.conversations.release(asking.userId, asking.generation)
  if (seen.kind === 'point') await dailyPoint(asking, deps)
  if (seen.kind === 'emptied') await deps.instances.setEmptied(asking.userId, asking.generation)
  if (seen.kind === 'task') await task(seen, asking, deps)
  return undefined
}

async function reply(seen: Extract<Observation, { kind: 'reply' }>, { userId, now }: Asking, deps: Deps) {
  const prompt = await deps.conversations.openPrompt(userId, seen.promptId)
  if (!prompt) throw notFound('open prompt')
  const written = await deps.conversations.reply(userId, seen.promptId, {
    id: deps.ids.next('msg'),
    role: 'agent',
    text: seen.text,
    channel: prompt.channel,
    at: iso(now),
    inReplyTo: prompt.messageId,
  })
  // Told again when the call is repeated: a machine repeats it when it did not see the first one through.
  await deps.events.record(userId, 'message.sent', { message: written, promptId: seen.promptId })
  await deps.instances.touch(userId, iso(now))
  return written
}

async function progress(seen: Extract<Observation, { kind: 'progress' }>, asking: Asking, deps: Deps) {
  const { userId, generation, now } = asking
  if (!(await deps.conversations.renewLease(userId, seen.promptId, generation, now))) throw notFound('open prompt')
  const { promptId, text } = seen
  if (text) await deps.events.record(userId, 'message.progress', { promptId, text })
}

async function heartbeat(seen: Extract<Observation, { kind: 'heartbeat' }>, asking: Asking, deps: Deps) {
  const { userId, generation, now } = asking
  if (seen.promptId) await deps.conversations.renewLease(userId, seen.promptId, generation, now)
  if (seen.busy) await deps.instances.touch(userId, iso(now))
  if (!seen.measured) return
  await deps.metrics.record(userId, seen.measured, now)
  await watchVolume(deps, userId, seen.measured.diskBytes, now)
}

/** A machine asks for its daily restore point; whether one is due is ours to say. */
async function dailyPoint({ userId, instanceId, now }: Asking, deps: Deps) {
  const points = await deps.restorePoints.list(userId)
  const fresh = points.some(({ state, createdAt }) => state !== 'failed' && now - Date.parse(createdAt) < dailyMs)
  if (!fresh) await askPoint(deps, { id: instanceId, userId }, 'daily', now)
}

async function task(seen: Extract<Observation, { kind: 'task' }>, { now, ...holder }: Asking, deps: Deps) {
  const { userId, generation } = holder
  const how = seen.result ?? seen.failure
  const held = how
    ? await deps.tasks.held(userId, seen.taskId, generation)
    : await deps.tasks.renew(userId, seen.taskId, generation, now)
  if (how && held && held !== true) await finishTask(deps, holder, held, how, now)
  // A repeated report of an end finds nothing open any more; one about a task of somebody else is told so.
  if (!held && !(how && (await deps.tasks.find(userId, seen.taskId)))) throw notFound('open task')
}
