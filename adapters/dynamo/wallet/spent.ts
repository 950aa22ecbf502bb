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
import { type Item, parse } from '../item.ts'
import { changeInput } from './writes.ts'

const prefix = 'spent#'

/**
 * A token's spending and holds: its caps are checked against this, in the transactions that change the wallet. `spent`
 * is that of all time, `d20261120` of a UTC day, `m202611` of a month.
 */
const spentKey = (userId: string, tokenId: string) => ({ userId, item: `${prefix}${tokenId}` })
const stored = z.object({ item: z.string(), spent: unsignedMicros })

/** The attribute that counts what begins at this instant. */
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

/** Returns the counts of tokens by id, and for each token the counts of past days and months. */
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

/** How far a function's clock may be behind another's, ms. */
const skewMs = 5 * minuteMs

/** Counts of days and months that are over for every function; a name is of one length, so they sort by time. */
const staleIn = (item: Item, nowMs: number): string[] =>
  (['day', 'month'] as const).flatMap((period) => {
    const oldest = countName(period, nowMs - skewMs)
    return Object.keys(item).filter(
      (name) => name.length === oldest.length && name[0] === oldest[0] && /^.\d+$/.test(name) && name < oldest,
    )
  })

interface SpentMove {
  tokenId: string
  /** µUSD, below zero for what is given back. */
  by: number
  /** When the call began, ms since 1970: that day and month count it. */
  startedMs: number
  caps?: TokenCaps
  /** Counts that nobody reads again. */
  stale?: readonly string[]
}

/** Changes a token's counters next to its wallet, up to its caps if these are given. */
export function spentMove(
  table: string,
  userId: string,
  { tokenId, by, startedMs, caps = noCaps, stale = [] }: SpentMove,
) {
  const capped = capPeriods.filter((period) => caps[period] !== null)
  const condition = capped.map((period) => {
    const count = `#${countName(period, startedMs)}`
    // A count begins at 0, which a move that is larger than the cap must not go past either.
    const begins = by <= (caps[period] ?? 0) ? `attribute_not_exists(${count}) OR ` : ''
    return `(${begins}${count} <= :${period})`
  })
  const rooms = capped.map((period) => [`:${period}`, (caps[period] ?? 0) - by])
  const counts = capPeriods.map((period) => `#${countName(period, startedMs)} :by`)
  return changeInput({
    table,
    key: spentKey(userId, tokenId),
    update: `ADD ${counts.join(', ')}${stale.length > 0 ? ` REMOVE ${stale.map((name) => `#${name}`).join(', ')}` : ''}`,
    ...(capped.length > 0 && { condition: condition.join(' AND ') }),
    values: { ':by': by, ...Object.fromEntries(rooms) },
  })
}
