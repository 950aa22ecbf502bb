import type { Trigger } from '../chat/message.ts'
import { formatMicros } from '../dollars.ts'
import { DomainError, rateLimited, unauthorized } from '../errors.ts'
import { wholeAmount } from '../money.ts'
import { minuteMs } from '../time.ts'
import { type CapPeriod, capPeriods, nothingSpent, periodAt, type TokenSpent } from '../tokens/caps.ts'
import { type Budget, type TokenCount, tokenCountsOf } from '../tokens/pat.ts'
import { type Balances, receive } from './ledger.ts'
import {
  capReached,
  dayOf,
  failedTooOften,
  hourOf,
  leftOf,
  lossReached,
  maxLossMicros,
  maxUnpaidMicros,
  tokenCapReached,
  unlimited,
} from './limits.ts'
import { walletEmpty, walletOwes, walletSuspended } from './payment-required.ts'
import { countsOfHold, type Hold, heldOf, type WalletState } from './state.ts'

/** Only open and expired holds are stored; the ledger has the rest. */
export type HoldState = 'open' | 'settled' | 'voided' | 'expired' | 'settled-late'
export type HoldEvent = 'settle' | 'void' | 'expire'

/**
 * Null: no change. Expiry returns the whole hold, so the late settlement of its call takes its cost from the balance.
 */
export const holdTransitions = {
  open: { settle: 'settled', void: 'voided', expire: 'expired' },
  expired: { settle: 'settled-late', void: null, expire: null },
  settled: { settle: null, void: null, expire: null },
  voided: { settle: null, void: null, expire: null },
  'settled-late': { settle: null, void: null, expire: null },
} as const satisfies Record<HoldState, Record<HoldEvent, HoldState | null>>

export const nextHoldState = (state: HoldState, verb: HoldEvent): HoldState | null => holdTransitions[state][verb]

/** @param within open hold plus the rest of balance and caps; after expiry only the balance */
const settledMicros = (costMicros: number, within: number): number => Math.min(wholeAmount(costMicros), within)

/** Keeps a wallet's item small enough for one write to check it. */
export const maxHolds = 10

/** The sweep may expire an unsettled hold after this time; the call's own limit is twelve minutes. */
export const holdTtlMs = 22 * minuteMs

export type HoldRequest = {
  /** Highest possible cost of the call, µUSD. */
  boundMicros: number
  /** Lowest possible cost of the call, µUSD: its input and the format's smallest output. */
  minimumMicros: number
  /** Its cap applies in addition to the day's; default `chat`. */
  trigger?: Trigger
} & Spender

/** The payer: the machine of this generation, or a person with an admitted token. */
export type Spender = { generation: number; budget?: never } | { budget: Budget; generation?: never }

/** Spent and held µUSD by token id. */
type SpentByToken = Readonly<Record<string, TokenSpent>>

const countLeft = ({ tokenId, caps }: TokenCount, period: CapPeriod, spent: SpentByToken): number =>
  caps[period] === null ? unlimited : caps[period] - (spent[tokenId] ?? nothingSpent)[period]

/** The lowest rest of all caps of a token and of the tokens above it, µUSD. */
const budgetLeft = ({ budget }: HoldRequest, spent: SpentByToken): number =>
  Math.min(
    unlimited,
    ...(budget ? tokenCountsOf(budget) : []).flatMap((count) =>
      capPeriods.map((period) => countLeft(count, period, spent)),
    ),
  )

/** @throws RangeError when an amount of the call is not whole */
export function checkHoldRequest(ask: HoldRequest): HoldRequest {
  wholeAmount(ask.boundMicros)
  wholeAmount(ask.minimumMicros)
  return ask
}

/**
 * The bound, or the rest of balance and caps when the minimum fits in it; µUSD.
 * @param spent counts of the token and of those above it
 * @throws unauthorized (another generation), wallet-empty, spending-limit, wallet-suspended, rate-limited (only open
 * holds prevent the call)
 */
export function decideHold(state: WalletState, ask: HoldRequest, nowMs: number, spent: SpentByToken = {}): number {
  checkHoldRequest(ask)
  if (!ask.budget && (state.generation === 0 || state.generation !== ask.generation)) throw staleMachine()
  if (state.frozen !== null) throw walletSuspended()
  if (Object.keys(state.holds).length >= maxHolds) throw rateLimited(5, 'Too many calls are under way at once.')
  if (state.owed > 0) throw walletOwes()
  if ((state.lost[dayOf(nowMs)] ?? 0) >= maxLossMicros) throw lossReached()
  if ((state.unpaid[hourOf(nowMs)] ?? 0) >= maxUnpaidMicros) throw failedTooOften(nowMs)
  const trigger = ask.trigger ?? 'chat'
  const room = Math.min(leftOf(state, 'day', nowMs), leftOf(state, trigger, nowMs))
  const most = Math.min(state.available, room, budgetLeft(ask, spent))
  if (most >= ask.boundMicros) return ask.boundMicros
  if (most > 0 && most >= ask.minimumMicros) return most
  const held = heldOf(state)
  const least = Math.max(1, ask.minimumMicros)
  // Balance and caps both get back the unused part of open calls.
  if (state.available + held < least) throw tooLittle(state.available + held, least)
  checkTokenCaps(state, ask, nowMs, spent)
  if (room + held >= least) throw rateLimited(5, 'Calls under way hold the money that this one needs.')
  throw capReached(state.caps, leftOf(state, 'day', nowMs) < least ? 'day' : trigger, nowMs)
}

const tooLittle = (there: number, least: number): DomainError =>
  there > 0 && least > 1
    ? walletEmpty(
        `The wallet has ${formatMicros(there)} left, and this call may cost ${formatMicros(least)}. Top it up on the wallet page of the dashboard, or send less.`,
      )
    : walletEmpty()

/** @throws spending-limit when a cap is too low even after open calls return their holds */
function checkTokenCaps(state: WalletState, ask: HoldRequest, nowMs: number, spent: SpentByToken): void {
  for (const count of ask.budget ? tokenCountsOf(ask.budget) : []) {
    for (const period of capPeriods) {
      const left = countLeft(count, period, spent)
      if (left + heldIn(state, count.tokenId, period, nowMs) < Math.max(1, ask.minimumMicros))
        throw tokenCapReached(count, period, Math.max(0, left), nowMs)
    }
  }
}

/** The µUSD that open calls of a token and of those below it hold in the current period. */
const heldIn = ({ holds }: WalletState, tokenId: string, period: CapPeriod, nowMs: number): number =>
  Object.values(holds)
    .filter(
      (hold) => countsOfHold(hold).includes(tokenId) && periodAt(period, startOf(hold)) === periodAt(period, nowMs),
    )
    .reduce((sum, { micros }) => sum + micros, 0)

/** Time of a hold's creation, ms since 1970. */
export const startOf = ({ expiresMs }: Pick<Hold, 'expiresMs'>): number => expiresMs - holdTtlMs

export const staleMachine = () =>
  unauthorized(
    'This machine is over: its instance was stopped, or another machine has taken over. Stop working and exit.',
  )

/**
 * Returns the unused part of a hold. A cost above the hold is taken from the balance within the caps; we bear the rest.
 */
export function decideSettle(
  state: WalletState,
  callId: string,
  costMicros: number,
): Balances & { costMicros: number } {
  const hold = state.holds[callId]
  if (!hold) throw new DomainError('conflict', 'This call is already settled.')
  const startedMs = startOf(hold)
  const room = Math.min(leftOf(state, 'day', startedMs), leftOf(state, hold.trigger, startedMs))
  const cost = settledMicros(costMicros, hold.micros + Math.max(0, Math.min(state.available, room)))
  const moved = cost > hold.micros ? takeBeyond(state, cost - hold.micros) : receive(state, hold.micros - cost)
  return { ...moved, costMicros: cost, total: state.total - cost }
}

const takeBeyond = ({ available, owed }: WalletState, micros: number) => ({ available: available - micros, owed })

export function decideLateSettle(state: WalletState, costMicros: number): Balances & { costMicros: number } {
  const cost = settledMicros(costMicros, state.available)
  return { costMicros: cost, available: state.available - cost, total: state.total - cost, owed: state.owed }
}
