import { rateLimited } from '../../domain/errors.ts'
import { wholeMicros } from '../../domain/money.ts'
import { decideHold, decideSettle, type HoldAsk, holdTtlMs, maxHolds } from '../../domain/wallet/moves.ts'
import type { HoldResult, Wallets } from '../../domain/wallet/ports.ts'
import type { Transaction, WalletState } from '../../domain/wallet/wallet.ts'
import { clearStale, counting, countsOf, isFull } from './admit.ts'
import { backOff, change, changeInput, transact } from './calls.ts'
import { newLineId } from './line-id.ts'
import { dueShard, findLine, linePut, readWallet, storedHold, toState, walletKey } from './wallet-item.ts'

/** How often a smaller hold is tried on the exact balance while others change it. */
const holdTries = 8

/** How often a settlement is tried on a total that others change. */
const settleTries = 20

/** Stale counts a wallet keeps: more, and it could outgrow one capacity unit. */
const staleAllowed = 12

/** See `Wallets.hold`. The bound is tried first, blindly; only a refusal has to look at the wallet. */
export async function hold(
  table: string,
  userId: string,
  callId: string,
  ask: HoldAsk,
  nowMs: number,
): Promise<HoldResult> {
  let micros = wholeMicros(ask.boundMicros)
  for (let tried = 1; tried <= holdTries; tried++) {
    const written = await writeHold(table, userId, callId, ask, micros, nowMs)
    if (written.done) {
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
    micros = decideHold(state, ask)
    if (tried > 1) await backOff(Math.min(tried, 3))
  }
  throw rateLimited(1)
}

function writeHold(table: string, userId: string, callId: string, ask: HoldAsk, micros: number, nowMs: number) {
  const window = counting('llm', nowMs)
  const expiresMs = nowMs + holdTtlMs
  // Below the bound a hold takes all there is, so it must be exactly that.
  const enough = micros < ask.boundMicros ? '#available = :micros' : '#available >= :micros'
  return change({
    table,
    key: walletKey(userId),
    update: `SET #available = #available - :micros, #holds.#call = :hold, #dueShard = :shard,
      #dueAt = if_not_exists(#dueAt, :expires) ${window.update} REMOVE ${window.remove}`,
    condition: `#generation = :generation AND #generation > :zero AND #owed = :zero AND ${enough}
      AND size(#holds) < :max AND attribute_not_exists(#holds.#call) AND ${window.condition}`,
    values: {
      ...window.values,
      ':micros': micros,
      ':hold': storedHold(micros, expiresMs),
      ':shard': dueShard(userId),
      ':expires': expiresMs,
      ':generation': ask.generation,
      ':zero': 0,
      ':max': maxHolds,
    },
    names: { '#call': callId },
  })
}

type Line = Parameters<Wallets['settle']>[3]

/** See `Wallets.settle`. What the caller knows of the wallet is tried first; a refusal tells what is true. */
export async function settle(
  table: string,
  userId: string,
  callId: string,
  costMicros: number,
  line: Line,
  knownTotal: number | null,
): Promise<Transaction | null> {
  if (wholeMicros(costMicros) < 0) throw new RangeError('a cost cannot be negative')
  if (costMicros === 0) return release(table, userId, callId)
  const id = newLineId(line.at)
  let seen = knownTotal === null ? await readWallet(table, userId) : asHeld(userId, callId, line, knownTotal)
  for (let tried = 1; tried <= settleTries; tried++) {
    const held = seen?.holds[callId]
    if (!seen || !held) return findLine(table, userId, id)
    if (held.micros === 0) return release(table, userId, callId)
    const { written, refused } = await writeSettlement(table, seen, callId, costMicros, line, id)
    if (written) return written
    seen = refused ? toState(refused) : await readWallet(table, userId)
    if (tried > 1) await backOff(Math.min(tried, 3))
  }
  throw new Error(`a call could not be settled in ${settleTries} tries; its hold stays until it is swept`)
}

/** The wallet as far as a settlement needs it, from what the hold answered. */
const asHeld = (userId: string, callId: string, line: Line, total: number): WalletState => ({
  userId,
  available: 0,
  total,
  owed: 0,
  holds: { [callId]: { micros: line.receipt.heldMicros, expiresMs: 0 } },
  generation: 0,
})

async function writeSettlement(
  table: string,
  seen: WalletState,
  callId: string,
  askedMicros: number,
  line: Line,
  id: string,
) {
  const held = seen.holds[callId]?.micros ?? 0
  const { costMicros, total, available } = decideSettle(seen, callId, askedMicros)
  const written: Transaction = {
    id,
    type: 'usage',
    amountMicros: -costMicros,
    balanceMicros: total,
    at: line.at,
    description: line.description,
    receipt: { ...line.receipt, heldMicros: held, settledMicros: costMicros },
  }
  // `available` moves by a difference and only `total` must be as seen: holds made meanwhile are in nobody's way.
  const wallet = changeInput({
    table,
    key: walletKey(seen.userId),
    update: 'SET #available = #available + :back, #total = :total REMOVE #holds.#call',
    condition: '#total = :seen AND #holds.#call.#m = :held',
    values: { ':back': available - seen.available, ':total': total, ':seen': seen.total, ':held': held },
    names: { '#call': callId },
  })
  const result = await transact([{ Update: wallet }, { Put: linePut(table, seen.userId, written) }])
  return result.done ? { written, refused: null } : { written: null, refused: result.refused[0] ?? null }
}

/** Gives a hold back whole. */
async function release(table: string, userId: string, callId: string): Promise<null> {
  await change({
    table,
    key: walletKey(userId),
    update: 'SET #available = #available + #holds.#call.#m REMOVE #holds.#call',
    condition: 'attribute_exists(#holds.#call)',
    values: {},
    names: { '#call': callId },
  })
  return null
}
