import * as z from 'zod'
import type { UsageLine, Wallets } from '../../../app/ports/wallet.ts'
import { lost } from '../../../app/retry.ts'
import { wholeAmount } from '../../../domain/money.ts'
import { decideLateSettle, decideSettle, holdTtlMs, nextHoldState, startOf } from '../../../domain/wallet/holds.ts'
import { expiredReceipt, type Transaction } from '../../../domain/wallet/ledger.ts'
import { dayKey, dayOf, hourOf, unpaidCounted } from '../../../domain/wallet/limits.ts'
import { countsOfHold, type Hold, newWallet, type WalletState } from '../../../domain/wallet/state.ts'
import { needsCheck } from '../../../domain/wallet/warnings.ts'
import { get, transact, untilWritten } from '../calls.ts'
import { itemAt } from '../expressions.ts'
import { type Item, parse } from '../item.ts'
import { forgetStaleCounters, staleCountersOf, staleTokenCounts } from './holds.ts'
import {
  dueShard,
  findLine,
  holdName,
  leftName,
  linePut,
  lostName,
  newLineId,
  readWallet,
  toState,
  unpaidName,
  walletAt,
} from './item.ts'
import { spentMove } from './spent.ts'
import { usageCount } from './usage.ts'
import { change, changeInput, putInput } from './writes.ts'

/** Tries of a settlement while others change the total: ten calls may end at once, and new ones follow. */
const tries = 100

/** Records forever that a hold expired, and the line of the expiry or of the late settlement. */
const lateKey = (userId: string, callId: string) => ({ userId, item: `late#${callId}` })
const late = z.object({ state: z.enum(['expired', 'settled-late']), line: z.string() })

export const settlements = (table: string): Pick<Wallets, 'settle' | 'void' | 'expire'> => ({
  /** Tries with the caller's knowledge of the wallet first; a refusal returns the real state. */
  async settle(userId, callId, costMicros, line, knownTotal) {
    wholeAmount(costMicros)
    // The hold's answer does not include the balance, which pays a cost above the hold.
    const isWithin = costMicros <= line.receipt.heldMicros
    const known = knownTotal !== null && isWithin ? asHeld(userId, callId, line, knownTotal) : null
    if (costMicros === 0 && !line.failure) return voidHold(table, userId, callId, known)
    const id = newLineId(line.at)
    return untilEnded(callId, async (refused) => {
      const seen = refused ?? known ?? (await readWallet(table, userId))
      const held = seen?.holds[callId]
      // A failed call is free, so nothing is left to settle.
      if (line.failure && !held) return { end: null }
      if (!seen || !held) return { end: await settleLate(table, userId, callId, costMicros, line, id) }
      if (held.micros === 0 && !line.failure) return { end: await voidHold(table, userId, callId, seen) }
      const settled = decideSettle(seen, callId, costMicros)
      const receipt = { ...line.receipt, heldMicros: held.micros, settledMicros: settled.costMicros }
      const written = usageLine(id, { ...line, receipt }, settled)
      const result = await transact([
        ...endParts(table, seen, callId, settled, costMicros, line.failure?.unpaidMicros),
        { Put: linePut(table, userId, written, line.failure?.reason) },
        ...usageCount(table, userId, written),
      ])
      return result.done ? { end: written } : { refused: await asRefused(table, userId, result.refused[0]) }
    })
  },

  async void(userId, callId) {
    await voidHold(table, userId, callId, null)
  },

  /** Records the expiry, because the call may still end. */
  async expire(userId, callId, hold, at) {
    const id = newLineId(at)
    return untilEnded(callId, async (refused) => {
      const seen = refused ?? (await readWallet(table, userId))
      if (!seen?.holds[callId]) {
        const item = await get(table, lateKey(userId, callId))
        return { end: item && parse(late, item).line === id ? await findLine(table, userId, id) : null }
      }
      const settled = decideSettle(seen, callId, 0)
      const receipt = expiredReceipt(callId, hold, startOf(hold), Date.parse(at))
      const description = 'Model call without an end: nothing charged'
      const written = usageLine(id, { description, receipt, at }, settled)
      const result = await transact([
        ...endParts(table, seen, callId, settled),
        { Put: linePut(table, userId, written) },
        { Put: putInput(table, { ...lateKey(userId, callId), state: nextHoldState('open', 'expire'), line: id }) },
      ])
      return result.done ? { end: written } : { refused: await asRefused(table, userId, result.refused[0]) }
    })
  },
})

/** One write; none if there is nothing to give back. */
const voidHold = (table: string, userId: string, callId: string, known: WalletState | null): Promise<null> =>
  untilEnded(callId, async (refused) => {
    const seen = refused ?? known ?? (await readWallet(table, userId))
    const held = seen?.holds[callId]
    if (!seen || !held) return { end: null }
    const settled = decideSettle(seen, callId, 0)
    if (held.tokenId) {
      const result = await transact(endParts(table, seen, callId, settled))
      return result.done ? { end: null } : { refused: await asRefused(table, userId, result.refused[0]) }
    }
    const written = await change(holdEnd(table, seen, callId, settled))
    return written.done ? { end: null } : { refused: written.old && toState(written.old) }
  })

/** The call ended after its hold expired: takes the available balance, once. Null if it was settled before. */
const settleLate = (
  table: string,
  userId: string,
  callId: string,
  costMicros: number,
  line: UsageLine,
  id: string,
): Promise<Transaction | null> =>
  untilEnded(callId, async (refused) => {
    const item = await get(table, lateKey(userId, callId))
    if (!item) return { end: await findLine(table, userId, id) }
    const before = parse(late, item)
    const next = nextHoldState(before.state, 'settle')
    if (!next) return { end: before.line === id ? await findLine(table, userId, id) : null }
    const seen = refused ?? (await readWallet(table, userId)) ?? newWallet(userId)
    const settled = decideLateSettle(seen, costMicros)
    const receipt = { ...line.receipt, settledMicros: settled.costMicros }
    const written = usageLine(id, { ...line, description: `${line.description} (settled late)`, receipt }, settled)
    const { trigger, startedAt, tokenId } = line.receipt
    const { above } = line
    const started = { trigger, expiresMs: Date.parse(startedAt) + holdTtlMs }
    const lost = lossOf(started, costMicros - settled.costMicros)
    const wallet = changeInput({
      ...walletAt(table, userId),
      update: `SET #available = #available - :cost, #total = :total ${addToCaps(started)}${lost.update}`,
      condition: `#total = :seen AND #available ${settled.costMicros < costMicros ? '=' : '>='} :cost`,
      values: {
        ':cost': settled.costMicros,
        ':total': settled.total,
        ':seen': seen.total,
        ':back': -settled.costMicros,
        ...lost.values,
      },
    })
    const marked = changeInput({
      ...itemAt<keyof typeof late.shape>(table, lateKey(userId, callId)),
      update: 'SET #state = :next, #line = :line',
      condition: '#state = :from',
      values: { ':next': next, ':line': id, ':from': before.state },
    })
    const result = await transact([
      { Update: wallet },
      { Put: linePut(table, userId, written) },
      { Update: marked },
      ...usageCount(table, userId, written),
      ...countsOfHold({ ...(tokenId && { tokenId }), ...(above && { above }) }).map((id) => ({
        Update: spentMove(table, userId, { tokenId: id, by: settled.costMicros, startedMs: startOf(started) }),
      })),
    ])
    return result.done ? { end: written } : { refused: await asRefused(table, userId, result.refused[0]) }
  })

/** The part of the wallet that a settlement needs, from the hold's answer. */
const asHeld = (userId: string, callId: string, { receipt, above }: UsageLine, total: number): WalletState => {
  const expiresMs = Date.parse(receipt.startedAt) + holdTtlMs
  const { trigger, tokenId } = receipt
  const hold: Hold = {
    ...{ micros: receipt.heldMicros, expiresMs, trigger },
    ...(tokenId && { tokenId }),
    ...(above && { above }),
  }
  return { ...newWallet(userId), total, holds: { [callId]: hold } }
}

type Settled = ReturnType<typeof decideSettle>

/** The wallet's part of a hold's end, and those of its tokens, in one transaction. */
function endParts(
  table: string,
  seen: WalletState,
  callId: string,
  settled: Settled,
  costMicros = 0,
  unpaidMicros = 0,
) {
  const wallet = { Update: changeInput(holdEnd(table, seen, callId, settled, costMicros, unpaidMicros)) }
  const hold = seen.holds[callId]
  if (!hold) return [wallet]
  const by = settled.costMicros - hold.micros
  const moves = countsOfHold(hold).map((tokenId) =>
    spentMove(table, seen.userId, { tokenId, by, startedMs: startOf(hold), stale: staleTokenCounts(callId, tokenId) }),
  )
  return [wallet, ...moves.map((Update) => ({ Update }))]
}

/**
 * The wallet's part of a hold's end. `available` changes by a difference; only `total` and `owed` must be unchanged, so
 * parallel holds do not conflict. The caps of the hold's day get the unspent rest back.
 */
function holdEnd(table: string, seen: WalletState, callId: string, settled: Settled, costMicros = 0, unpaidMicros = 0) {
  const held = seen.holds[callId] ?? { micros: 0, expiresMs: 0, trigger: 'chat' as const }
  const back = held.micros - settled.costMicros
  const lost = lossOf(held, Math.max(0, costMicros - settled.costMicros))
  const unpaid = unpaidOf(held, unpaidMicros)
  // Due now: moves only the entry in the sweep's index.
  const due = needsCheck(seen.total, settled.total)
  return {
    ...walletAt(table, seen.userId),
    update: `SET #available = #available + :free, #total = :total, #owed = :owed${due ? ', #dueShard = :shard, #dueAt = :now' : ''} ${addToCaps(held)}${lost.update}${unpaid.update} REMOVE #holds.#call${staleCountersOf(callId)}`,
    condition: `#total = :seen AND #owed = :seenOwed AND #holds.#call.#m = :held${back < 0 ? beyondHold(held) : ''}`,
    values: {
      ':free': settled.available - seen.available,
      ':total': settled.total,
      ':owed': settled.owed,
      ':seen': seen.total,
      ':seenOwed': seen.owed,
      ':held': held.micros,
      ':back': back,
      ...lost.values,
      ...unpaid.values,
      ...(back < 0 && { ':beyond': -back }),
      ...(due && { ':shard': dueShard(seen.userId), ':now': startOf(held) }),
    },
    names: { '#call': holdName(callId) },
  } as const
}

const startDay = (expiresMs: number): number => dayOf(startOf({ expiresMs }))

/** Requires that the amount above a hold is available and within all caps. */
function beyondHold({ expiresMs, trigger }: Pick<Hold, 'expiresMs' | 'trigger'>) {
  const day = startDay(expiresMs)
  const caps = (['day', trigger] as const).map((of) => `#${leftName(dayKey(day, of))}`)
  const within = caps.map((left) => `(attribute_not_exists(${left}) OR ${left} >= :beyond)`)
  return ` AND #available >= :beyond AND ${within.join(' AND ')}` as const
}

/** The amount that returns to the caps of the hold's day. Nobody reads those of a day long past. */
function addToCaps({ expiresMs, trigger }: Pick<Hold, 'expiresMs' | 'trigger'>): string {
  const day = startDay(expiresMs)
  return `ADD #${leftName(dayKey(day, 'day'))} :back, #${leftName(dayKey(day, trigger))} :back`
}

/** A cost above what the wallet could pay, counted on the hold's day. Continues an `ADD` clause. */
const lossOf = ({ expiresMs }: Pick<Hold, 'expiresMs'>, micros: number) =>
  micros === 0
    ? { update: '', values: {} }
    : { update: `, #${lostName(startDay(expiresMs))} :loss`, values: { ':loss': micros } }

/** Adds the provider's bill for a failed call to the hour of its hold. Continues an `ADD` clause. */
const unpaidOf = (hold: Pick<Hold, 'expiresMs'>, micros: number) =>
  micros === 0
    ? { update: '', values: {} }
    : { update: `, #${unpaidName(hourOf(startOf(hold)))} :unpaid`, values: { ':unpaid': unpaidCounted(micros) } }

const usageLine = (id: string, { description, receipt, at }: UsageLine, settled: Settled): Transaction => ({
  id,
  type: 'usage',
  amountMicros: settled.costMicros === 0 ? 0 : -settled.costMicros,
  balanceMicros: settled.total,
  at,
  description,
  receipt,
})

const asRefused = async (table: string, userId: string, old: Item | null | undefined) =>
  old ? toState(old) : readWallet(table, userId)

type Attempt<T> = { end: T; refused?: never } | { end?: never; refused: WalletState | null }

/** Retries the end of a hold, each time with the state that the refused try saw. */
async function untilEnded<T>(
  callId: string,
  attempt: (refused: WalletState | null) => Promise<Attempt<T>>,
): Promise<T> {
  let refused: WalletState | null = null
  const failure = () => new Error(`a hold could not be ended in ${tries} tries; it stays until it is swept`)
  const end = await untilWritten<T>(tries, failure, async () => {
    const result = await attempt(refused)
    if (result.end !== undefined) return result.end
    refused = result.refused ?? null
    return lost
  })
  forgetStaleCounters(callId)
  return end
}
