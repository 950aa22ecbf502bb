import type { Part } from '../../../app/ports/part.ts'
import type { HoldResult, Wallets } from '../../../app/ports/wallet.ts'
import { lost } from '../../../app/retry.ts'
import { DomainError, rateLimited } from '../../../domain/errors.ts'
import { bucketSeconds, staleBuckets } from '../../../domain/rates/rate-limits.ts'
import { minuteMs } from '../../../domain/time.ts'
import type { TokenSpent } from '../../../domain/tokens/caps.ts'
import { type Budget, tokenCountsOf } from '../../../domain/tokens/pat.ts'
import { checkHoldRequest, decideHold, type HoldRequest, holdTtlMs, maxHolds } from '../../../domain/wallet/holds.ts'
import { dayKey, dayOf, hourOf, maxLossMicros, maxUnpaidMicros, triggers } from '../../../domain/wallet/limits.ts'
import { isUnpaid } from '../../../domain/wallet/payment-required.ts'
import { newWallet, type WalletState } from '../../../domain/wallet/state.ts'
import { get, transact, untilWritten } from '../calls.ts'
import { checked } from '../expressions.ts'
import type { Item } from '../item.ts'
import { admit, clearStale, counting, countsOf, isFull } from '../rates/window.ts'
import { requestCheck } from './checks.ts'
import {
  capNames,
  dueShard,
  holdName,
  leftName,
  lostName,
  storedHold,
  toState,
  unpaidName,
  walletAt,
  walletKey,
} from './item.ts'
import { readSpent, spentMove } from './spent.ts'
import { change, changeInput } from './writes.ts'

/** Tries of a smaller hold on the exact balance while others change it. */
const tries = 8

/** Old counts that a wallet keeps when calls never ended that should remove them. */
const staleAllowed = 10

export const holds = (table: string): Pick<Wallets, 'hold' | 'admitMachine'> => ({
  admitMachine({ userId, generation }, limit, nowMs) {
    const subject = {
      ...checked({
        ...walletAt(table, userId),
        condition: '#generation = :generation AND #generation > :none',
        values: { ':generation': generation, ':none': 0 },
      }),
      isAlive: (item: Item) => generation > 0 && toState(item).generation === generation,
      read: () => null,
    }
    return admit(subject, limit, nowMs)
  },

  /** Tries the bound without a read; only a refusal reads the wallet. */
  async hold(userId, callId, ask, nowMs, ...also) {
    let micros = checkHoldRequest(ask).boundMicros
    if (ask.budget) return holdForToken(table, userId, callId, ask, ask.budget, nowMs, also)
    let takesAll = false
    return untilWritten<HoldResult>(
      tries,
      () => rateLimited(1),
      async () => {
        const written = await change(holdChange(table, userId, callId, ask, micros, takesAll, nowMs), ...also)
        if (written.done) {
          rememberStaleCounters(callId, written.item, nowMs)
          await clearStale(table, walletKey(userId), written.item, nowMs, staleAllowed)
          return { held: true, micros, total: toState(written.item).total, counts: countsOf(written.item) }
        }
        if (!written.old) return { held: false, because: 'unknown', counts: {} }
        const counts = countsOf(written.old)
        const state = toState(written.old)
        // A retry after a lost answer finds its own hold; its machine was alive then.
        const own = state.holds[callId]
        if (own) return { held: true, micros: own.micros, total: state.total, counts }
        if (state.generation === 0 || state.generation !== ask.generation)
          return { held: false, because: 'unknown', counts }
        const limited = isFull(counts, 'llm', nowMs)
        // Check the wallet itself first: if it has too little, waiting does not help.
        micros = await holdSize(table, state, ask, nowMs, limited)
        if (limited) return { held: false, because: 'limited', counts }
        takesAll = micros < ask.boundMicros && micros === state.available
        return lost
      },
    )
  },
})

/** A call without enough money requests a check, which notifies the owner. */
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

/** Like a machine's hold, but also moves the counts of the token and of those above it, up to their caps. */
function holdForToken(
  table: string,
  userId: string,
  callId: string,
  ask: HoldRequest,
  budget: Budget,
  nowMs: number,
  also: readonly Part[],
): Promise<HoldResult> {
  let micros = ask.boundMicros
  let takesAll = false
  const ids = tokenCountsOf(budget).map(({ tokenId }) => tokenId)
  return untilWritten<HoldResult>(
    tries,
    () => rateLimited(1),
    async () => {
      const parts = [
        { Update: changeInput(holdChange(table, userId, callId, ask, micros, takesAll, nowMs)) },
        ...tokenCountsOf(budget).map(({ tokenId, caps }) => ({
          Update: spentMove(table, userId, { tokenId, by: micros, startedMs: nowMs, caps }),
        })),
      ]
      const written = await transact(parts, ...also)
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

/** The wallet's part of a hold. It admits and counts a machine; a person was admitted before. */
function holdChange(
  table: string,
  userId: string,
  callId: string,
  ask: HoldRequest,
  micros: number,
  takesAll: boolean,
  nowMs: number,
) {
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
    ...walletAt(table, userId),
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
  } as const
}

const heldFor = ({ tokenId, above }: Budget) => ({ tokenId, above: above.map((count) => count.tokenId) })

/** A cap as a condition on the rest of today. On a day without spending, the rest is the whole cap. */
function cappedBy(of: keyof typeof capNames, nowMs: number) {
  const left = `#${leftName(dayKey(dayOf(nowMs), of))}`
  const cap = `#${capNames[of]}`
  return {
    update: `${left} = if_not_exists(${left}, ${cap}) - :micros`,
    condition: `(${left} >= :micros OR (attribute_not_exists(${left}) AND ${cap} >= :micros))`,
  }
}

/** Older days whose counters each hold removes. */
const clearedDays = 3

/** Maximum clock difference between functions, ms. */
const skewMs = 5 * minuteMs

/** The oldest day that a call may still count on: yesterday, shortly after midnight. */
const openDay = (nowMs: number): number => dayOf(nowMs - skewMs)

const oldDays = (nowMs: number): string =>
  Array.from({ length: clearedDays }, (_, i) => openDay(nowMs) - 1 - i)
    .flatMap((day) => [lostName(day), ...(['day', ...triggers] as const).map((of) => leftName(dayKey(day, of)))])
    .map((name) => `#${name}`)
    .join(', ')

/** Attributes that nobody reads again and that no hold removes: those of rare callers. */
function staleCountersIn(item: Item, nowMs: number): string[] {
  const counts = staleBuckets(Object.keys(item), nowMs - bucketSeconds * 1000)
  const old = openDay(nowMs) - clearedDays
  const { left, lost, unpaid } = toState(item)
  const days = Object.keys(left).filter((key) => Number.parseInt(key, 10) < old)
  const losses = Object.keys(lost).filter((day) => Number.parseInt(day, 10) < old)
  const hours = Object.keys(unpaid).filter((hour) => Number.parseInt(hour, 10) < hourOf(nowMs - skewMs))
  return [...counts, ...days.map(leftName), ...losses.map(lostName), ...hours.map(unpaidName)].slice(0, 60)
}

/** Stale counters of wallet and tokens by call. The call's settlement removes what its hold saw, at no extra cost. */
const staleCounters = new Map<string, { wallet: string[]; tokens: Record<string, string[]> }>()

/** Maximum number of remembered calls. The next hold sees what the others leave. */
const maxRemembered = 1_000

function rememberStaleCounters(callId: string, item: Item, nowMs: number, tokens: Record<string, string[]> = {}): void {
  const wallet = staleCountersIn(item, nowMs)
  const isAnyStale = [wallet, ...Object.values(tokens)].some(({ length }) => length > 0)
  if (isAnyStale && staleCounters.size < maxRemembered) staleCounters.set(callId, { wallet, tokens })
}

/** Attributes that the end of a call removes besides its hold, as the end of an update: `, #a, #b`. */
export const staleCountersOf = (callId: string): string =>
  (staleCounters.get(callId)?.wallet ?? []).map((name) => `, #${name}`).join('')

export const staleTokenCounts = (callId: string, tokenId: string): string[] =>
  staleCounters.get(callId)?.tokens[tokenId] ?? []

export const forgetStaleCounters = (callId: string): boolean => staleCounters.delete(callId)
