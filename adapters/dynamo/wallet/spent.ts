import * as z from 'zod'
import { unsignedMicros, wholeMicros } from '../../../domain/money.ts'
import { minuteMs } from '../../../domain/time.ts'
import {
  type CapPeriod,
  capPeriods,
  noCaps,
  periodAt,
  type TokenCaps,
  type TokenSpent,
} from '../../../domain/tokens/caps.ts'
import { get, itemRange, queryAll } from '../calls.ts'
import { clause, itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'
import { changeInput } from './writes.ts'

const prefix = 'spent#'

/**
 * A token's spending and holds. Transactions that change the wallet check the token's caps against them. Attributes:
 * `spent` in total, `d20261120` per UTC day, `m202611` per month.
 */
const spentKey = (userId: string, tokenId: string) => ({ userId, item: `${prefix}${tokenId}` })
const stored = z.object({ item: z.string(), spent: unsignedMicros })

const countName = (period: CapPeriod, ms: number): string =>
  period === 'total' ? 'spent' : `${period.charAt(0)}${periodAt(period, ms).replaceAll('-', '')}`

/** Late calls of a past day or month may return more than was counted. */
const countIn = (item: Item, period: CapPeriod, nowMs: number): number =>
  Math.max(0, wholeMicros(Number(item[countName(period, nowMs)]?.N ?? 0)))

const readCounts = (item: Item, nowMs: number): TokenSpent => ({
  total: parse(stored, item).spent,
  day: countIn(item, 'day', nowMs),
  month: countIn(item, 'month', nowMs),
})

/** The counts of tokens by id, and for each token the stale counts. */
export async function readSpent(table: string, userId: string, tokenIds: readonly string[], nowMs: number) {
  const items = await Promise.all(tokenIds.map((tokenId) => get(table, spentKey(userId, tokenId))))
  const read = items.map((item) => item ?? { item: { S: '' }, spent: { N: '0' } })
  const byId = <T>(of: (item: Item) => T) => Object.fromEntries(read.map((item, at) => [tokenIds[at] ?? '', of(item)]))
  return { spent: byId((item) => readCounts(item, nowMs)), stale: byId((item) => staleIn(item, nowMs)) }
}

export async function readAllSpent(table: string, userId: string, nowMs: number): Promise<Record<string, TokenSpent>> {
  const found = await queryAll(itemRange(table, userId, prefix, `${prefix}~`), (item) => item)
  return Object.fromEntries(
    found.map((item) => [parse(stored, item).item.slice(prefix.length), readCounts(item, nowMs)]),
  )
}

/** Maximum clock difference between functions, ms. */
const skewMs = 5 * minuteMs

/** Counts of days and months that are over for every function. Names of equal length sort by time. */
const staleIn = (item: Item, nowMs: number): string[] =>
  (['day', 'month'] as const).flatMap((period) => {
    const oldest = countName(period, nowMs - skewMs)
    return Object.keys(item).filter(
      (name) => name.length === oldest.length && name[0] === oldest[0] && /^.\d+$/.test(name) && name < oldest,
    )
  })

interface SpentMove {
  tokenId: string
  /** µUSD; negative to give back. */
  by: number
  /** When the call began, ms since 1970. Its day and month are counted. */
  startedMs: number
  caps?: TokenCaps
  stale?: readonly string[]
}

export function spentMove(
  table: string,
  userId: string,
  { tokenId, by, startedMs, caps = noCaps, stale = [] }: SpentMove,
) {
  const capped = capPeriods.filter((period) => caps[period] !== null)
  const condition = capped.map((period) => {
    const count = `#${countName(period, startedMs)}`
    // A missing count is 0; even the first move must not exceed the cap.
    const begins = by <= (caps[period] ?? 0) ? `attribute_not_exists(${count}) OR ` : ''
    return `${begins}${count} <= :${period}`
  })
  const rooms = capped.map((period) => [`:${period}`, (caps[period] ?? 0) - by])
  const counts = capPeriods.map((period) => `#${countName(period, startedMs)} :by`)
  return changeInput({
    ...itemAt(table, spentKey(userId, tokenId)),
    update: `ADD ${counts.join(', ')}${clause(
      'REMOVE',
      stale.map((name) => `#${name}`),
    )}`,
    ...(capped.length > 0 && { condition: `(${condition.join(') AND (')})` as const }),
    values: { ':by': by, ...Object.fromEntries(rooms) },
  })
}
