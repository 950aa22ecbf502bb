import { type FinalContent, ready } from '../../domain/channels/delivery.ts'
import { homeOf } from '../../domain/channels/link.ts'
import { questionContent } from '../../domain/channels/question-buttons.ts'
import type { Message, Prompt } from '../../domain/chat/message.ts'
import type { Question } from '../../domain/chat/question.ts'
import type { Settings } from '../ports/basics.ts'
import type { ChannelLinks, OutgoingMessages } from '../ports/channels.ts'

export type ReplyPorts = { channelLinks: ChannelLinks; outgoingMessages: OutgoingMessages }

const contentOf = ({ text, attachments = [] }: Pick<Message, 'text' | 'attachments'>): FinalContent => ({
  text,
  ...(attachments.length > 0 && { attachments: attachments.map(({ id }) => id) }),
})

/** `act` writes the reply; the chat's message is stored with it. A schedule's answer goes to the home chat, if any. */
export async function replyInChat<T>(
  deps: ReplyPorts,
  userId: string,
  { id, channel, trigger }: Pick<Prompt, 'id' | 'channel' | 'trigger'>,
  message: Pick<Message, 'text' | 'attachments'>,
  nowMs: number,
  act: () => Promise<T>,
): Promise<T> {
  if (channel === 'web')
    return trigger === 'schedule' ? sayAtHome(deps, userId, id, contentOf(message), nowMs, act) : act()
  const open = await deps.outgoingMessages.find(userId, id)
  if (open?.state !== 'open') return act()
  return deps.outgoingMessages.finishAlong(userId, id, contentOf(message), nowMs, act)
}

/** `act` writes the message; one for the user's home chat is stored with it. */
export const sayInChat = <T>(
  deps: ReplyPorts,
  userId: string,
  message: Pick<Message, 'id' | 'text' | 'attachments'>,
  nowMs: number,
  act: () => Promise<T>,
): Promise<T> => sayAtHome(deps, userId, message.id, contentOf(message), nowMs, act)

/** `act` writes the question; one for the prompt's chat, or else the home chat, is stored with it. */
export async function askInChat<T>(
  deps: ReplyPorts & { settings: Settings },
  userId: string,
  question: Question,
  nowMs: number,
  act: () => Promise<T>,
): Promise<T> {
  const content = questionContent(question, deps.settings.publicOrigin)
  const reply = question.promptId ? await deps.outgoingMessages.find(userId, question.promptId) : null
  if (!reply) return sayAtHome(deps, userId, question.id, content, nowMs, act)
  const { chat, context } = reply
  return deps.outgoingMessages.along(ready({ userId, chat, context }, question.id, content, nowMs), act)
}

async function sayAtHome<T>(
  { channelLinks, outgoingMessages }: ReplyPorts,
  userId: string,
  key: string,
  content: FinalContent,
  nowMs: number,
  act: () => Promise<T>,
): Promise<T> {
  const home = homeOf(await channelLinks.list(userId))
  if (!home) return act()
  return outgoingMessages.along(ready({ userId, chat: home.chat, context: {} }, key, content, nowMs), act)
}
