import { sentIn } from '../../domain/channels/delivery.ts'
import type { Happening, Inbound } from '../../domain/channels/inbound.ts'
import { lines } from '../../domain/channels/lines.ts'
import type { LinkRecord } from '../../domain/channels/link.ts'
import { answerOf, readButton } from '../../domain/channels/question-buttons.ts'
import { DomainError } from '../../domain/errors.ts'
import { answerQuestion } from '../chat/answer-question.ts'
import type { OutboxPorts } from '../outbox/outbox.ts'
import type { Audit } from '../ports/account.ts'
import type { OutgoingMessages } from '../ports/channels.ts'
import type { Events, Questions } from '../ports/chat.ts'
import { outboxAs } from './outbox.ts'

/**
 * The press counts only in the chat and under the message of the question; the caller has checked the person.
 * @returns the message for the chat; null if the question itself shows the answer
 */
export async function answerButton(
  deps: { questions: Questions; events: Events; outgoingMessages: OutgoingMessages; audit: Audit } & OutboxPorts,
  link: LinkRecord,
  inbound: Inbound,
  { data, messageId }: Extract<Happening, { kind: 'button' }>,
  nowMs: number,
): Promise<string | null> {
  const { userId } = link
  const pressed = readButton(data)
  if (!pressed) return lines.answeredBefore
  const [question, put, sent] = await Promise.all([
    deps.questions.find(userId, pressed.questionId, nowMs),
    deps.outgoingMessages.find(userId, pressed.questionId),
    deps.outgoingMessages.sent(userId, pressed.questionId),
  ])
  const answer = question && answerOf(question, pressed.option)
  if (!question || !answer || !put || !sent.messageIds.includes(messageId)) return lines.answeredBefore
  const { platform, id } = inbound.chat
  if (put.chat.platform !== platform || sentIn(put, sent) !== id) return lines.answeredBefore
  try {
    await answerQuestion(deps, userId, { id: question.id, answer }, nowMs, outboxAs(deps, link, 'answerQuestion'))
    return null
  } catch (error) {
    if (error instanceof DomainError) return lines.answeredBefore
    throw error
  }
}
