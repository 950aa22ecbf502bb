import { type Activity, maxActivities } from '../../domain/agent/activity.ts'
import type { Observed } from '../../domain/agent/observation.ts'
import type { Message, Prompt } from '../../domain/chat/message.ts'
import { notFound } from '../../domain/errors.ts'
import { timeOfId } from '../../domain/ids.ts'
import { redact } from '../../domain/redaction.ts'
import { firstDraft } from '../../domain/socket/message.ts'
import { iso } from '../../domain/time.ts'
import { type ReplyPorts, replyInChat } from '../channels/reply.ts'
import { attached, requireStored } from '../chat/attachments.ts'
import type { Alarms, Ids } from '../ports/basics.ts'
import type { AttachmentFiles, Attachments, Conversations, Events } from '../ports/chat.ts'
import type { Instances } from '../ports/instance.ts'
import { type PushPorts, pushText } from '../socket/push.ts'
import type { Report, Reporter } from './reporter.ts'

export type PromptPorts = ReplyPorts &
  PushPorts & {
    attachments: Attachments
    attachmentFiles: AttachmentFiles
    conversations: Conversations
    events: Events
    instances: Instances
    alarms: Alarms
    ids: Ids
  }

/** Notifies the machine that the user has cancelled the prompt. */
export const stoppedOf = (prompt: Pick<Prompt, 'stoppedAt'> | null): Pick<Observed, 'stopped'> =>
  prompt?.stoppedAt === undefined ? {} : { stopped: true }

/** Writes a prompt's reply once. @throws not-found */
export async function reply(deps: PromptPorts, { userId, now }: Reporter, report: Report<'reply'>) {
  const [prompt, files] = await Promise.all([
    deps.conversations.openPrompt(userId, report.promptId),
    requireStored(deps, { userId, role: 'agent' }, report.attachments ?? [], now),
  ])
  if (!prompt) throw notFound('open prompt')
  const ended = prompt.stoppedAt ? 'stopped' : report.outcome
  const message: Message = {
    id: deps.ids.next('msg'),
    role: 'agent',
    text: report.text,
    conversation: prompt.conversation,
    channel: prompt.channel,
    at: iso(now),
    inReplyTo: prompt.messageId,
    ...(ended && { outcome: ended }),
    ...(report.refusal && { refusal: report.refusal }),
    ...attached(files),
  }
  const inChat = await replyInChat(deps, userId, prompt, message, now)
  const written = await deps.conversations.reply(userId, report.promptId, message, ...inChat)
  // Also announced for a repeated call: a machine repeats the call when it missed the first answer.
  await deps.events.record(userId, 'message.sent', { message: written, promptId: report.promptId })
  await deps.instances.touch(userId, iso(now), prompt.trigger === 'schedule' ? 'nobody' : 'person')
  return written
}

/** @throws not-found when the prompt is not the reporter's */
export async function showProgress(
  deps: PromptPorts,
  { userId, generation, now }: Reporter,
  { promptId, from, text }: Report<'progress'>,
) {
  const prompt = await deps.conversations.renewLease(userId, promptId, generation, now)
  if (!prompt) throw notFound('open prompt')
  // A schedule's reply has no reader who waits.
  if (text && from === 0 && prompt.trigger === 'chat' && prompt.attempt === 1)
    deps.alarms.measure('FirstWordMs', now - timeOfId(promptId))
  if (text) await pushText(deps, userId, { promptId, draft: firstDraft(prompt.attempt), from, text })
  return stoppedOf(prompt)
}

/** @throws not-found when the prompt is not the reporter's */
export async function showDraft(
  deps: PromptPorts,
  { userId, generation, now }: Reporter,
  { promptId, text }: Report<'draft'>,
) {
  const prompt = await deps.conversations.renewLease(userId, promptId, generation, now)
  if (!prompt) throw notFound('open prompt')
  if (prompt.channel !== 'web') await deps.outgoingMessages.grow(userId, promptId, text)
  return stoppedOf(prompt)
}

/** Takes secrets out of the activities. @throws not-found when the prompt is not the reporter's */
export async function showActivities(
  deps: PromptPorts,
  { userId, generation, now }: Reporter,
  { promptId, activities }: Report<'activity'>,
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
