import * as z from 'zod'
import { answerQuestion as answer } from '../../app/chat/answer-question.ts'
import { givenAnswer, question, questionId } from '../../domain/chat/question.ts'
import { operation } from '../kit/operation.ts'

export const answerQuestion = operation({
  id: 'answerQuestion',
  summary: 'Answer a question of the agent',
  description:
    'A question can be answered once, before it expires. An approval applies only to the tool and arguments of the ' +
    'question. Repeating the same answer gets the same response.',
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
