import { openCheckMs } from '../../domain/channels/delivery.ts'
import { endedText } from '../../domain/channels/lines.ts'
import { questionContent } from '../../domain/channels/question-buttons.ts'
import type { Outcome } from '../../domain/chat/message.ts'
import type { Settings } from '../ports/basics.ts'
import type { OutgoingMessages } from '../ports/channels.ts'
import type { Conversations, Questions } from '../ports/chat.ts'

/** Keeps the text so far and adds why it ends. */
export async function endReply(
  { outgoingMessages, settings }: { outgoingMessages: OutgoingMessages; settings: Settings },
  userId: string,
  promptId: string,
  outcome: Outcome,
  nowMs: number,
): Promise<void> {
  const open = await outgoingMessages.find(userId, promptId)
  if (open?.state !== 'open') return
  await outgoingMessages.replace(
    userId,
    promptId,
    { text: endedText(outcome, open.draft, settings.publicOrigin) },
    nowMs,
  )
}

/** Ends an overdue reply, in case the end of its prompt was not reported. */
export async function endOverdueReply(
  deps: { conversations: Conversations; outgoingMessages: OutgoingMessages; settings: Settings },
  userId: string,
  promptId: string,
  nowMs: number,
): Promise<void> {
  const open = await deps.outgoingMessages.find(userId, promptId)
  if (open?.state !== 'open' || open.dueAt === undefined || open.dueAt > nowMs) return
  const outcome = await deps.conversations.outcomeOf(userId, promptId)
  if (outcome) return endReply(deps, userId, promptId, outcome, nowMs)
  const { state, failures, reason } = open
  await deps.outgoingMessages.settle(open, { state, failures, reason, dueAt: nowMs + openCheckMs })
}

export async function showAnswer(
  deps: { outgoingMessages: OutgoingMessages; questions: Questions; settings: Settings },
  userId: string,
  questionId: string,
  nowMs: number,
): Promise<void> {
  if (!(await deps.outgoingMessages.find(userId, questionId))) return
  const question = await deps.questions.find(userId, questionId, nowMs)
  if (question?.state !== 'answered') return
  const content = questionContent(question, deps.settings.publicOrigin)
  await deps.outgoingMessages.replace(userId, questionId, content, nowMs)
}
