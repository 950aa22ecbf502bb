import { type FinalContent, ready } from '../../domain/channels/delivery.ts'
import { lines } from '../../domain/channels/lines.ts'
import { homeOf } from '../../domain/channels/link.ts'
import { questionContent } from '../../domain/channels/question-buttons.ts'
import type { Message, Prompt } from '../../domain/chat/message.ts'
import type { Question } from '../../domain/chat/question.ts'
import { remedyFor } from '../../domain/chat/remedy.ts'
import type { Settings } from '../ports/basics.ts'
import type { ChannelLinks, OutgoingMessages } from '../ports/channels.ts'
import type { Part } from '../ports/part.ts'

export type ReplyPorts = { channelLinks: ChannelLinks; outgoingMessages: OutgoingMessages; settings: Settings }

/** A refused reply ends with the address where its user can change that. */
function contentOf(
  { text, attachments = [], refusal }: Pick<Message, 'text' | 'attachments' | 'refusal'>,
  { settings }: ReplyPorts,
): FinalContent {
  const remedy = remedyFor(refusal)
  return {
    text: remedy ? `${text}\n\n${lines.remedy[remedy](settings.publicOrigin)}` : text,
    ...(attachments.length > 0 && { attachments: attachments.map(({ id }) => id) }),
  }
}

/** The chat's message, to write with the reply. A schedule's answer goes to the home chat, if any. */
export async function replyInChat(
  deps: ReplyPorts,
  userId: string,
  { id, channel, trigger }: Pick<Prompt, 'id' | 'channel' | 'trigger'>,
  message: Pick<Message, 'text' | 'attachments' | 'refusal'>,
  nowMs: number,
): Promise<Part[]> {
  if (channel === 'web')
    return trigger === 'schedule' ? sayAtHome(deps, userId, id, contentOf(message, deps), nowMs) : []
  const open = await deps.outgoingMessages.find(userId, id)
  return open?.state === 'open' ? [deps.outgoingMessages.finalContent(userId, id, contentOf(message, deps), nowMs)] : []
}

/** A message for the user's home chat, if any, to write with the agent's message. */
export const sayInChat = (
  deps: ReplyPorts,
  userId: string,
  message: Pick<Message, 'id' | 'text' | 'attachments'>,
  nowMs: number,
): Promise<Part[]> => sayAtHome(deps, userId, message.id, contentOf(message, deps), nowMs)

/** A message for the prompt's chat, or else the home chat, to write with the question. */
export async function askInChat(deps: ReplyPorts, userId: string, question: Question, nowMs: number): Promise<Part[]> {
  const content = questionContent(question, deps.settings.publicOrigin)
  const reply = question.promptId ? await deps.outgoingMessages.find(userId, question.promptId) : null
  if (!reply) return sayAtHome(deps, userId, question.id, content, nowMs)
  const { chat, context } = reply
  return [deps.outgoingMessages.entry(ready({ userId, chat, context }, question.id, content, nowMs))]
}

async function sayAtHome(
  { channelLinks, outgoingMessages }: ReplyPorts,
  userId: string,
  key: string,
  content: FinalContent,
  nowMs: number,
): Promise<Part[]> {
  const home = homeOf(await channelLinks.list(userId))
  return home ? [outgoingMessages.entry(ready({ userId, chat: home.chat, context: {} }, key, content, nowMs))] : []
}
