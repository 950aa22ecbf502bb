import { invalid } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/wallet/ledger.ts'
import type { Ports } from '../ports.ts'

const columns = ['id', 'at', 'type', 'description', 'amountUsd', 'balanceUsd', 'model', 'inputTokens', 'outputTokens']

/** The range's lines as CSV (RFC 4180), oldest first, amounts in dollars with six decimals. */
export async function statementOf(
  { wallets }: Pick<Ports, 'wallets'>,
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
