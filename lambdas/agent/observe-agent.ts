import { ask, say, showActivities, stoppedOf } from '../../app/agent/observe.ts'
import { replyInChat } from '../../app/channels/reply.ts'
import { attached, requireStored } from '../../app/chat/attachments.ts'
import { requestRestorePoint } from '../../app/files/restore-points.ts'
import { finishTask } from '../../app/files/volume-jobs.ts'
import { noteCannotStart } from '../../app/instance/cannot-start.ts'
import { watchVolume } from '../../app/instance/volume-limit.ts'
import type { Users } from '../../app/ports/account.ts'
import type { Basics } from '../../app/ports/basics.ts'
import type { ChannelLinks, OutgoingMessages } from '../../app/ports/channels.ts'
import type { AttachmentFiles, Attachments, Conversations, Events, Questions } from '../../app/ports/chat.ts'
import type { RestorePoints, Storage, Tasks } from '../../app/ports/files.ts'
import type { Bus, Instances, Metrics } from '../../app/ports/instance.ts'
import type { Mail } from '../../app/ports/notifications.ts'
import type { Outbox } from '../../app/ports/outbox.ts'
import type { Leases } from '../../app/ports/rates.ts'
import type { Connections, Sockets } from '../../app/ports/socket.ts'
import { pushText } from '../../app/socket/push.ts'
import {
  type Observation,
  type Observed,
  observation,
  observationBody,
  observed,
} from '../../domain/agent/observation.ts'
import type { Message } from '../../domain/chat/message.ts'
import { notFound } from '../../domain/errors.ts'
import { dailyMs } from '../../domain/files/restore-point.ts'
import { type Sample, samplesShownMs } from '../../domain/instance/metrics.ts'
import { firstDraft } from '../../domain/socket/message.ts'
import { iso, secondMs } from '../../domain/time.ts'
import { operation } from '../kit/operation.ts'

export const observeAgent = operation({
  id: 'observeAgent',
  summary: 'Report what the agent does: its reply, its progress, that it lives',
  description: 'A reply is written once per prompt: repeating the call answers the first one.',
  http: { method: 'POST', path: '/agent/observe' },
  auth: 'agent',
  limit: 'agent',
  input: observationBody,
  output: observed,
  exampleInput: { kind: 'reply', promptId: 'prm_01KAHB2N3P4Q5R6S7T8V9WXYZ0', text: 'Your wallet has 12.40 USD.' },
  errors: ['not-found'],
  uses: {
    attachments: 'write',
    attachmentFiles: 'write',
    bus: 'write',
    channelLinks: 'read',
    connections: 'write',
    conversations: 'write',
    events: 'write',
    instances: 'write',
    leases: 'write',
    mail: 'write',
    metrics: 'write',
    outbox: 'write',
    outgoingMessages: 'write',
    questions: 'write',
    restorePoints: 'write',
    sockets: 'write',
    storage: 'write',
    tasks: 'write',
    users: 'read',
  },
  run: async ({ input, actor, deps, now }) => {
    const { userId, instanceId, generation } = actor
    const answer = await record(observation.parse(input), { userId, instanceId, generation, now }, deps)
    return { accepted: true as const, ...answer }
  },
})

interface Reporter {
  userId: string
  instanceId: string
  generation: number
  now: number
}

type Deps = {
  attachments: Attachments
  attachmentFiles: AttachmentFiles
  bus: Bus
  channelLinks: ChannelLinks
  connections: Connections
  conversations: Conversations
  events: Events
  instances: Instances
  leases: Leases
  mail: Mail
  metrics: Metrics
  outbox: Outbox
  outgoingMessages: OutgoingMessages
  questions: Questions
  restorePoints: RestorePoints
  sockets: Sockets
  storage: Storage
  tasks: Tasks
  users: Users
} & Basics

async function record(seen: Observation, reporter: Reporter, deps: Deps): Promise<Omit<Observed, 'accepted'>> {
  if (seen.kind === 'reply') return { message: await reply(seen, reporter, deps) }
  if (seen.kind === 'heartbeat') return heartbeat(seen, reporter, deps)
  if (seen.kind === 'progress') return progress(seen, reporter, deps)
  if (seen.kind === 'draft') return draft(seen, reporter, deps)
  if (seen.kind === 'activity') return showActivities(deps, reporter, seen)
  if (seen.kind === 'message') return { message: await say(deps, reporter, seen) }
  if (seen.kind === 'question') return { question: await ask(deps, reporter, seen) }
  if (seen.kind === 'crashed') await deps.conversations.release(reporter.userId, reporter.generation)
  if (seen.kind === 'cannot-start') await noteCannotStart(deps, reporter, seen.reason)
  if (seen.kind === 'ready') await noteCannotStart(deps, reporter, null)
  if (seen.kind === 'restore-point') await dailyPoint(reporter, deps)
  if (seen.kind === 'volume-erased') await deps.instances.markErased(reporter.userId, reporter.generation)
  if (seen.kind === 'task') await task(seen, reporter, deps)
  return {}
}

async function reply(seen: Extract<Observation, { kind: 'reply' }>, { userId, now }: Reporter, deps: Deps) {
  const [prompt, files] = await Promise.all([
    deps.conversations.openPrompt(userId, seen.promptId),
    requireStored(deps, { userId, role: 'agent' }, seen.attachments ?? [], now),
  ])
  if (!prompt) throw notFound('open prompt')
  const message: Message = {
    id: deps.ids.next('msg'),
    role: 'agent',
    text: seen.text,
    conversation: prompt.conversation,
    channel: prompt.channel,
    at: iso(now),
    inReplyTo: prompt.messageId,
    ...attached(files),
  }
  const written = await replyInChat(deps, userId, prompt, message, now, () =>
    deps.conversations.reply(userId, seen.promptId, message),
  )
  // Also announced for a repeated call: a machine repeats the call when it missed the first answer.
  await deps.events.record(userId, 'message.sent', { message: written, promptId: seen.promptId })
  await deps.instances.touch(userId, iso(now), prompt.trigger === 'schedule' ? 'nobody' : 'person')
  return written
}

async function progress(seen: Extract<Observation, { kind: 'progress' }>, reporter: Reporter, deps: Deps) {
  const { userId, generation, now } = reporter
  const { promptId, from, text } = seen
  const prompt = await deps.conversations.renewLease(userId, promptId, generation, now)
  if (!prompt) throw notFound('open prompt')
  if (text) await pushText(deps, userId, { promptId, draft: firstDraft(prompt.attempt), from, text })
  return stoppedOf(prompt)
}

async function draft({ promptId, text }: Extract<Observation, { kind: 'draft' }>, reporter: Reporter, deps: Deps) {
  const { userId, generation, now } = reporter
  const prompt = await deps.conversations.renewLease(userId, promptId, generation, now)
  if (!prompt) throw notFound('open prompt')
  if (prompt.channel !== 'web') await deps.outgoingMessages.grow(userId, promptId, text)
  return stoppedOf(prompt)
}

async function heartbeat(seen: Extract<Observation, { kind: 'heartbeat' }>, reporter: Reporter, deps: Deps) {
  const { userId, generation, now } = reporter
  const prompt = seen.promptId ? await deps.conversations.renewLease(userId, seen.promptId, generation, now) : null
  if (seen.busy) await deps.instances.touch(userId, iso(now), 'nobody')
  const samples = samplesOf(seen, now)
  const last = samples.at(-1)
  if (last) {
    await deps.metrics.record(userId, samples)
    await watchVolume(deps, userId, last.diskBytes, now)
  }
  if (!seen.samples) return stoppedOf(prompt)
  // An idle machine sends only such a heartbeat for a while.
  await dailyPoint(reporter, deps)
  return { ...stoppedOf(prompt), work: await deps.conversations.untaken(userId, generation, now) }
}

/** The useful measurements of a heartbeat: none older than the shown range, and none from a clock that is ahead. */
function samplesOf({ measured, samples = [] }: Extract<Observation, { kind: 'heartbeat' }>, now: number): Sample[] {
  const shown = samples.filter(({ at }) => now - Date.parse(at) < samplesShownMs && Date.parse(at) <= now + secondMs)
  return [...shown, ...(measured ? [{ ...measured, at: iso(now) }] : [])]
}

/** A machine asks for its daily restore point; the service decides whether one is due. */
async function dailyPoint({ userId, instanceId, now }: Reporter, deps: Deps) {
  const points = await deps.restorePoints.list(userId)
  const fresh = points.some(({ state, createdAt }) => state !== 'failed' && now - Date.parse(createdAt) < dailyMs)
  if (!fresh) await requestRestorePoint(deps, { id: instanceId, userId }, 'daily', now)
}

async function task(seen: Extract<Observation, { kind: 'task' }>, { now, ...machine }: Reporter, deps: Deps) {
  const { userId, generation } = machine
  const outcome = seen.result ?? seen.failure
  const leased = outcome
    ? await deps.tasks.findLeased(userId, seen.taskId, generation)
    : await deps.tasks.renewLease(userId, seen.taskId, generation, now)
  if (outcome && leased && leased !== true) await finishTask(deps, machine, leased, outcome, now)
  // A repeated report of an end finds no open task; a report about another user's task is refused.
  if (!leased && !(outcome && (await deps.tasks.find(userId, seen.taskId)))) throw notFound('open task')
}
