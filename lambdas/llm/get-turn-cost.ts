import * as z from 'zod'
import { costOfMonth, costOfTurn } from '../../app/wallet/turn-cost.ts'
import { unsignedMicros } from '../../domain/money.ts'
import { turnCost } from '../../domain/wallet/turn-cost.ts'
import { usageSum } from '../../domain/wallet/usage.ts'
import { operation } from '../kit/operation.ts'
import { readTurn } from './machine-call.ts'

export const getTurnCost = operation({
  id: 'getTurnCost',
  summary: 'Get the cost of the turn and the month so far',
  description: 'In µUSD, for settled calls only. `x-berth-turn` proves the turn.',
  http: { method: 'GET', path: '/llm/proxy/cost' },
  auth: 'llm',
  limit: 'llm',
  admission: 'wallet',
  output: z.object({
    turn: turnCost.nullable().meta({ description: 'Null if the request proves no open turn.' }),
    month: usageSum.meta({ description: 'Since the UTC month began.' }),
    availableMicros: unsignedMicros.meta({ description: 'The amount that the wallet can still pay, in µUSD.' }),
  }),
  uses: { conversations: 'read', machineTokens: 'read', wallets: 'write' },
  run: async ({ actor, deps, request, now, admit }) => {
    await admit()
    const { promptId } = await readTurn(deps, actor, request.headers, now)
    const [turn, month, { available }] = await Promise.all([
      promptId && costOfTurn(deps, actor.userId, promptId, now),
      costOfMonth(deps, actor.userId, now),
      deps.wallets.read(actor.userId),
    ])
    return { turn: turn ? turn.cost : null, month, availableMicros: available }
  },
})
