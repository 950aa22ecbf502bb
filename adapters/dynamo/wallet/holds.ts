import { lost } from '../../../app/retry.ts'
import type { HoldResult, Wallets } from '../../../app/wallet/ports.ts'
import { DomainError, isUnpaid, rateLimited } from '../../../domain/errors.ts'
import { minuteMs } from '../../../domain/time.ts'
import type { TokenSpent } from '../../../domain/tokens/caps.ts'
import { type Budget, tokenCountsOf } from '../../../domain/tokens/pat.ts'
import { bucketSeconds, staleBuckets } from '../../../domain/tokens/rate-limits.ts'
import { checkHoldRequest, decideHold, type HoldRequest, holdTtlMs, maxHolds } from '../../../domain/wallet/holds.ts'
import { dayKey, dayOf, hourOf, maxLossMicros, maxUnpaidMicros, triggers } from '../../../domain/wallet/limits.ts'
import { newWallet, type WalletState } from '../../../domain/wallet/state.ts'
import { type Change, get, transact, untilWritten } from '../calls.ts'
import type { Item } from '../item.ts'
import { admit, clearStale, counting, countsOf, isFull } from '../rates/admit.ts'
import { requestCheck } from './checks.ts'
import { capNames, dueShard, holdName, leftName, lostName, storedHold, toState, unpaidName, walletKey } from './item.ts'
import { readSpent, spentMove } from './spent.ts'
import { change, changeInput } from './writes.ts'

/** How often a smaller hold is tried on the exact balance while others change it. */
const tries = 8

/** Old counts a wallet keeps when calls that should have cleared them never ended. */
const staleAllowed = 10

export const holds = (table: string): Pick<Wallets, 'hold' | 'admitMachine'> => ({
  admitMachine({ userId, generation }, limit, nowMs) {
    const subject = {
      table,
      key: walletKey(userId),
      alive: '#generation = :generation AND #generation > :none',
      isAlive: (item: Item) => generation > 0 && toState(item).generation === generation,
      values: { ':generation': generation, ':none': 0 },
      read: () => null,
    }
    return admit(subject, limit, nowMs)
  },

  /** The bound is tried first, blindly; only a refusal has to read the wallet. */
  async hold(userId, callId, ask, nowMs) {
    let micros = checkHoldRequest(ask).boundMicros
    if (ask.budget) return holdForToken(table, userId, callId, ask, ask.budget, nowMs)
    let takesAll = false
    return untilWritten<HoldResult>(
      tries,
      () => rateLimited(1),
      async () => {
        const written = await change(holdChange(table, userId, callId, ask, micros, takesAll, nowMs))
        if (written.done) {
          rememberStaleCounters(callId, written.item, nowMs)
          await clearStale(table, walletKey(userId), written.item, nowMs, staleAllowed)
          return { held: true, micros, total: toState(written.item).total, counts: countsOf(written.item) }
        }
        if (!written.old) return { held: false, because: 'unknown', counts: {} }
        const counts = countsOf(written.old)
        const state = toState(written.old)
        // The hold already exists if the answer to the attempt that made it was lost; its machine was alive then.
        const own = state.holds[callId]
        if (own) return { held: true, micros: own.micros, total: state.total, counts }
        if (state.generation === 0 || state.generation !== ask.generation)
          return { held: false, because: 'unknown', counts }
        const limited = isFull(counts, 'llm', nowMs)
        // First check the wallet itself: then waiting does not help.
        micros = await holdSize(table, state, ask, nowMs, limited)
        if (limited) return { held: false, because: 'limited', counts }
        takesAll = micros < ask.boundMicros && micros === state.available
        return lost
      },
    )
  },
})

/** A call refused for want of money is news for the wallet's owner, told by the next sweep. */
async function holdSize(
  table: string,
  state: WalletState,
  ask: HoldRequest,
  nowMs: number,
  limited: boolean,
  spent?: Record<string, TokenSpent>,
): Promise<number> {
  try {
    return decideHold(state, ask, nowMs, spent)
  } catch (refusal) {
    if (limited && !(refusal instanceof DomainError && isUnpaid(refusal))) return 0
    const lacking = state.available < Math.max(1, ask.minimumMicros) && Object.keys(state.holds).length === 0
    if (lacking && state.warned !== 'empty') await requestCheck(table, state.userId, nowMs)
    throw refusal
  }
}

/**
 * A person's call is held as a machine's is, and the counts of its token and those above it move with it, no further
 * than their caps.
 */
function holdForToken(
  table: string,
  userId: string,
  callId: string,
  ask: HoldRequest,
  budget: Budget,
  nowMs: number,
): Promise<HoldResult> {
  let micros = ask.boundMicros
  let takesAll = false
  const ids = tokenCountsOf(budget).map(({ tokenId }) => tokenId)
  return untilWritten<HoldResult>(
    tries,
    () => rateLimited(1),
    async () => {
      const written = await transact([
        { Update: changeInput(holdChange(table, userId, callId, ask, micros, takesAll, nowMs)) },
        ...tokenCountsOf(budget).map(({ tokenId, caps }) => ({
          Update: spentMove(table, userId, { tokenId, by: micros, startedMs: nowMs, caps }),
        })),
      ])
      const [item, { spent, stale }] = await Promise.all([
        get(table, walletKey(userId)),
        readSpent(table, userId, ids, nowMs),
      ])
      const state = item ? toState(item) : newWallet(userId)
      if (written.done && item) rememberStaleCounters(callId, item, nowMs, stale)
      const own = written.done ? { micros } : state.holds[callId]
      if (own) return { held: true, micros: own.micros, total: state.total, counts: {} }
      micros = await holdSize(table, state, ask, nowMs, false, spent)
      takesAll = micros < ask.boundMicros && micros === state.available
      return lost
    },
  )
}

/** The wallet's part of a hold. A machine is admitted and counted by it; a person was before. */
function holdChange(
  table: string,
  userId: string,
  callId: string,
  ask: HoldRequest,
  micros: number,
  takesAll: boolean,
  nowMs: number,
): Change {
  const { budget, generation } = ask
  const window = budget ? null : counting('llm', nowMs)
  const expiresMs = nowMs + holdTtlMs
  const trigger = ask.trigger ?? 'chat'
  const day = cappedBy('day', nowMs)
  const own = cappedBy(trigger, nowMs)
  const lost = `#${lostName(dayOf(nowMs))}`
  const unpaid = `#${unpaidName(hourOf(nowMs))}`
  const alive = budget ? '' : '#generation = :generation AND #generation > :zero AND '
  return {
    table,
    key: walletKey(userId),
    update: `SET #available = #available - :micros, #holds.#call = :hold, #dueShard = :shard,
      #dueAt = if_not_exists(#dueAt, :expires), ${day.update}, ${own.update}
      ${window ? `${window.update} REMOVE ${window.remove}, ` : 'REMOVE '}${oldDays(nowMs)}`,
    condition: `${alive}#owed = :zero AND attribute_not_exists(#frozen)
      AND (attribute_not_exists(${lost}) OR ${lost} < :loss)
      AND (attribute_not_exists(${unpaid}) OR ${unpaid} < :unpaid) AND #available ${takesAll ? '=' : '>='} :micros AND ${day.condition} AND ${own.condition}
      AND size(#holds) < :max AND attribute_not_exists(#holds.#call)${window ? ` AND ${window.condition}` : ''}`,
    values: {
      ...window?.values,
      ':micros': micros,
      ':hold': storedHold({ micros, expiresMs, trigger, ...(budget && heldFor(budget)) }),
      ':shard': dueShard(userId),
      ':expires': expiresMs,
      ...(!budget && { ':generation': generation }),
      ':zero': 0,
      ':max': maxHolds,
      ':loss': maxLossMicros,
      ':unpaid': maxUnpaidMicros,
    },
    names: { '#call': holdName(callId) },
  }
}

const heldFor = ({ tokenId, above }: Budget) => ({ tokenId, above: above.map((count) => count.tokenId) })

/** A cap as a condition: what is left of it today, which on a day without spending is all of it. */
function cappedBy(of: keyof typeof capNames, nowMs: number) {
  const left = `#${leftName(dayKey(dayOf(nowMs), of))}`
  const cap = `#${capNames[of]}`
  return {
    update: `${left} = if_not_exists(${left}, ${cap}) - :micros`,
    condition: `(${left} >= :micros OR (attribute_not_exists(${left}) AND ${cap} >= :micros))`,
  }
}

/** Days before the oldest open one whose counters each hold clears on its way. */
const clearedDays = 3

/** How far a function's clock may be behind another's, ms. */
const skewMs = 5 * minuteMs

/** The oldest day that a call may still count on: right after midnight, by some clock, it is yesterday. */
const openDay = (nowMs: number): number => dayOf(nowMs - skewMs)

const oldDays = (nowMs: number): string =>
  Array.from({ length: clearedDays }, (_, i) => openDay(nowMs) - 1 - i)
    .flatMap((day) => [lostName(day), ...(['day', ...triggers] as const).map((of) => leftName(dayKey(day, of)))])
    .map((name) => `#${name}`)
    .join(', ')

/**
 * Attributes of a wallet that nobody reads again, and that no hold names on its way: those of callers who come rarely.
 */
function staleCountersIn(item: Item, nowMs: number): string[] {
  const counts = staleBuckets(Object.keys(item), nowMs - bucketSeconds * 1000)
  const old = openDay(nowMs) - clearedDays
  const { left, lost, unpaid } = toState(item)
  const days = Object.keys(left).filter((key) => Number.parseInt(key, 10) < old)
  const losses = Object.keys(lost).filter((day) => Number.parseInt(day, 10) < old)
  const hours = Object.keys(unpaid).filter((hour) => Number.parseInt(hour, 10) < hourOf(nowMs - skewMs))
  return [...counts, ...days.map(leftName), ...losses.map(lostName), ...hours.map(unpaidName)].slice(0, 60)
}

/**
 * Stale counters, of the wallet and of the tokens, by call: each call's own settlement clears what its hold saw, for
 * nothing.
 */
const staleCounters = new Map<string, { wallet: string[]; tokens: Record<string, string[]> }>()

/** Calls remembered at once; beyond, the next hold sees what they leave. */
const maxRemembered = 1_000

function rememberStaleCounters(callId: string, item: Item, nowMs: number, tokens: Record<string, string[]> = {}): void {
  const wallet = staleCountersIn(item, nowMs)
  const isAnyStale = [wallet, ...Object.values(tokens)].some(({ length }) => length > 0)
  if (isAnyStale && staleCounters.size < maxRemembered) staleCounters.set(callId, { wallet, tokens })
}

/** The attributes that the end of a call removes besides its hold, in the form of an update: `, #a, #b`. */
export const staleCountersOf = (callId: string): string =>
  (staleCounters.get(callId)?.wallet ?? []).map((name) => `, #${name}`).join('')

/** A token's counts that the end of a call removes. */
export const staleTokenCounts = (callId: string, tokenId: string): string[] =>
  staleCounters.get(callId)?.tokens[tokenId] ?? []

export const forgetStaleCounters = (callId: string): boolean => staleCounters.delete(callId)
