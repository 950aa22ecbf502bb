import * as z from 'zod'
import { promptIdOf } from '../../domain/chat/names.ts'
import { idPattern, timeOfId } from '../../domain/ids.ts'
import { dayMs } from '../../domain/time.ts'
import type { Transaction } from '../../domain/wallet/ledger.ts'
import { turnCost, turnCostOf } from '../../domain/wallet/turn-cost.ts'
import { operation } from '../kit/operation.ts'

/** A turn's calls are looked for so long after its message, ms, and among so many lines of the ledger. */
const longestTurnMs = dayMs
const mostLines = 2_000

export const getMessageCost = operation({
  id: 'getMessageCost',
  summary: 'What answering a message has cost so far',
  description:
    'The model calls that the agent proved to be made for it, added up by model and by sub-agent. Calls of a message that ' +
    'nobody answered yet, or that is not yours, are none. `isWhole` is false when the ledger of that day was too long to read to its end.',
  http: { method: 'GET', path: '/chat/messages/{id}/cost' },
  auth: 'user',
  scope: 'mcp:wallet.read',
  input: z.strictObject({
    id: z
      .string()
      .regex(idPattern('msg'), 'Send the id of a message, msg_…')
      .meta({ description: 'Of the user’s message.' }),
  }),
  output: z.object({ cost: turnCost, isWhole: z.boolean() }),
  uses: { wallets: 'read' },
  run: async ({ input, actor, deps, now }) => {
    const sentMs = timeOfId(input.id)
    const lines: Transaction[] = []
    const read = deps.wallets.lines(actor.userId, sentMs, Math.min(sentMs + longestTurnMs, now + 1))
    for await (const line of read) if (lines.push(line) === mostLines) break
    return { cost: turnCostOf(lines, promptIdOf(input.id)), isWhole: lines.length < mostLines }
  },
})
