import type { Message, Prompt } from '../chat/message.ts'

export interface Turn {
  /** What was said before the prompt, oldest first. */
  history: Message[]
  /** The reply already written for this prompt; whoever sees one has only to close it. */
  reply: Message | null
}

/** Splits a conversation's newest messages around a prompt: later messages of the user have prompts of their own. */
export function turnOf(prompt: Pick<Prompt, 'messageId'>, messages: Message[]): Turn {
  const isReply = (one: Message) => one.role === 'agent' && one.inReplyTo === prompt.messageId
  return {
    history: messages.filter((one) => !isReply(one) && (one.role === 'agent' || one.id < prompt.messageId)),
    reply: messages.find(isReply) ?? null,
  }
}
