import * as z from 'zod'
import { invalid } from '../errors.ts'
import type { Ports } from '../ports.ts'
import { dayMs } from '../time.ts'
import { endedDays } from './look.ts'
import { dateOf, groupUsage, sumDays, type UsageRow, type usageBy } from './usage.ts'
import type { Transaction } from './wallet.ts'

/** A range of UTC days, both included. */
export const range = {
  from: z.iso.date().optional().meta({ description: 'First UTC day; 30 days ago unless said.', example: '2026-11-01' }),
  to: z.iso
    .date()
    .optional()
    .meta({ description: 'Last UTC day, included; today unless said.', example: '2026-11-30' }),
}

const mostDays = 366

/** The range in ms since 1970, its end excluded. @throws validation */
export function readRange({ from, to }: { from?: string; to?: string }, nowMs: number) {
  const last = Date.parse(to ?? dateOf(nowMs))
  const first = Date.parse(from ?? dateOf(last - 29 * dayMs))
  if (first > last) throw invalid('from', 'it lies after "to"; swap them, or give a later "to".')
  if (last - first >= mostDays * dayMs) throw invalid('from', `ask for ${mostDays} days at most.`)
  return { fromMs: first, toMs: last + dayMs }
}

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

const columns = ['id', 'at', 'type', 'description', 'amountUsd', 'balanceUsd', 'model', 'inputTokens', 'outputTokens']

/** The range's lines as CSV (RFC 4180), oldest first, amounts in dollars with six decimals. */
export async function statementOf(
  { wallets }: WalletPorts,
  userId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<string> {
  const rows = [columns.join(',')]
  for await (const line of wallets.lines(userId, fromMs, toMs)) {
    if (rows.length > mostLines)
      throw invalid('from', `the range has more than ${mostLines} lines; ask for fewer days.`)
    rows.push(rowOf(line))
  }
  return `${rows.join('\r\n')}\r\n`
}

/** A statement stays below the size an answer may have (6 MB): a row is at most about 300 bytes. */
const mostLines = 18_000

const rowOf = ({ id, at, type, description, amountMicros, balanceMicros, receipt }: Transaction): string =>
  [
    id,
    at,
    type,
    description,
    dollars(amountMicros),
    dollars(balanceMicros),
    receipt?.model ?? '',
    receipt ? receipt.inputTokens + receipt.cachedInputTokens + receipt.cacheWriteTokens : '',
    receipt?.outputTokens ?? '',
  ]
    .map((cell) => quoted(String(cell)))
    .join(',')

/** A spreadsheet takes text that begins like a formula for one, so such text gets an apostrophe; amounts are ours. */
const quoted = (cell: string): string => {
  const safe = /^[=+@\t\r]/.test(cell) || (/^-/.test(cell) && !/^-\d+\.\d{6}$/.test(cell)) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function dollars(amountMicros: number): string {
  const digits = String(Math.abs(amountMicros)).padStart(7, '0')
  return `${amountMicros < 0 ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}
