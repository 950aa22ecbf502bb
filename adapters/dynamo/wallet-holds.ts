import { rateLimited } from '../../domain/errors.ts'
import { dayKey, dayOf, triggers } from '../../domain/wallet/limits.ts'
import { checkedAsk, decideHold, type HoldAsk, holdTtlMs, maxHolds } from '../../domain/wallet/moves.ts'
import type { HoldResult } from '../../domain/wallet/ports.ts'
import type { WalletState } from '../../domain/wallet/wallet.ts'
import { clearStale, counting, countsOf, isFull } from './admit.ts'
import { backOff } from './calls.ts'
import { capNames, dueShard, holdName, leftName, storedHold, toState, walletKey } from './wallet-item.ts'
import { clearedDays, noteLeftovers, openDay } from './wallet-leftovers.ts'
import { askForLook } from './wallet-looks.ts'
import { change } from './wallet-writes.ts'

/** How often a smaller hold is tried on the exact balance while others change it. */
const holdTries = 8

/** Old counts a wallet keeps when calls that should have cleared them never ended. */
const staleAllowed = 10

/** See `Wallets.hold`. The bound is tried first, blindly; only a refusal has to look at the wallet. */
export async function hold(
  table: string,
  userId: string,
  callId: string,
  ask: HoldAsk,
  nowMs: number,
): Promise<HoldResult> {
  let micros = checkedAsk(ask).boundMicros
  let all = false
  for (let tried = 1; tried <= holdTries; tried++) {
    const written = await writeHold(table, userId, callId, ask, micros, all, nowMs)
    if (written.done) {
      noteLeftovers(callId, written.item, nowMs)
      await clearStale(table, walletKey(userId), written.item, nowMs, staleAllowed)
      return { held: true, micros, total: toState(written.item).total, counts: countsOf(written.item) }
    }
    if (!written.old) return { held: false, because: 'unknown', counts: {} }
    const counts = countsOf(written.old)
    const state = toState(written.old)
    if (state.generation === 0 || state.generation !== ask.generation)
      return { held: false, because: 'unknown', counts }
    // The hold is there already when the answer to the attempt that made it was lost.
    const own = state.holds[callId]
    if (own) return { held: true, micros: own.micros, total: state.total, counts }
    if (isFull(counts, 'llm', nowMs)) return { held: false, because: 'limited', counts }
    micros = await decided(table, state, ask, nowMs)
    all = micros < ask.boundMicros && micros === state.available
    if (tried > 1) await backOff(Math.min(tried, 3))
  }
  throw rateLimited(1)
}

/** A call refused for want of money is news for the wallet's owner, told by the next sweep. */
async function decided(table: string, state: WalletState, ask: HoldAsk, nowMs: number): Promise<number> {
  try {
    return decideHold(state, ask, nowMs)
  } catch (refusal) {
    const lacking = state.available < Math.max(1, ask.minimumMicros) && Object.keys(state.holds).length === 0
    if (lacking && state.told !== 'empty') await askForLook(table, state.userId, nowMs)
    throw refusal
  }
}

function writeHold(
  table: string,
  userId: string,
  callId: string,
  ask: HoldAsk,
  micros: number,
  all: boolean,
  nowMs: number,
) {
  const window = counting('llm', nowMs)
  const expiresMs = nowMs + holdTtlMs
  const trigger = ask.trigger ?? 'chat'
  const day = cappedBy('day', nowMs)
  const own = cappedBy(trigger, nowMs)
  return change({
    table,
    key: walletKey(userId),
    update: `SET #available = #available - :micros, #holds.#call = :hold, #dueShard = :shard,
      #dueAt = if_not_exists(#dueAt, :expires), ${day.update}, ${own.update}
      ${window.update} REMOVE ${window.remove}, ${oldDays(nowMs)}`,
    condition: `#generation = :generation AND #generation > :zero AND #owed = :zero AND attribute_not_exists(#frozen)
      AND #available ${all ? '=' : '>='} :micros AND ${day.condition} AND ${own.condition}
      AND size(#holds) < :max AND attribute_not_exists(#holds.#call) AND ${window.condition}`,
    values: {
      ...window.values,
      ':micros': micros,
      ':hold': storedHold(micros, expiresMs, trigger),
      ':shard': dueShard(userId),
      ':expires': expiresMs,
      ':generation': ask.generation,
      ':zero': 0,
      ':max': maxHolds,
    },
    names: { '#call': holdName(callId) },
  })
}

/** A cap as a condition: what is left of it today, which on a day without spending is all of it. */
function cappedBy(of: keyof typeof capNames, nowMs: number) {
  const left = `#${leftName(dayKey(dayOf(nowMs), of))}`
  const cap = `#${capNames[of]}`
  return {
    update: `${left} = if_not_exists(${left}, ${cap}) - :micros`,
    condition: `(${left} >= :micros OR (attribute_not_exists(${left}) AND ${cap} >= :micros))`,
  }
}

const daysBefore = (nowMs: number) => Array.from({ length: clearedDays }, (_, i) => openDay(nowMs) - 1 - i)

const oldDays = (nowMs: number): string =>
  daysBefore(nowMs)
    .flatMap((day) => ['day' as const, ...triggers].map((of) => `#${leftName(dayKey(day, of))}`))
    .join(', ')
