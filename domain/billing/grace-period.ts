import { dayMs, iso } from '../time.ts'

/** Files of an ended subscription are kept for this many days, and their owner is warned on these. */
export const graceDays = 30

export const warnOnDays = [0, 20, 27] as const

/** The files of an ended subscription, on their way to deletion. */
export interface GracePeriod {
  userId: string
  subscriptionId: string
  /** ISO 8601 UTC. */
  endedAt: string
  /** How many warnings were sent. */
  warned: number
  /** When the next thing is due, ms since 1970. */
  dueMs: number
}

export const newGracePeriod = (userId: string, subscriptionId: string, nowMs: number): GracePeriod => ({
  userId,
  subscriptionId,
  endedAt: iso(nowMs),
  warned: 0,
  dueMs: nowMs,
})

export type GraceStep = { do: 'wait' } | { do: 'warn'; daysLeft: number; nextMs: number } | { do: 'delete' }

/** Nobody's files go unwarned: however late the sweep, each warning leaves the time that it promises. */
export function decideGraceStep({ endedAt, warned, dueMs }: GracePeriod, nowMs: number): GraceStep {
  if (dueMs > nowMs) return { do: 'wait' }
  const day = warnOnDays[warned]
  if (day === undefined) return { do: 'delete' }
  const daysLeft = graceDays - day
  const next = warnOnDays[warned + 1] ?? graceDays
  const late = Math.max(0, nowMs - (Date.parse(endedAt) + day * dayMs))
  return { do: 'warn', daysLeft, nextMs: Date.parse(endedAt) + next * dayMs + late }
}
