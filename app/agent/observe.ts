import { type Activity, maxActivities } from '../../domain/agent/activity.ts'
import type { Observation, Observed } from '../../domain/agent/observation.ts'
import type { Conversation } from '../../domain/chat/conversation.ts'
import type { Message, Prompt } from '../../domain/chat/message.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import { canonicalJson, type Question } from '../../domain/chat/question.ts'
import { notFound } from '../../domain/errors.ts'
import { redact } from '../../domain/redaction.ts'
import { iso, secondMs } from '../../domain/time.ts'
import { askInChat, sayInChat } from '../channels/reply.ts'
import { attached, requireStored } from '../chat/attachments.ts'
import type { Ids, Settings } from '../ports/basics.ts'
import type { ChannelLinks, OutgoingMessages } from '../ports/channels.ts'
import type { AttachmentFiles, Attachments, Conversations, Events, Questions } from '../ports/chat.ts'
import type { Instances } from '../ports/instance.ts'
import { sha256Of } from '../sha256.ts'

type ObservePorts = {
  attachments: Attachments
  attachmentFiles: AttachmentFiles
  channelLinks: ChannelLinks
  conversations: Conversations
  events: Events
  instances: Instances
  outgoingMessages: OutgoingMessages
  questions: Questions
  ids: Ids
  settings: Settings
}

interface Reporter {
  userId: string
  generation: number
  /** ms since 1970. */
  now: number
}

type Of<K extends Observation['kind']> = Extract<Observation, { kind: K }>

/** Tells the machine that the user has cancelled the prompt. */
export const stoppedOf = (prompt: Pick<Prompt, 'stoppedAt'> | null): Pick<Observed, 'stopped'> =>
  prompt?.stoppedAt === undefined ? {} : { stopped: true }

/** Takes secrets out of the activities. @throws not-found when the prompt is not the reporter's */
export async function showActivities(
  deps: ObservePorts,
  { userId, generation, now }: Reporter,
  { promptId, activities }: Of<'activity'>,
): Promise<Pick<Observed, 'stopped'>> {
  const prompt = await deps.conversations.renewLease(userId, promptId, generation, now, activities.length)
  if (!prompt) throw notFound('open prompt')
  if (prompt.activities <= maxActivities)
    await deps.events.record(userId, 'message.activity', { promptId, activities: activities.map(redacted) })
  return stoppedOf(prompt)
}

const redacted = ({ target, ...activity }: Activity): Activity => ({
  ...activity,
  ...(target !== undefined && { target: redact(target) }),
})

/**
 * Writes an unprompted message once per key; a repetition is announced again.
 * @throws rate-limited, not-found for a conversation that the user does not have
 */
export async function say(deps: ObservePorts, { userId, now }: Reporter, said: Of<'message'>): Promise<Message> {
  const { key, text, startConversation, attachments = [] } = said
  const files = await requireStored(deps, { userId, role: 'agent' }, attachments, now)
  const at = iso(now)
  const started: Conversation | null = startConversation
    ? {
        ...startConversation,
        id: deps.ids.next('cnv'),
        startedBy: 'agent',
        archived: false,
        createdAt: at,
        lastMessageAt: at,
      }
    : null
  const conversation = started?.id ?? said.conversation ?? mainConversation
  const message: Message = {
    id: deps.ids.next('msg'),
    role: 'agent',
    text,
    conversation,
    channel: 'web',
    at,
    ...attached(files),
  }
  const written = await sayInChat(deps, userId, message, now, () =>
    deps.conversations.say(userId, key, message, started, now),
  )
  if (started && written.conversation === started.id)
    await deps.events.record(userId, 'conversation.changed', { conversation: started })
  await deps.events.record(userId, 'message.sent', { message: written })
  return written
}

/** @throws rate-limited, not-found */
export async function ask(deps: ObservePorts, { userId, generation, now }: Reporter, asked: Of<'question'>) {
  const { kind: _, key, promptId = null, expiresInSeconds, ...what } = asked
  if (promptId !== null && !(await deps.conversations.renewLease(userId, promptId, generation, now)))
    throw notFound('open prompt')
  const question: Question = {
    ...what,
    id: deps.ids.next('qst'),
    promptId,
    argumentsSha256: what.arguments ? await sha256Of(canonicalJson(what.arguments)) : null,
    askedAt: iso(now),
    expiresAt: iso(now + expiresInSeconds * secondMs),
    state: 'open',
    given: null,
    answeredAt: null,
  }
  const stands = await askInChat(deps, userId, question, now, () => deps.questions.ask(userId, key, question, now))
  // The event carries the question without its `subject`, which may be larger than an event allows.
  await deps.events.record(userId, 'question.asked', { questionId: stands.id, promptId, text: stands.text })
  return stands
}
