import * as z from 'zod'
import { recentSignInMs } from '../account/user.ts'
import { type Trigger, trigger } from '../chat/message.ts'
import { formatMicros } from '../dollars.ts'
import { forbidden, walletEmpty } from '../errors.ts'
import { centsToMicros, microsPerCent, unsignedMicros } from '../money.ts'
import { dayMs, iso, timestamp } from '../time.ts'

export const triggers = trigger.options

/** What may be spent in a UTC day, µUSD: in all, and by what started the turn. `unlimited` where there is no cap. */
export type Caps = Record<'day' | Trigger, number>

/** A cap nobody reaches; no cap is stored as this, so that one condition covers both. */
export const unlimited = 1_000_000_000_000

/** Until the user raises it: five dollars a day. */
export const newCaps: Caps = {
  day: 5_000_000,
  chat: unlimited,
  schedule: unlimited,
  heartbeat: unlimited,
  tool: unlimited,
}

const capCents = z.int().min(0).max(100_000).meta({ description: 'US cents in a UTC day; 500 is $5.00.' })
const perTrigger = <T extends z.ZodType>(one: T) =>
  z.strictObject({ chat: one, schedule: one, heartbeat: one, tool: one } satisfies Record<Trigger, T>)

/** What a user sets. */
export const limitSettings = z.strictObject({
  dailyCapCents: capCents,
  triggerCapsCents: perTrigger(capCents.nullable())
    .partial()
    .default({})
    .meta({ description: 'Caps by what started the turn; null or left out: none of its own.' }),
})
export type LimitSettings = z.infer<typeof limitSettings>

export const limits = z
  .object({
    dailyCapCents: capCents,
    triggerCapsCents: perTrigger(capCents.nullable()),
    spentTodayMicros: unsignedMicros.meta({ description: 'Spent or held since 00:00 UTC, in µUSD.' }),
    spentTodayByTriggerMicros: perTrigger(unsignedMicros),
    resetsAt: timestamp,
  })
  .meta({ id: 'WalletLimits' })
export type Limits = z.infer<typeof limits>

/** Whole UTC days since 1970. */
export const dayOf = (ms: number): number => Math.floor(ms / dayMs)

/** Names what is left of one day's cap: of all, or of one trigger. */
export const dayKey = (day: number, of: 'day' | Trigger): string => `${day}${of === 'day' ? '' : of.charAt(0)}`

/** What counts a wallet's spending: the caps, and what is left of them on the days that anything was spent. */
export interface Spending {
  caps: Caps
  left: Readonly<Record<string, number>>
}

export const leftOf = ({ caps, left }: Spending, of: 'day' | Trigger, nowMs: number): number =>
  left[dayKey(dayOf(nowMs), of)] ?? caps[of]

/** What was spent today, µUSD: caps and what is left of them always move together. */
export const spentOf = (state: Spending, of: 'day' | Trigger, nowMs: number): number =>
  Math.max(0, state.caps[of] - leftOf(state, of, nowMs))

export function showLimits(state: Spending, nowMs: number): Limits {
  const each = <T>(read: (one: Trigger) => T) =>
    ({
      chat: read('chat'),
      schedule: read('schedule'),
      heartbeat: read('heartbeat'),
      tool: read('tool'),
    }) satisfies Record<Trigger, T>
  return {
    dailyCapCents: Math.floor(state.caps.day / microsPerCent),
    triggerCapsCents: each((one) => centsOf(state.caps[one])),
    spentTodayMicros: spentOf(state, 'day', nowMs),
    spentTodayByTriggerMicros: each((one) => spentOf(state, one, nowMs)),
    resetsAt: iso((dayOf(nowMs) + 1) * dayMs),
  }
}

const centsOf = (micros: number): number | null => (micros === unlimited ? null : Math.floor(micros / microsPerCent))

export function capsOf({ dailyCapCents, triggerCapsCents }: LimitSettings): Caps {
  const cap = (one: Trigger) => {
    const cents = triggerCapsCents[one] ?? null
    return cents === null ? unlimited : centsToMicros(cents)
  }
  return {
    day: centsToMicros(dailyCapCents),
    chat: cap('chat'),
    schedule: cap('schedule'),
    heartbeat: cap('heartbeat'),
    tool: cap('tool'),
  }
}

export const raises = (from: Caps, to: Caps): boolean =>
  to.day > from.day || triggers.some((one) => to[one] > from[one])

/** @throws forbidden when the session's sign-in is too long ago to raise what can be spent */
export function checkMayRaise(signedInAt: string, nowMs: number): void {
  if (nowMs - Date.parse(signedInAt) > recentSignInMs) {
    throw forbidden('Raising what can be spent needs a sign-in of the last 10 minutes. Sign in again, then repeat it.')
  }
}

const words: Record<Trigger, string> = {
  chat: 'answering messages',
  schedule: 'scheduled work',
  heartbeat: 'heartbeats',
  tool: 'work started by tools',
}

/** The refusal of a call that a cap stands in the way of. */
export function capReached(caps: Caps, of: 'day' | Trigger) {
  const limit = formatMicros(caps[of])
  const what = of === 'day' ? `Today’s spending limit of ${limit}` : `Today’s limit of ${limit} for ${words[of]}`
  return walletEmpty(
    `${what} leaves too little for this call. Raise it on the wallet page of the dashboard, or wait until 00:00 UTC.`,
  )
}
