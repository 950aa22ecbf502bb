import * as z from 'zod'
import { question } from '../../domain/chat/question.ts'
import { operation } from '../kit/operation.ts'

export const listQuestions = operation({
  id: 'listQuestions',
  summary: 'What the agent has asked, oldest first',
  description: 'The newest fifty; those that are `open` wait for an answer.',
  http: { method: 'GET', path: '/chat/questions' },
  tool: {
    name: 'chat.listQuestions',
    title: 'List what the agent asks',
    description:
      'Lists what the user’s agent has asked its owner, oldest first: approvals with the exact tool and arguments they are for, choices, ' +
      'free text. Those in state "open" wait until expiresAt; answer them with chat.answerQuestion.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({}),
  output: z.object({ questions: z.array(question) }),
  uses: { questions: 'read' },
  run: async ({ actor, deps, now }) => ({ questions: await deps.questions.list(actor.userId, now) }),
})
