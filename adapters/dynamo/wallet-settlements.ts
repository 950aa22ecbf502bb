import * as z from 'zod'
import { wholeAmount } from '../../domain/money.ts'
import { afterVerb, type Hold } from '../../domain/wallet/hold.ts'
import { dayKey, dayOf } from '../../domain/wallet/limits.ts'
import { wantsLook } from '../../domain/wallet/look.ts'
import { decideLateSettle, decideSettle, holdTtlMs } from '../../domain/wallet/moves.ts'
import type { UsageLine } from '../../domain/wallet/ports.ts'
import { expiredReceipt } from '../../domain/wallet/receipt.ts'
import { newWallet, type Transaction, type WalletState } from '../../domain/wallet/wallet.ts'
import { backOff, get, transact } from './calls.ts'
import { parse } from './item.ts'
import { newLineId } from './line-id.ts'
import { dueShard, findLine, holdName, leftName, linePut, readWallet, toState, walletKey } from './wallet-item.ts'
import { forgetLeftovers, leftoversOf } from './wallet-leftovers.ts'
import { change, changeInput, putInput } from './wallet-writes.ts'

/** How often a settlement is tried on a total that others change: ten calls may end at once, and new ones come after them. */
const settleTries = 100

/** Remembers for ever that a hold expired, and the line that said so or that settled it late. */
const lateKey = (userId: string, callId: string) => ({ userId, item: `late#${callId}` })
const late = z.object({ state: z.enum(['expired', 'settled-late']), line: z.string() })

/** See `Wallets.settle`. What the caller knows of the wallet is tried first; a refusal tells what is true. */
export async function settle(
  table: string,
  userId: string,
  callId: string,
  costMicros: number,
  line: UsageLine,
  knownTotal: number | null,
): Promise<Transaction | null> {
  wholeAmount(costMicros)
  const known = knownTotal === null ? null : asHeld(userId, callId, line, knownTotal)
  if (costMicros === 0) return voidHold(table, userId, callId, known)
  const id = newLineId(line.at)
  return again(callId, async (refused) => {
    const seen = refused ?? known ?? (await readWallet(table, userId))
    const held = seen?.holds[callId]
    if (!seen || !held) return { end: await settleLate(table, userId, callId, costMicros, line, id) }
    if (held.micros === 0) return { end: await voidHold(table, userId, callId, seen) }
    const move = decideSettle(seen, callId, costMicros)
    const receipt = { ...line.receipt, heldMicros: held.micros, settledMicros: move.costMicros }
    const written = usage(id, { ...line, receipt }, move)
    const result = await transact([
      { Update: changeInput(ending(table, seen, callId, move)) },
      { Put: linePut(table, userId, written) },
    ])
    return result.done ? { end: written } : { refused: await asRefused(table, userId, result.refused[0]) }
  })
}

/** See `Wallets.void`: one write, and none when there is nothing to give back. */
export async function voidHold(
  table: string,
  userId: string,
  callId: string,
  known: WalletState | null = null,
): Promise<null> {
  return again(callId, async (refused) => {
    const seen = refused ?? known ?? (await readWallet(table, userId))
    if (!seen?.holds[callId]) return { end: null }
    const { table: _, ...one } = ending(table, seen, callId, decideSettle(seen, callId, 0))
    const written = await change({ table, ...one })
    return written.done ? { end: null } : { refused: written.old && toState(written.old) }
  })
}

/** See `Wallets.expire`. That it expired is remembered, for the call may end after all. */
export async function expire(
  table: string,
  userId: string,
  callId: string,
  hold: Hold,
  at: string,
): Promise<Transaction | null> {
  const id = newLineId(at)
  return again(callId, async (refused) => {
    const seen = refused ?? (await readWallet(table, userId))
    if (!seen?.holds[callId]) {
      const item = await get(table, lateKey(userId, callId))
      return { end: item && parse(late, item).line === id ? await findLine(table, userId, id) : null }
    }
    const move = decideSettle(seen, callId, 0)
    const receipt = expiredReceipt(callId, hold, hold.expiresMs - holdTtlMs, Date.parse(at))
    const written = usage(id, { description: 'Model call without an end: nothing charged', receipt, at }, move)
    const result = await transact([
      { Update: changeInput(ending(table, seen, callId, move)) },
      { Put: linePut(table, userId, written) },
      { Put: putInput(table, { ...lateKey(userId, callId), state: afterVerb('open', 'expire'), line: id }) },
    ])
    return result.done ? { end: written } : { refused: await asRefused(table, userId, result.refused[0]) }
  })
}

/** The call ended after its hold had expired: it takes what the balance has, once. Null when it was settled before. */
async function settleLate(
  table: string,
  userId: string,
  callId: string,
  costMicros: number,
  line: UsageLine,
  id: string,
): Promise<Transaction | null> {
  return again(callId, async (refused) => {
    const item = await get(table, lateKey(userId, callId))
    if (!item) return { end: await findLine(table, userId, id) }
    const before = parse(late, item)
    const next = afterVerb(before.state, 'settle')
    if (!next) return { end: before.line === id ? await findLine(table, userId, id) : null }
    const seen = refused ?? (await readWallet(table, userId)) ?? newWallet(userId)
    const move = decideLateSettle(seen, costMicros)
    const receipt = { ...line.receipt, settledMicros: move.costMicros }
    const written = usage(id, { ...line, description: `${line.description} (settled late)`, receipt }, move)
    const { trigger, startedAt } = line.receipt
    const taken = { trigger, expiresMs: Date.parse(startedAt) + holdTtlMs }
    const wallet = {
      table,
      key: walletKey(userId),
      update: `SET #available = #available - :cost, #total = :total ${given(taken)}`,
      condition: `#total = :seen AND #available ${move.costMicros < costMicros ? '=' : '>='} :cost`,
      values: { ':cost': move.costMicros, ':total': move.total, ':seen': seen.total, ':back': -move.costMicros },
    }
    const marked = {
      table,
      key: lateKey(userId, callId),
      update: 'SET #state = :next, #line = :line',
      condition: '#state = :from',
      values: { ':next': next, ':line': id, ':from': before.state },
    }
    const result = await transact([
      { Update: changeInput(wallet) },
      { Put: linePut(table, userId, written) },
      { Update: changeInput(marked) },
    ])
    return result.done ? { end: written } : { refused: await asRefused(table, userId, result.refused[0]) }
  })
}

/** The wallet as far as a settlement needs it, from what the hold answered. */
const asHeld = (userId: string, callId: string, { receipt }: UsageLine, total: number): WalletState => {
  const expiresMs = Date.parse(receipt.startedAt) + holdTtlMs
  const one: Hold = { micros: receipt.heldMicros, expiresMs, trigger: receipt.trigger }
  return { ...newWallet(userId), total, holds: { [callId]: one } }
}

type Ended = ReturnType<typeof decideSettle>

/**
 * The wallet's part of a hold's end. `available` moves by a difference and only `total` and `owed` must be as seen:
 * holds made meanwhile are in nobody's way. The caps of the hold's day get back what the call did not cost.
 */
function ending(table: string, seen: WalletState, callId: string, move: Ended) {
  const held = seen.holds[callId] ?? { micros: 0, expiresMs: 0, trigger: 'chat' as const }
  const back = held.micros - move.costMicros
  // Due at once, which moves its entry in the sweep's index and nothing else.
  const noted = wantsLook(seen.total, move.total)
  return {
    table,
    key: walletKey(seen.userId),
    update: `SET #available = #available + :free, #total = :total, #owed = :owed${noted ? ', #dueShard = :shard, #dueAt = :now' : ''} ${given(held)} REMOVE #holds.#call${leftoversOf(callId)}`,
    condition: '#total = :seen AND #owed = :seenOwed AND #holds.#call.#m = :held',
    values: {
      ':free': move.available - seen.available,
      ':total': move.total,
      ':owed': move.owed,
      ':seen': seen.total,
      ':seenOwed': seen.owed,
      ':held': held.micros,
      ':back': back,
      ...(noted && { ':shard': dueShard(seen.userId), ':now': held.expiresMs - holdTtlMs }),
    },
    names: { '#call': holdName(callId) },
  } as const
}

/** What the caps of the hold's own day get back; on a day long gone nobody reads it again. */
function given({ expiresMs, trigger }: Pick<Hold, 'expiresMs' | 'trigger'>): string {
  const day = dayOf(expiresMs - holdTtlMs)
  return `ADD #${leftName(dayKey(day, 'day'))} :back, #${leftName(dayKey(day, trigger))} :back`
}

const usage = (id: string, { description, receipt, at }: UsageLine, move: Ended): Transaction => ({
  id,
  type: 'usage',
  amountMicros: move.costMicros === 0 ? 0 : -move.costMicros,
  balanceMicros: move.total,
  at,
  description,
  receipt,
})

const asRefused = async (table: string, userId: string, old: Parameters<typeof toState>[0] | null | undefined) =>
  old ? toState(old) : readWallet(table, userId)

type Attempt<T> = { end: T; refused?: never } | { end?: never; refused: WalletState | null }

/** Tries a move again on what the refused attempt saw. */
async function again<T>(callId: string, attempt: (refused: WalletState | null) => Promise<Attempt<T>>): Promise<T> {
  let refused: WalletState | null = null
  for (let tried = 1; tried <= settleTries; tried++) {
    const result = await attempt(refused)
    if (result.end !== undefined) {
      forgetLeftovers(callId)
      return result.end
    }
    refused = result.refused ?? null
    if (tried > 1) await backOff(Math.min(tried, 3))
  }
  throw new Error(`a hold could not be ended in ${settleTries} tries; it stays until it is swept`)
}
