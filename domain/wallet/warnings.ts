import { dayMs } from '../time.ts'
import { heldOf, type WalletState, type WarningLevel, warningLevels } from './state.ts'
import { dayClosesMs } from './usage.ts'
import { lowMicros, runwayDays } from './wallet.ts'

const dollarMicros = 1_000_000

/** A wallet below this many µUSD is checked at every dollar it falls by. */
const watchedMicros = 100 * dollarMicros

/** True when a settlement takes a wallet down by another dollar; warnings and automatic top-up depend on it. */
export const needsCheck = (before: number, after: number): boolean =>
  after < watchedMicros && Math.floor(before / dollarMicros) > Math.floor(after / dollarMicros)

export const nextCheckMs = (nowMs: number): number => (Math.floor(nowMs / dayMs) + 1) * dayMs + dayClosesMs

/** Each warning is sent once until money comes in, and no milder one follows a graver one. */
export function decideWarning(state: WalletState, refused: boolean, nowMs: number): WarningLevel {
  const now = warningOf(state, refused, nowMs)
  return warningLevels.indexOf(now) > warningLevels.indexOf(state.warned) ? now : state.warned
}

function warningOf(state: WalletState, refused: boolean, nowMs: number): WarningLevel {
  const left = state.available + heldOf(state)
  if (left === 0 || (refused && left < lowMicros)) return 'empty'
  if (left < lowMicros) return 'low'
  const days = runwayDays(state, nowMs)
  if (days === null || days >= 7) return 'none'
  if (days >= 3) return 'week'
  return days >= 1 ? 'days' : 'day'
}
