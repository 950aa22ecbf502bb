import { newConversation } from '../../domain/chat/conversation.ts'
import type { Message } from '../../domain/chat/message.ts'
import { mainConversation } from '../../domain/chat/names.ts'
import { canonicalJson, type Question } from '../../domain/chat/question.ts'
import { notFound } from '../../domain/errors.ts'
import { iso, secondMs } from '../../domain/time.ts'
import { askInChat, sayInChat } from '../channels/reply.ts'
import { attached, requireStored } from '../chat/attachments.ts'
import type { Settings } from '../ports/basics.ts'
import type { Questions } from '../ports/chat.ts'
import { sha256Of } from '../sha256.ts'
import type { PromptPorts } from './prompt-reports.ts'
import type { Report, Reporter } from './reporter.ts'

export type SayPorts = PromptPorts & { questions: Questions; settings: Settings }

/**
 * Writes an unprompted message once per key; a repetition is announced again.
 * @throws rate-limited, not-found for a conversation that the user does not have
 */
export async function say(deps: SayPorts, { userId, now }: Reporter, report: Report<'message'>): Promise<Message> {
  const { key, text, startConversation, attachments = [] } = report
  const files = await requireStored(deps, { userId, role: 'agent' }, attachments, now)
  const at = iso(now)
  const id = deps.ids.next('cnv')
  const started = startConversation
    ? newConversation({ ...startConversation, id, startedBy: 'agent', createdAt: at, unread: true, lastMessageAt: at })
    : null
  const conversation = started?.id ?? report.conversation ?? mainConversation
  const message: Message = {
    id: deps.ids.next('msg'),
    role: 'agent',
    text,
    conversation,
    channel: 'web',
    at,
    ...attached(files),
  }
  const inChat = await sayInChat(deps, userId, message, now)
  const written = await deps.conversations.say(userId, key, message, started, now, ...inChat)
  if (started && written.conversation === started.id)
    await deps.events.record(userId, 'conversation.changed', { conversation: started })
  await deps.events.record(userId, 'message.sent', { message: written })
  return written
}

/** @throws rate-limited, not-found */
export async function ask(deps: SayPorts, { userId, generation, now }: Reporter, report: Report<'question'>) {
  const { kind: _, key, promptId = null, expiresInSeconds, ...what } = report
  const prompt = promptId === null ? null : await deps.conversations.renewLease(userId, promptId, generation, now)
  if (promptId !== null && !prompt) throw notFound('open prompt')
  const question: Question = {
    ...what,
    id: deps.ids.next('qst'),
    promptId,
    conversation: prompt?.conversation ?? mainConversation,
    argumentsSha256: what.arguments ? await sha256Of(canonicalJson(what.arguments)) : null,
    askedAt: iso(now),
    expiresAt: iso(now + expiresInSeconds * secondMs),
    state: 'open',
    given: null,
    answeredAt: null,
  }
  const inChat = await askInChat(deps, userId, question, now)
  const stands = await deps.questions.ask(userId, key, question, now, ...inChat)
  // The event carries the question without its `subject`, which may be larger than an event allows.
  await deps.events.record(userId, 'question.asked', { questionId: stands.id, promptId, text: stands.text })
  return stands
}
