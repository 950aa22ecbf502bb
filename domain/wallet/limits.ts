import * as z from 'zod'
import { checkRecentSignIn } from '../account/recent-sign-in.ts'
import { type Trigger, trigger } from '../chat/message.ts'
import { formatMicros } from '../dollars.ts'
import { DomainError, rateLimited } from '../errors.ts'
import { centsToMicros, microsPerCent, unsignedMicros } from '../money.ts'
import { dayMs, hourMs, iso, secondMs } from '../time.ts'
import { timestamp } from '../timestamp.ts'
import { type CapPeriod, periodAt } from '../tokens/caps.ts'
import type { TokenCount } from '../tokens/pat.ts'
import { spendingLimit } from './payment-required.ts'

export const triggers = trigger.options

const byTrigger = <T>(read: (trigger: Trigger) => T) =>
  ({
    chat: read('chat'),
    schedule: read('schedule'),
    heartbeat: read('heartbeat'),
    tool: read('tool'),
    api: read('api'),
  }) satisfies Record<Trigger, T>

/** Highest spending in a UTC day, µUSD; `unlimited` where there is no cap. */
export type Caps = Record<'day' | Trigger, number>

/** Stored in place of "no cap", so that one condition covers both. */
export const unlimited = 1_000_000_000_000

export const newCaps: Caps = { day: 5_000_000, ...byTrigger(() => unlimited) }

const capCents = z.int().min(0).max(100_000).meta({ description: 'US cents in a UTC day; 500 is $5.00.' })
const perTrigger = <T extends z.ZodType>(value: T) => z.strictObject(byTrigger(() => value))

export const limitSettings = z.strictObject({
  dailyCapCents: capCents,
  triggerCapsCents: perTrigger(capCents.nullable())
    .partial()
    .default({})
    .meta({ description: 'Caps by what started the turn. Null or omitted: no separate cap.' }),
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

export const dayKey = (day: number, of: 'day' | Trigger): string => `${day}${of === 'day' ? '' : of.charAt(0)}`

/** Spending counters of a wallet: the caps and, on days with spending, the rest of each. */
export interface Spending {
  caps: Caps
  left: Readonly<Record<string, number>>
  /** By day: µUSD that calls cost above what the wallet could pay. */
  lost: Readonly<Record<number, number>>
  /** By UTC hour: µUSD that providers billed for failed calls. */
  unpaid: Readonly<Record<number, number>>
}

export const leftOf = ({ caps, left }: Spending, of: 'day' | Trigger, nowMs: number): number =>
  left[dayKey(dayOf(nowMs), of)] ?? caps[of]

/** Our loss, µUSD in a UTC day, from calls of one wallet above what it could pay. Above it nothing more is held. */
export const maxLossMicros = 1_000_000

/**
 * Calls that fail before any output are free, so a user could have a provider work for nothing. This bounds their bills
 * in a UTC hour: above it nothing more is held. Each call counts with a tenth of it at most, so that no single call
 * reaches it.
 */
export const maxUnpaidMicros = 1_000_000
const maxUnpaidPerCallMicros = 100_000

export const unpaidCounted = (micros: number): number => Math.min(micros, maxUnpaidPerCallMicros)

export const hourOf = (ms: number): number => Math.floor(ms / hourMs)

export const failedTooOften = (nowMs: number) =>
  rateLimited(
    Math.ceil(((hourOf(nowMs) + 1) * hourMs - nowMs) / secondMs),
    'Too many of your calls failed at their provider within this hour.',
  )

export const lossReached = () =>
  spendingLimit(
    'Calls of today cost more than the wallet’s balance and limits could pay, so it rests. Wait until 00:00 UTC, and leave out features that providers charge for besides tokens.',
  )

/** Today's spending, µUSD: caps and their rest always change together. */
export const spentOf = (state: Spending, of: 'day' | Trigger, nowMs: number): number =>
  Math.max(0, state.caps[of] - leftOf(state, of, nowMs))

export const showLimits = (state: Spending, nowMs: number): Limits => ({
  dailyCapCents: Math.floor(state.caps.day / microsPerCent),
  triggerCapsCents: byTrigger((trigger) => centsOf(state.caps[trigger])),
  spentTodayMicros: spentOf(state, 'day', nowMs),
  spentTodayByTriggerMicros: byTrigger((trigger) => spentOf(state, trigger, nowMs)),
  resetsAt: iso((dayOf(nowMs) + 1) * dayMs),
})

const centsOf = (micros: number): number | null => (micros === unlimited ? null : Math.floor(micros / microsPerCent))

export const capsOf = ({ dailyCapCents, triggerCapsCents }: LimitSettings): Caps => ({
  day: centsToMicros(dailyCapCents),
  ...byTrigger((trigger) => {
    const cents = triggerCapsCents[trigger] ?? null
    return cents === null ? unlimited : centsToMicros(cents)
  }),
})

export const raises = (from: Caps, to: Caps): boolean =>
  to.day > from.day || triggers.some((trigger) => to[trigger] > from[trigger])

/** @throws forbidden when the session's sign-in is not recent */
export const checkMayRaise = (signedInAt: string, nowMs: number): void =>
  checkRecentSignIn(
    signedInAt,
    nowMs,
    'Raising what can be spent needs a sign-in of the last 10 minutes. Sign in again, then repeat it.',
  )

export const activities: Record<Trigger, string> = {
  chat: 'answering messages',
  schedule: 'scheduled work',
  heartbeat: 'heartbeats',
  tool: 'work started by tools',
  api: 'your own clients',
}

export const periodWords: Record<CapPeriod, { of: string; wait: string }> = {
  total: { of: 'in all', wait: '' },
  day: { of: 'in a day', wait: ', or wait until 00:00 UTC' },
  month: { of: 'in a month', wait: ', or wait until 00:00 UTC on the first of next month' },
}

/** A limit that leaves too little for a call: the wallet's daily one, or a token's own. */
export interface ReachedLimit {
  of: 'day' | Trigger | CapPeriod
  /** The day or month, as `periodAt` returns it. */
  period: string
  capMicros: number
  token: { id: string; name: string } | null
}

export class LimitReached extends DomainError {
  readonly limit: ReachedLimit

  constructor(message: string, limit: ReachedLimit) {
    super('spending-limit', message)
    this.limit = limit
  }
}

export function tokenCapReached({ tokenId, name, caps }: TokenCount, of: CapPeriod, leftMicros: number, nowMs: number) {
  const words = periodWords[of]
  const capMicros = caps[of] ?? 0
  return new LimitReached(
    `The token “${name}” has ${formatMicros(leftMicros)} left of the ${formatMicros(capMicros)} it may spend ${words.of}, too little for this call. Change its limit on the tokens page of the dashboard${words.wait}.`,
    { of, period: periodAt(of, nowMs), capMicros, token: { id: tokenId, name } },
  )
}

export function capReached(caps: Caps, of: 'day' | Trigger, nowMs: number) {
  const capMicros = caps[of]
  const limit = formatMicros(capMicros)
  const what = of === 'day' ? `Today’s spending limit of ${limit}` : `Today’s limit of ${limit} for ${activities[of]}`
  return new LimitReached(
    `${what} leaves too little for this call. Raise it on the wallet page of the dashboard, or wait until 00:00 UTC.`,
    { of, period: periodAt('day', nowMs), capMicros, token: null },
  )
}
