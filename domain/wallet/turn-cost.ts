import * as z from 'zod'
import { unsignedMicros } from '../money.ts'
import type { Transaction } from './ledger.ts'
import { isCall } from './usage.ts'

const share = { calls: z.int().min(0), amountMicros: unsignedMicros }

/** The calls with a turn's proof, including those of sub-agents. */
export const turnCost = z
  .object({
    ...share,
    models: z.array(z.object({ model: z.string(), ...share })).meta({ description: 'The total by model.' }),
    children: z
      .array(z.object({ child: z.string().meta({ example: 'researcher' }), ...share }))
      .meta({ description: 'The sub-agents’ part, by their names.' }),
  })
  .meta({ id: 'TurnCost' })
export type TurnCost = z.infer<typeof turnCost>

/** Adds up the ledger lines of one prompt, without failed calls. */
export function turnCostOf(lines: readonly Transaction[], promptId: string): TurnCost {
  const [models, children] = [new Map<string, Share>(), new Map<string, Share>()]
  const all: Share = { calls: 0, amountMicros: 0 }
  for (const line of lines) {
    if (line.receipt?.promptId !== promptId || !isCall(line)) continue
    const { amountMicros, receipt } = line
    const shares = [all, shareOf(models, receipt.model), receipt.child && shareOf(children, receipt.child)]
    for (const share of shares.filter((share) => typeof share === 'object')) {
      share.calls++
      share.amountMicros -= amountMicros
    }
  }
  return {
    ...all,
    models: [...models].map(([model, share]) => ({ model, ...share })),
    children: [...children].map(([child, share]) => ({ child, ...share })),
  }
}

interface Share {
  calls: number
  amountMicros: number
}

function shareOf(shares: Map<string, Share>, name: string): Share {
  const share = shares.get(name) ?? { calls: 0, amountMicros: 0 }
  shares.set(name, share)
  return share
}
