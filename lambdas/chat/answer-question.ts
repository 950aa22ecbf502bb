import * as z from 'zod'
import { answers, canonicalJson, question, questionAnswer, questionId } from '../../domain/chat/question.ts'
import { conflict, invalid, notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

const wanted = {
  approve: 'Send {"approved": true} or {"approved": false}.',
  choose: 'Send {"choice": …} with one of the question’s choices.',
  text: 'Send {"text": …}.',
} as const

export const answerQuestion = operation({
  id: 'answerQuestion',
  summary: 'Answer what the agent asks',
  description:
    'Once, and before it expires. An approval is for the tool and arguments of the question alone. The same answer again is answered alike.',
  http: { method: 'POST', path: '/chat/questions/{id}/answer' },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({ id: questionId, answer: questionAnswer }),
  output: z.object({ question }),
  errors: ['not-found', 'conflict'],
  commits: true,
  uses: { questions: 'write', events: 'write' },
  run: async ({ input, actor: { userId }, deps, now, commit }) => {
    const asked = await deps.questions.find(userId, input.id, now)
    if (!asked) throw notFound('question')
    if (!answers(asked, input.answer)) throw invalid('answer', wanted[asked.answer])
    const stands = await commit(asked.id, () => deps.questions.answer(userId, asked.id, input.answer, now))
    if (!stands || stands.state === 'expired')
      throw conflict('It has expired. The agent asks again if it still matters.')
    if (canonicalJson(stands.given) !== canonicalJson(input.answer)) throw conflict('It was answered before.')
    await deps.events.record(userId, 'question.answered', { questionId: stands.id })
    return { question: stands }
  },
})
