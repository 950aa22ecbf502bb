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
import { get } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'
import { changeInput, putInput, putNew } from './writes.ts'

/** Sort key. Ledger, checkouts and once-keys are stored next to the wallet. */
export const walletItem = 'wallet'

export const walletKey = (userId: string) => ({ userId, item: walletItem })

/** `m` is an attribute of a hold. */
export const walletAt = (table: string, userId: string) =>
  itemAt<keyof typeof stored.shape | 'frozenAt' | 'thawedAt' | 'm'>(table, walletKey(userId))

/** Settings and state of the automatic top-up. */
export const autoTopupItem = 'auto-topup'

/** Records a one-time move, forever. */
export const onceItem = (key: string): string => `once#${key}`

/** Records the refusal of a subscription that was not bought on our pages. */
export const refusedItem = (subscriptionId: string): string => `refused#${subscriptionId}`

/** The sum of a past day. */
export const dayItem = (day: string): string => `day#${day}`

/** A day's top-ups, counted against a new account's limit. */
export const countedItem = (day: string): string => `counted#${day}`

/** Short names, so that a full wallet stays below one capacity unit. */
export const capNames = {
  day: 'cd',
  chat: 'cc',
  schedule: 'cs',
  heartbeat: 'ch',
  tool: 'ct',
  api: 'ca',
} as const satisfies Record<keyof Caps, string>

const cap = unsignedMicros.optional()

/** A hold's µUSD, end and trigger; the rest of a day's caps is in `d<day>…`. */
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

/** The call's id without its prefix. */
export const holdName = (callId: string): string => callId.slice(callPrefix.length)

export const leftName = (key: string): string => `d${key}`
const leftPattern = /^d(\d+[cshtda]?)$/

/** A day's cost of calls above what the wallet could pay. */
export const lostName = (day: number | string): string => `l${day}`
const lostPattern = /^l(\d+)$/

/** The amount that providers billed in an hour for failed calls. */
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

/** µUSD, and ms since 1970. */
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

/** Does nothing if the wallet exists. */
export async function openWallet(table: string, userId: string): Promise<void> {
  await putNew(table, { ...walletKey(userId), ...beginning })
}

/** Initial values of a new wallet, except for attributes that the write sets itself. */
function beginWith(...but: (keyof typeof beginning)[]) {
  const { ...rest }: Record<string, unknown> = beginning
  for (const name of but) delete rest[name]
  const parts = Object.keys(rest).map((name) => `#${name} = if_not_exists(#${name}, :${name}0)`)
  return {
    update: parts.join(', '),
    values: Object.fromEntries(Object.entries(rest).map(([name, value]) => [`:${name}0`, value])),
  }
}

/** Sets the generation that may spend. Makes the wallet if a machine starts before the first payment. */
export const generationChange = (table: string, userId: string, generation: number) => {
  const rest = beginWith('generation')
  return {
    ...walletAt(table, userId),
    update: `SET #generation = :generation, ${rest.update}`,
    values: { ...rest.values, ':generation': generation },
  } as const
}

/**
 * The wallet's part of a move. `available` changes by a difference, so parallel holds do not conflict. A move that
 * takes the whole balance requires exactly the seen balance. A credit resets warnings.
 */
export function walletMove(table: string, userId: string, seen: WalletState | null, next: Balances) {
  const before = seen ?? newWallet(userId)
  const by = next.available - before.available
  const values = { ':by': by, ':total': next.total, ':owed': next.owed }
  if (!seen) {
    const rest = beginWith('available', 'total', 'owed')
    return changeInput({
      ...walletAt(table, userId),
      update: `SET #available = :by, #total = :total, #owed = :owed, ${rest.update}`,
      condition: 'attribute_not_exists(#item)',
      values: { ...values, ...rest.values },
    })
  }
  const left = next.owed > before.owed ? '#available = :least' : '#available >= :least'
  const forget = next.total > before.total ? ' REMOVE #warned' : ''
  return changeInput({
    ...walletAt(table, userId),
    update: `SET #available = #available + :by, #total = :total, #owed = :owed${forget}`,
    condition: `#total = :seenTotal AND #owed = :seenOwed AND ${left}`,
    values: { ...values, ':seenTotal': seen.total, ':seenOwed': seen.owed, ':least': Math.max(0, -by) },
  })
}

export const dueShard = (userId: string): string => String(shardOf(userId))

/** @param at ISO 8601 UTC */
export const newLineId = (at: string): string => `txn_${ulid(Date.parse(at), randomBytes(16))}`

/** A ledger line is never written twice. */
export const linePut = (
  table: string,
  userId: string,
  { id, receipt, ...line }: Transaction,
  failure?: FailureReason,
) => putInput(table, { userId, item: id, ...line, ...(receipt && { receipt: storedReceiptOf(receipt) }), failure })

/** Reasons that the previous release cannot read, with one that it can. The exact reason is stored next to it. */
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
