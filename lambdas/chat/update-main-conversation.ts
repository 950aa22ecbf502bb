import * as z from 'zod'
import { checkModel } from '../../app/models/check-model.ts'
import { chosenModel, mainState } from '../../domain/chat/conversation.ts'
import { invalid } from '../../domain/errors.ts'
import { operation } from '../kit/operation.ts'

export const updateMainConversation = operation({
  id: 'updateMainConversation',
  summary: 'Mark the main conversation as read or unread, or choose its model',
  description: 'The model is used from the next reply on; null chooses the default of the instance.',
  http: { method: 'PATCH', path: '/chat/conversations/main' },
  auth: 'user',
  scope: 'api:chat',
  input: z.strictObject({ unread: z.boolean().optional(), model: chosenModel.optional() }),
  output: z.object({ main: mainState }),
  exampleInput: { unread: false },
  uses: { conversations: 'write', models: 'read' },
  run: async ({ input, actor: { userId }, deps, now }) => {
    if (Object.keys(input).length === 0) throw invalid('unread', 'send it or `model`.')
    if (input.model) await checkModel(deps.models, input.model)
    return { main: await deps.conversations.changeMain(userId, input, now) }
  },
})
