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
    'The model calls that the agent proved to be made for it, added up by model and by sub-agent. Calls of a message that ' +
    'nobody answered yet, or that is not yours, are none. `isWhole` is false when the ledger of that day was too long to read to its end.',
  http: { method: 'GET', path: '/chat/messages/{id}/cost' },
  auth: 'user',
  scope: 'mcp:wallet.read',
  viewed: 'account',
  input: z.strictObject({
    id: messageId.meta({ description: 'The id of the user’s message.' }),
  }),
  output: z.object({
    cost: turnCost,
    calls: z
      .array(transaction)
      .meta({ description: 'The lines of these calls in the ledger, each with its receipt; the latest fifty.' }),
    isWhole: z.boolean(),
  }),
  uses: { wallets: 'read' },
  run: ({ input, actor, deps, now }) => costOfTurn(deps, actor.userId, promptIdOf(input.id), now),
})
