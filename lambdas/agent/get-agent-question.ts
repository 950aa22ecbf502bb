import * as z from 'zod'
import { question, questionId } from '../../domain/chat/question.ts'
import { notFound } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const getAgentQuestion = operation({
  id: 'getAgentQuestion',
  summary: 'Get the owner’s answer to a question',
  description: 'An approval is valid for one call, with the arguments whose hash it contains.',
  http: { method: 'GET', path: '/agent/question' },
  auth: 'agent',
  limit: 'agent',
  input: z.strictObject({ id: questionId.meta({ description: 'Id of the question.' }) }),
  output: z.object({ question }),
  errors: ['not-found'],
  uses: { questions: 'read' },
  run: async ({ input, actor, deps, now }) => {
    const found = await deps.questions.find(actor.userId, input.id, now)
    if (!found) throw notFound('question')
    return { question: found }
  },
})
