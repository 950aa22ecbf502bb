import * as z from 'zod'
import { question } from '../../domain/chat/question.ts'
import { operation } from '../kit/operation.ts'

export const listQuestions = operation({
  id: 'listQuestions',
  summary: 'List the agent’s questions, oldest first',
  description: 'Returns the newest fifty. Those that are `open` wait for an answer.',
  http: { method: 'GET', path: '/chat/questions' },
  auth: 'user',
  scope: 'api:chat',
  viewed: 'messages',
  input: z.strictObject({}),
  output: z.object({ questions: z.array(question) }),
  uses: { questions: 'read' },
  run: async ({ actor, deps, now }) => ({ questions: await deps.questions.list(actor.userId, now) }),
})
