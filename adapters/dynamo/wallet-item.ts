import * as z from 'zod'
import { shardOf } from '../../domain/ids.ts'
import { micros, unsignedMicros } from '../../domain/money.ts'
import type { Move } from '../../domain/wallet/moves.ts'
import { newWallet, type Transaction, transaction, type WalletState } from '../../domain/wallet/wallet.ts'
import { type Change, changeInput, get, putInput, putNew } from './calls.ts'
import { type Item, parse } from './item.ts'

/** Sort key of the wallet itself; its ledger, checkouts and once-keys lie beside it. */
export const walletItem = 'wallet'

export const walletKey = (userId: string) => ({ userId, item: walletItem })

/** Where a move that may happen once is remembered for ever. */
export const onceItem = (key: string): string => `once#${key}`

/** As stored; a hold's names are short so that a wallet with ten holds and its counts stays below one capacity unit. */
const stored = z.object({
  userId: z.string(),
  available: unsignedMicros,
  total: micros,
  owed: unsignedMicros,
  holds: z.record(z.string(), z.object({ m: unsignedMicros, e: z.int() })),
  generation: z.int(),
})

export function toState(item: Item): WalletState {
  const { holds, ...rest } = parse(stored, item)
  const read = Object.entries(holds).map(([callId, { m, e }]) => [callId, { micros: m, expiresMs: e }] as const)
  return { ...rest, holds: Object.fromEntries(read) }
}

/** A hold as it is stored, in µUSD and ms since 1970. */
export const storedHold = (heldMicros: number, expiresMs: number) => ({ m: heldMicros, e: expiresMs })

export async function readWallet(table: string, userId: string): Promise<WalletState | null> {
  const item = await get(table, walletKey(userId))
  return item && toState(item)
}

/** Makes an empty wallet where there is none. */
export async function openWallet(table: string, userId: string): Promise<void> {
  const empty = { available: 0, total: 0, owed: 0, holds: {}, generation: 0 }
  await putNew(table, 'item', { ...walletKey(userId), ...empty })
}

/** The write that says which generation may spend; it makes the wallet when a machine comes before any money. */
export const generationChange = (table: string, userId: string, generation: number): Change => ({
  table,
  key: walletKey(userId),
  update: `SET #generation = :generation, #available = if_not_exists(#available, :zero), #total = if_not_exists(#total, :zero),
    #owed = if_not_exists(#owed, :zero), #holds = if_not_exists(#holds, :none)`,
  values: { ':generation': generation, ':zero': 0, ':none': {} },
})

/**
 * The wallet's part of a decided move. `available` moves by a difference, so holds made meanwhile are in nobody's way,
 * unless the move takes all there is: then it must be exactly what was seen.
 */
export function walletMove(table: string, userId: string, seen: WalletState | null, next: Move) {
  const before = seen ?? newWallet(userId)
  const by = next.available - before.available
  const values = { ':by': by, ':total': next.total, ':owed': next.owed }
  if (!seen) {
    return changeInput({
      table,
      key: walletKey(userId),
      update: 'SET #available = :by, #total = :total, #owed = :owed, #holds = :none, #generation = :zero',
      condition: 'attribute_not_exists(#item)',
      values: { ...values, ':none': {}, ':zero': 0 },
    })
  }
  const left = next.owed > before.owed ? '#available = :least' : '#available >= :least'
  return changeInput({
    table,
    key: walletKey(userId),
    update: 'SET #available = #available + :by, #total = :total, #owed = :owed',
    condition: `#total = :seenTotal AND #owed = :seenOwed AND ${left}`,
    values: { ...values, ':seenTotal': seen.total, ':seenOwed': seen.owed, ':least': Math.max(0, -by) },
  })
}

/** The partition of the sweep's index that a wallet with open holds lies in. */
export const dueShard = (userId: string): string => String(shardOf(userId))

/** A ledger line lies under its own id and is never written twice. */
export const linePut = (table: string, userId: string, { id, ...line }: Transaction) =>
  putInput(table, 'item', { userId, item: id, ...line })

export const readLine = (item: Item): Transaction => parse(transaction, { ...item, id: item.item ?? { S: '' } })

/** The line this very move wrote in an attempt whose answer was lost; null when another call made the move. */
export async function findLine(table: string, userId: string, id: string): Promise<Transaction | null> {
  const item = await get(table, { userId, item: id })
  return item && readLine(item)
}
