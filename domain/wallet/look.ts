import type { Basics, Ports } from '../ports.ts'
import { dayMs, minuteMs } from '../time.ts'
import { type AutoTopUpDecision, decideAutoTopUp } from './auto-topup.ts'
import type { Look } from './ports.ts'
import { dateOf, spentIn, sumDays, type UsageDay } from './usage.ts'
import { runwayDays, type WalletState } from './wallet.ts'
import { decideWarning, warningMail } from './warnings.ts'

/** Days of spending that say how long the balance lasts. */
const rateDays = 7

const dollarMicros = 1_000_000

/** Below this many µUSD a wallet is looked at for every dollar it falls by. */
const watchedMicros = 100 * dollarMicros

/** True when a settlement takes a wallet down by another dollar: warnings and automatic top-up hang on it. */
export const wantsLook = (before: number, after: number): boolean =>
  after < watchedMicros && Math.floor(before / dollarMicros) > Math.floor(after / dollarMicros)

/** A day is added up a little after it ended, when no line of it can still come. */
export const nextLookMs = (nowMs: number): number => (Math.floor(nowMs / dayMs) + 1) * dayMs + 10 * minuteMs

export type LookPorts = Pick<Ports, 'wallets' | 'users' | 'events' | 'mail' | 'bus'> & Basics

/** Looks at a wallet that was used: warns its owner, and asks for an automatic top-up where one is due. */
export async function lookAt(
  deps: LookPorts,
  userId: string,
  because: { refused: boolean; rate: number | null },
  nowMs: number,
): Promise<void> {
  const [read, record] = await Promise.all([deps.wallets.read(userId), deps.wallets.autoTopUp(userId)])
  const state = { ...read, rate: because.rate ?? read.rate }
  const auto = decideAutoTopUp(record, state, nowMs)
  if (auto.charge) await deps.bus.publish('wallet.low', userId)
  const to = decideWarning(state, because.refused, nowMs)
  if (to === state.told && because.rate === null) return
  const claimed = await deps.wallets.noteLook(userId, { rate: because.rate, from: state.told, to })
  if (claimed && to !== state.told) await warn(deps, state, to, auto, nowMs)
}

async function warn(
  deps: LookPorts,
  state: WalletState,
  to: WalletState['told'],
  auto: AutoTopUpDecision,
  nowMs: number,
): Promise<void> {
  const { userId, available: balanceMicros } = state
  const days = runwayDays(state, nowMs)
  await deps.events.record(userId, to === 'empty' ? 'wallet.empty' : 'wallet.low', { balanceMicros, runwayDays: days })
  const user = await deps.users.find(userId)
  if (user) await deps.mail.send(warningMail(user.email, to, balanceMicros, auto, deps.settings.publicOrigin))
}

/** The look of the day: adds up the days that ended, and says when to come again. */
export async function lookDaily(deps: LookPorts, look: Look, nowMs: number): Promise<void> {
  const rate = await rateNow(deps, look.userId, nowMs)
  await lookAt(deps, look.userId, { refused: look.refused, rate }, nowMs)
  await deps.wallets.lookAgain(look, rate > 0 ? nextLookMs(nowMs) : null)
}

/** µUSD a day over the days since the first that had spending, seven at most. */
async function rateNow(deps: Pick<Ports, 'wallets'>, userId: string, nowMs: number): Promise<number> {
  const days = await endedDays(deps, userId, nowMs - rateDays * dayMs, nowMs, nowMs)
  const first = days.findIndex((day) => spentIn(day) > 0)
  if (first < 0) return 0
  const counted = days.slice(first)
  return Math.ceil(counted.reduce((sum, day) => sum + spentIn(day), 0) / counted.length)
}

/**
 * The whole days from one instant to another, all of them ended, each with its sum, oldest first. What is not kept yet
 * is added up in one reading of the lines; until a little after midnight yesterday is still made anew.
 */
export async function endedDays(
  { wallets }: Pick<Ports, 'wallets'>,
  userId: string,
  fromMs: number,
  toMs: number,
  nowMs: number,
): Promise<UsageDay[]> {
  const first = Math.floor(fromMs / dayMs)
  const length = Math.max(0, Math.floor(toMs / dayMs) - first)
  const dates = Array.from({ length }, (_, i) => (first + i) * dayMs)
  const [oldest, newest] = [dates[0], dates.at(-1)]
  if (oldest === undefined || newest === undefined) return []
  const kept = await wallets.usageDays(userId, dateOf(oldest), dateOf(newest))
  const known = new Map(kept.map((one) => [one.day, one]))
  const missing = dates.filter((ms) => !known.has(dateOf(ms)))
  const [from, last] = [missing[0], missing.at(-1)]
  if (from === undefined || last === undefined) return kept
  const made = new Map((await sumDays(wallets.lines(userId, from, last + dayMs))).map((one) => [one.day, one]))
  const sumOf = (ms: number): UsageDay =>
    known.get(dateOf(ms)) ?? made.get(dateOf(ms)) ?? { day: dateOf(ms), groups: {} }
  // A wallet without use has nothing worth keeping: reading it again is one call.
  const settled = made.size === 0 ? [] : missing.filter((ms) => ms + dayMs + 10 * minuteMs <= nowMs)
  await Promise.all(settled.map((ms) => wallets.keepUsageDay(userId, sumOf(ms))))
  return dates.map(sumOf)
}
