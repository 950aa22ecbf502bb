import * as z from 'zod'
import { answerQuestion as answer } from '../../app/chat/answer-question.ts'
import { givenAnswer, question, questionId } from '../../domain/chat/question.ts'
import { operation } from '../kit/operation.ts'

export const answerQuestion = operation({
  id: 'answerQuestion',
  summary: 'Answer what the agent asks',
  description:
    'Once, and before it expires. An approval is for the tool and arguments of the question alone. The same answer again is answered alike.',
  http: { method: 'POST', path: '/chat/questions/{id}/answer' },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({ id: questionId, answer: givenAnswer }),
  output: z.object({ question }),
  errors: ['not-found', 'conflict'],
  commits: true,
  uses: { questions: 'write', events: 'write' },
  run: async ({ input, actor, deps, now, outboxFor }) => ({
    question: await answer(deps, actor.userId, input, now, outboxFor),
  }),
})
