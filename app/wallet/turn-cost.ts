import { timeOfId } from '../../domain/ids.ts'
import { dayMs } from '../../domain/time.ts'
import type { Transaction } from '../../domain/wallet/ledger.ts'
import { type TurnCost, turnCostOf } from '../../domain/wallet/turn-cost.ts'
import { addUsage, noUsage, type UsageSum } from '../../domain/wallet/usage.ts'
import type { Wallets } from '../ports/wallet.ts'
import { readUsage } from './usage.ts'

/** A turn's calls are searched for this long after its prompt, ms, and among this many ledger lines. */
const longestTurnMs = dayMs
const mostLines = 2_000

/** Only the latest calls are returned. */
const mostShownCalls = 50

/** Incomplete if that day's ledger is too long. */
export async function costOfTurn(
  { wallets }: { wallets: Wallets },
  userId: string,
  promptId: string,
  nowMs: number,
): Promise<{ cost: TurnCost; calls: Transaction[]; isWhole: boolean }> {
  const cameMs = timeOfId(promptId)
  const lines: Transaction[] = []
  const read = wallets.lines(userId, cameMs, Math.min(cameMs + longestTurnMs, nowMs + 1))
  for await (const line of read) if (lines.push(line) === mostLines) break
  const calls = lines.filter(({ receipt }) => receipt?.promptId === promptId).slice(-mostShownCalls)
  return { cost: turnCostOf(lines, promptId), calls, isWhole: lines.length < mostLines }
}

export async function costOfMonth(deps: { wallets: Wallets }, userId: string, nowMs: number): Promise<UsageSum> {
  const now = new Date(nowMs)
  const month = { fromMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth()), toMs: nowMs - (nowMs % dayMs) + dayMs }
  const days = await readUsage(deps, userId, month, nowMs)
  return days.flatMap(({ groups }) => Object.values(groups)).reduce<UsageSum>(addUsage, noUsage)
}
