import { answers, canonicalJson, type GivenAnswer, type Question } from '../../domain/chat/question.ts'
import { conflict, invalid, notFound } from '../../domain/errors.ts'
import type { OutboxFor } from '../outbox/outbox.ts'
import type { Events, Questions } from '../ports/chat.ts'

const shapes = {
  approve: 'Send {"approved": true} or {"approved": false}.',
  choose: 'Send {"choice": …} with one of the question’s choices.',
  text: 'Send {"text": …}.',
} as const

/** @throws not-found, validation, conflict when the question has another answer or is expired */
export async function answerQuestion(
  deps: { questions: Questions; events: Events },
  userId: string,
  { id, answer }: { id: string; answer: GivenAnswer },
  nowMs: number,
  outboxFor: OutboxFor,
): Promise<Question> {
  const question = await deps.questions.find(userId, id, nowMs)
  if (!question) throw notFound('question')
  if (!answers(question, answer)) throw invalid('answer', shapes[question.answer])
  const stands = await deps.questions.answer(userId, question.id, answer, nowMs, outboxFor(question.id))
  if (!stands || stands.state === 'expired')
    throw conflict('The question has expired. The agent asks again if it still needs an answer.')
  if (canonicalJson(stands.given) !== canonicalJson(answer)) throw conflict('This question was already answered.')
  await deps.events.record(userId, 'question.answered', { questionId: stands.id })
  return stands
}
