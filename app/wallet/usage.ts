import { dateOf, dayMs } from '../../domain/time.ts'
import type { Transaction } from '../../domain/wallet/ledger.ts'
import {
  addUsage,
  countsKeptDays,
  dayClosesMs,
  foldDay,
  groupKeyOf,
  isCall,
  noUsage,
  type UsageDay,
  usageOfLine,
} from '../../domain/wallet/usage.ts'
import type { Wallets } from '../ports/wallet.ts'

type WalletPorts = { wallets: Wallets }

/** Usage by day, oldest first: stored sums, and counts for days without one. */
export async function readUsage(
  { wallets }: WalletPorts,
  userId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  nowMs: number,
): Promise<UsageDay[]> {
  const [from, to] = [dateOf(fromMs), dateOf(toMs - dayMs)]
  const counted = dateOf(Math.max(fromMs, nowMs - countsKeptDays * dayMs))
  const [kept, open] = await Promise.all([
    wallets.usageDays(userId, from, to),
    counted <= to ? wallets.usageCounts(userId, counted, to) : [],
  ])
  const known = new Set(kept.map(({ day }) => day))
  return [...kept, ...open.filter(({ day }) => !known.has(day))].sort((a, b) => (a.day < b.day ? -1 : 1))
}

async function sumDays(lines: AsyncIterable<Transaction>): Promise<UsageDay[]> {
  const days = new Map<string, UsageDay>()
  for await (const line of lines) {
    if (!isCall(line)) continue
    const day = line.at.slice(0, 10)
    const usage = days.get(day) ?? { day, groups: {} }
    const key = groupKeyOf(line.receipt)
    usage.groups[key] = addUsage(usage.groups[key] ?? noUsage, usageOfLine(line))
    days.set(day, usage)
  }
  return [...days.values()]
}

/** Oldest first. Missing days are summed in one reading of the ledger, and stored once the day is over. */
export async function sumUpDays(
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
  // A wallet without use stores no sums: reading it again is one call.
  const closed = made.size === 0 ? [] : missing.filter((ms) => ms + dayMs + dayClosesMs <= nowMs)
  await Promise.all(closed.map((ms) => wallets.keepUsageDay(userId, foldDay(sumOf(ms)))))
  return dates.map(sumOf)
}
