import type * as z from 'zod'
import { dateOf, dayMs, minuteMs } from '../../domain/time.ts'
import type { Transaction } from '../../domain/wallet/ledger.ts'
import {
  addUsage,
  groupUsage,
  noUsage,
  type UsageDay,
  type UsageRow,
  type usageBy,
  usageOfLine,
} from '../../domain/wallet/usage.ts'
import type { Ports } from '../ports.ts'

type WalletPorts = Pick<Ports, 'wallets'>

/** Usage of a range: days that have ended from their kept sums, today from its lines. */
export async function usageOf(
  deps: WalletPorts,
  userId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  by: z.infer<typeof usageBy>,
  nowMs: number,
): Promise<UsageRow[]> {
  const today = Math.floor(nowMs / dayMs) * dayMs
  const ended = await endedDays(deps, userId, fromMs, Math.min(toMs, today), nowMs)
  const open = toMs > today ? await sumDays(deps.wallets.lines(userId, Math.max(fromMs, today), toMs)) : []
  return groupUsage([...ended, ...open], by)
}

/** Adds up the usage lines of one day or more. A hold that expired was no call. */
async function sumDays(lines: AsyncIterable<Transaction>): Promise<UsageDay[]> {
  const days = new Map<string, UsageDay>()
  for await (const { type, amountMicros, at, receipt } of lines) {
    if (type !== 'usage' || !receipt || receipt.settledBecause === 'expired') continue
    const day = at.slice(0, 10)
    const usage = days.get(day) ?? { day, groups: {} }
    const key = `${receipt.model}|${receipt.trigger}`
    usage.groups[key] = addUsage(usage.groups[key] ?? noUsage, usageOfLine({ amountMicros }, receipt))
    days.set(day, usage)
  }
  return [...days.values()]
}

/**
 * The whole days from one instant to another, all of them ended, each with its sum, oldest first. What is not kept yet
 * is added up in one reading of the lines; until a little after midnight yesterday is still made anew.
 */
export async function endedDays(
  { wallets }: WalletPorts,
  userId: string,
  fromMs: number,
  toMs: number,
  nowMs: number,
): Promise<UsageDay[]> {
  const first = Math.floor(fromMs / dayMs)
  const length = Math.max(0, Math.floor(toMs / dayMs) - first)
  const dates = Array.from({ length }, (_, i) => (first + i) * dayMs)
  const [oldest, newest] = [dates[0], dates.at(-1)]
  if (oldest === undefined || newest === undefined) return []
  const kept = await wallets.usageDays(userId, dateOf(oldest), dateOf(newest))
  const known = new Map(kept.map((usage) => [usage.day, usage]))
  const missing = dates.filter((ms) => !known.has(dateOf(ms)))
  const [from, last] = [missing[0], missing.at(-1)]
  if (from === undefined || last === undefined) return kept
  const made = new Map((await sumDays(wallets.lines(userId, from, last + dayMs))).map((usage) => [usage.day, usage]))
  const sumOf = (ms: number): UsageDay =>
    known.get(dateOf(ms)) ?? made.get(dateOf(ms)) ?? { day: dateOf(ms), groups: {} }
  // A wallet without use has nothing worth keeping: reading it again is one call.
  const settled = made.size === 0 ? [] : missing.filter((ms) => ms + dayMs + 10 * minuteMs <= nowMs)
  await Promise.all(settled.map((ms) => wallets.keepUsageDay(userId, sumOf(ms))))
  return dates.map(sumOf)
}
