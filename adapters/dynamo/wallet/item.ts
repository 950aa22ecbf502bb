import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { trigger } from '../../../domain/chat/message.ts'
import { shardOf, ulid } from '../../../domain/ids.ts'
import type { FailureReason } from '../../../domain/models/failure.ts'
import { micros, unsignedMicros, wholeMicros } from '../../../domain/money.ts'
import {
  type Balances,
  type SettlementReason,
  settlementReasons,
  type Transaction,
  transaction,
  type UsageReceipt,
  usageReceipt,
} from '../../../domain/wallet/ledger.ts'
import { type Caps, newCaps } from '../../../domain/wallet/limits.ts'
import { type Hold, newWallet, type WalletState, warningLevels } from '../../../domain/wallet/state.ts'
import { type Change, get } from '../calls.ts'
import { type Item, parse } from '../item.ts'
import { changeInput, putInput, putNew } from './writes.ts'

/** Sort key of the wallet itself; its ledger, checkouts and once-keys are stored next to it. */
export const walletItem = 'wallet'

export const walletKey = (userId: string) => ({ userId, item: walletItem })

/** Automatic top-up's settings, and how it stands. */
export const autoTopupItem = 'auto-topup'

/** Where a move that may happen once is remembered for ever. */
export const onceItem = (key: string): string => `once#${key}`

/** The item that records the refusal of a subscription that was not bought on one of our pages. */
export const refusedItem = (subscriptionId: string): string => `refused#${subscriptionId}`

/** Where the sum of a day that has ended lies. */
export const dayItem = (day: string): string => `day#${day}`

/** Where what was topped up on a day is counted against a new account's limit. */
export const countedItem = (day: string): string => `counted#${day}`

/** Attributes of the caps. Names are short so that a wallet at its fullest stays below one capacity unit. */
export const capNames = {
  day: 'cd',
  chat: 'cc',
  schedule: 'cs',
  heartbeat: 'ch',
  tool: 'ct',
  api: 'ca',
} as const satisfies Record<keyof Caps, string>

const cap = unsignedMicros.optional()

/** As stored: a hold is its µUSD, its end and what started it; what is left of a day's caps lies in `d<day>…`. */
const stored = z.object({
  userId: z.string(),
  available: unsignedMicros,
  total: micros,
  owed: unsignedMicros,
  holds: z.record(
    z.string(),
    z.object({
      m: unsignedMicros,
      e: z.int(),
      t: z.int().default(0),
      k: z.string().optional(),
      a: z.array(z.string()).optional(),
    }),
  ),
  generation: z.int(),
  frozen: z
    .string()
    .default('')
    .transform((text) => text || null),
  rate: unsignedMicros.nullable().default(null),
  warned: z.int().default(0),
  cd: cap,
  cc: cap,
  cs: cap,
  ch: cap,
  ct: cap,
  ca: cap,
})

const callPrefix = 'call_'

/** A hold's name in the wallet: its call's id without what all of them begin with. */
export const holdName = (callId: string): string => callId.slice(callPrefix.length)

export const leftName = (key: string): string => `d${key}`
const leftPattern = /^d(\d+[cshtda]?)$/

/** A day's cost of calls above what the wallet could pay. */
export const lostName = (day: number | string): string => `l${day}`
const lostPattern = /^l(\d+)$/

/** The field for the amount that providers billed in an hour for failed calls. */
export const unpaidName = (hour: number | string): string => `u${hour}`
const unpaidPattern = /^u(\d+)$/

export function toState(item: Item): WalletState {
  const { holds, warned, cd, cc, cs, ch, ct, ca, ...rest } = parse(stored, item)
  const read = Object.entries(holds).map(([name, { m, e, t, k, a }]): [string, Hold] => [
    `${callPrefix}${name}`,
    {
      micros: m,
      expiresMs: e,
      trigger: trigger.options[t] ?? 'chat',
      ...(k && { tokenId: k }),
      ...(a && { above: a }),
    },
  ])
  const counted = (pattern: RegExp) =>
    Object.fromEntries(
      Object.entries(item).flatMap(([name, { N }]): [string, number][] => {
        const key = pattern.exec(name)?.[1]
        return key && N !== undefined ? [[key, wholeMicros(Number(N))]] : []
      }),
    )
  const caps: Caps = {
    day: cd ?? newCaps.day,
    chat: cc ?? newCaps.chat,
    schedule: cs ?? newCaps.schedule,
    heartbeat: ch ?? newCaps.heartbeat,
    tool: ct ?? newCaps.tool,
    api: ca ?? newCaps.api,
  }
  const counters = { left: counted(leftPattern), lost: counted(lostPattern), unpaid: counted(unpaidPattern) }
  return { ...rest, holds: Object.fromEntries(read), warned: warningLevels[warned] ?? 'none', caps, ...counters }
}

/** A hold as it is stored, in µUSD and ms since 1970. */
export const storedHold = ({ micros, expiresMs, trigger: started, tokenId, above = [] }: Hold) => ({
  m: micros,
  e: expiresMs,
  t: trigger.options.indexOf(started),
  ...(tokenId && { k: tokenId }),
  ...(above.length > 0 && { a: above }),
})

export async function readWallet(table: string, userId: string): Promise<WalletState | null> {
  const item = await get(table, walletKey(userId))
  return item && toState(item)
}

const capAttributes = (caps: Caps): Record<string, number> =>
  Object.fromEntries(Object.entries(caps).map(([of, value]) => [capNames[of as keyof Caps], value])) // safe because these are the keys of Caps

const beginning = { available: 0, total: 0, owed: 0, holds: {}, generation: 0, ...capAttributes(newCaps) }

/** Makes an empty wallet where there is none. */
export async function openWallet(table: string, userId: string): Promise<void> {
  await putNew(table, { ...walletKey(userId), ...beginning })
}

/** Sets what a wallet begins with, where it is not there, but for the attributes that the write sets itself. */
function beginWith(...but: (keyof typeof beginning)[]) {
  const { ...rest }: Record<string, unknown> = beginning
  for (const name of but) delete rest[name]
  const parts = Object.keys(rest).map((name) => `#${name} = if_not_exists(#${name}, :${name}0)`)
  return {
    update: parts.join(', '),
    values: Object.fromEntries(Object.entries(rest).map(([name, value]) => [`:${name}0`, value])),
  }
}

/** The write that says which generation may spend; it makes the wallet when a machine comes before any money. */
export const generationChange = (table: string, userId: string, generation: number): Change => {
  const rest = beginWith('generation')
  return {
    table,
    key: walletKey(userId),
    update: `SET #generation = :generation, ${rest.update}`,
    values: { ...rest.values, ':generation': generation },
  }
}

/**
 * The wallet's part of a decided move. `available` moves by a difference, so holds made meanwhile are in nobody's way,
 * unless the move takes all there is: then it must be exactly what was seen. A credit takes warnings back.
 */
export function walletMove(table: string, userId: string, seen: WalletState | null, next: Balances) {
  const before = seen ?? newWallet(userId)
  const by = next.available - before.available
  const values = { ':by': by, ':total': next.total, ':owed': next.owed }
  if (!seen) {
    const rest = beginWith('available', 'total', 'owed')
    return changeInput({
      table,
      key: walletKey(userId),
      update: `SET #available = :by, #total = :total, #owed = :owed, ${rest.update}`,
      condition: 'attribute_not_exists(#item)',
      values: { ...values, ...rest.values },
    })
  }
  const left = next.owed > before.owed ? '#available = :least' : '#available >= :least'
  const forget = next.total > before.total ? ' REMOVE #warned' : ''
  return changeInput({
    table,
    key: walletKey(userId),
    update: `SET #available = #available + :by, #total = :total, #owed = :owed${forget}`,
    condition: `#total = :seenTotal AND #owed = :seenOwed AND ${left}`,
    values: { ...values, ':seenTotal': seen.total, ':seenOwed': seen.owed, ':least': Math.max(0, -by) },
  })
}

/** The partition of the sweep's index that a user's wallet lies in. */
export const dueShard = (userId: string): string => String(shardOf(userId))

/** The id of a ledger line that happens at an instant (ISO 8601). */
export const newLineId = (at: string): string => `txn_${ulid(Date.parse(at), randomBytes(16))}`

/** A ledger line lies under its own id and is never written twice. */
export const linePut = (
  table: string,
  userId: string,
  { id, receipt, ...line }: Transaction,
  failure?: FailureReason,
) => putInput(table, { userId, item: id, ...line, ...(receipt && { receipt: storedReceiptOf(receipt) }), failure })

/**
 * Reasons that the last release cannot read, each with one that it can: the exact reason is stored next to that one.
 */
const newReasons: Partial<Record<SettlementReason, SettlementReason>> = {
  counted: 'interrupted',
  unread: 'interrupted',
}

const storedReceiptOf = ({ settledBecause, ...receipt }: UsageReceipt) => {
  const older = newReasons[settledBecause]
  return older ? { ...receipt, settledBecause: older, exactReason: settledBecause } : { ...receipt, settledBecause }
}

const storedLine = transaction.extend({
  receipt: usageReceipt
    .extend({ exactReason: z.enum(settlementReasons).optional() })
    .transform(({ exactReason, settledBecause, ...receipt }) => ({
      ...receipt,
      settledBecause: exactReason ?? settledBecause,
    }))
    .optional(),
})

export const readLine = (item: Item): Transaction => parse(storedLine, { ...item, id: item.item ?? { S: '' } })

export async function findLine(table: string, userId: string, id: string): Promise<Transaction | null> {
  const item = await get(table, { userId, item: id })
  return item && readLine(item)
}
