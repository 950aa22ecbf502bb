import { timeOfId } from '../../domain/ids.ts'
import { dayMs } from '../../domain/time.ts'
import { addUsage, noUsage, type UsageSum, usageOfLine } from '../../domain/wallet/usage.ts'
import type { Ports } from '../ports.ts'
import { usageOf } from './usage.ts'

/** What was settled so far for a prompt (null where none is named), and in the UTC month. */
export async function turnCost(
  deps: Pick<Ports, 'wallets'>,
  userId: string,
  promptId: string | null,
  nowMs: number,
): Promise<{ turn: UsageSum | null; month: UsageSum }> {
  const now = new Date(nowMs)
  const month = { fromMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth()), toMs: nowMs - (nowMs % dayMs) + dayMs }
  const [turn, days] = await Promise.all([
    promptId === null ? null : sumOfPrompt(deps, userId, promptId, month.toMs),
    usageOf(deps, userId, month, 'day', nowMs),
  ])
  return { turn, month: days.reduce<UsageSum>(addUsage, noUsage) }
}

/** A prompt's calls are settled after it came. */
async function sumOfPrompt({ wallets }: Pick<Ports, 'wallets'>, userId: string, promptId: string, toMs: number) {
  let sum = noUsage
  for await (const line of wallets.lines(userId, timeOfId(promptId), toMs))
    if (line.receipt?.promptId === promptId) sum = addUsage(sum, usageOfLine(line, line.receipt))
  return sum
}
