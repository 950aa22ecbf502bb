import { invalid } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/wallet/ledger.ts'
import { maxStatementLines } from '../../domain/wallet/usage-limits.ts'
import type { Wallets } from '../ports/wallet.ts'

const columns = [
  ...['id', 'at', 'type', 'description', 'amountUsd', 'balanceUsd', 'model', 'inputTokens', 'outputTokens'],
  ...['trigger', 'token', 'conversation'],
]

/**
 * The range's lines as CSV (RFC 4180), oldest first, amounts in dollars with six decimals. With a `limit`, one page of
 * lines after the named one.
 * @throws validation when the range has more lines than an answer holds and no limit was given
 */
export async function statementOf(
  { wallets }: { wallets: Wallets },
  userId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  { limit, after }: { limit?: number | undefined; after?: string | undefined } = {},
): Promise<string> {
  const rows: string[] = []
  for await (const line of wallets.lines(userId, fromMs, toMs, after)) {
    if (rows.length === limit) break
    if (rows.length === maxStatementLines)
      throw invalid('limit', `the range has more than ${maxStatementLines} lines; ask page by page, or for fewer days.`)
    rows.push(rowOf(line))
  }
  return [...(after === undefined ? [columns.join(',')] : []), ...rows].map((row) => `${row}\r\n`).join('')
}

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
    receipt?.trigger ?? '',
    receipt?.tokenId ?? '',
    receipt?.conversation ?? '',
  ]
    .map((cell) => quoted(String(cell)))
    .join(',')

/** Spreadsheets run text that begins like a formula, so such text gets an apostrophe; our amounts do not. */
const quoted = (cell: string): string => {
  const safe = /^[=+@\t\r\n]/.test(cell) || (/^-/.test(cell) && !/^-\d+\.\d{6}$/.test(cell)) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function dollars(amountMicros: number): string {
  const digits = String(Math.abs(amountMicros)).padStart(7, '0')
  return `${amountMicros < 0 ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}
