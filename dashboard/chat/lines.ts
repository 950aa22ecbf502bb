import type { Message } from '../../domain/chat/message.ts'
import { messageIdOf } from '../../domain/chat/names.ts'
import type { Conversation } from './conversation.ts'
import type { Question } from './open-questions.tsx'
import type { Outgoing } from './outbox.ts'

export type Line =
  | {
      is: 'message'
      message: Message
      before: Message | undefined
      /** The user's message that a reply answers, where the order does not say it. */
      question: Message | undefined
      /** The outcome of a user's message that has no reply, and waits for none. */
      outcome: Message['outcome']
    }
  | { is: 'asked'; question: Question }
  | { is: 'outgoing'; message: Outgoing }
  | { is: 'end' }

type Shown = Pick<Conversation, 'messages' | 'asked' | 'outgoing' | 'unanswered'>

/** The lines of the shown branch, in order of time. */
export function linesOf({ messages, asked, outgoing, unanswered }: Shown): Line[] {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const answered = new Set(messages.map(({ inReplyTo }) => inReplyTo))
  let last: Message | undefined
  const said = messages.map((message, at): Line => {
    if (message.role === 'user') last = message
    const isNext = message.inReplyTo === undefined || message.inReplyTo === last?.id
    const question = isNext ? undefined : byId.get(message.inReplyTo ?? '')
    const hasEnd = message.role === 'user' && !answered.has(message.id) && message.id !== unanswered?.id
    const outcome = hasEnd ? message.outcome : undefined
    return { is: 'message', message, before: messages[at - 1], question, outcome }
  })
  const ours = asked
    .filter(({ promptId }) => promptId === null || byId.has(messageIdOf(promptId)))
    .map((question): Line => ({ is: 'asked', question }))
  return [
    ...[...said, ...ours].sort((a, b) => (momentOf(a) < momentOf(b) ? -1 : 1)),
    ...outgoing.map((message): Line => ({ is: 'outgoing', message })),
    { is: 'end' },
  ]
}

/** The part of an id that sorts by time, whatever its prefix. */
function momentOf(line: Line): string {
  const id = line.is === 'message' ? line.message.id : line.is === 'asked' ? line.question.id : '_~'
  return id.slice(id.indexOf('_') + 1)
}
