import * as z from 'zod'
import { costOfTurn } from '../../app/wallet/turn-cost.ts'
import { messageId } from '../../domain/chat/message.ts'
import { promptIdOf } from '../../domain/chat/names.ts'
import { transaction } from '../../domain/wallet/ledger.ts'
import { turnCost } from '../../domain/wallet/turn-cost.ts'
import { operation } from '../kit/operation.ts'

export const getMessageCost = operation({
  id: 'getMessageCost',
  summary: 'Get the cost of answering a message so far',
  description:
    'Adds up the model calls that the agent proved to have made for the message, by model and by sub-agent. There ' +
    'are none for a message without an answer or of another user. `isWhole` is false if that day’s ledger was too ' +
    'long to read completely.',
  http: { method: 'GET', path: '/chat/messages/{id}/cost' },
  auth: 'user',
  scope: 'mcp:wallet.read',
  viewed: 'account',
  input: z.strictObject({ id: messageId.meta({ description: 'The id of the user’s message.' }) }),
  output: z.object({
    cost: turnCost,
    calls: z
      .array(transaction)
      .meta({ description: 'The ledger entries of these calls with their receipts; the latest fifty.' }),
    isWhole: z.boolean(),
  }),
  uses: { wallets: 'read' },
  run: ({ input, actor, deps, now }) => costOfTurn(deps, actor.userId, promptIdOf(input.id), now),
})
