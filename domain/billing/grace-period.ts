import { dayMs, iso } from '../time.ts'

/** Days that files of an ended subscription are kept, with warnings on these days. */
export const graceDays = 30

export const warnOnDays = [0, 20, 27] as const

export interface GracePeriod {
  userId: string
  subscriptionId: string
  /** ISO 8601 UTC. */
  endedAt: string
  warned: number
  /** Time of the next step, ms since 1970. */
  dueMs: number
}

export const newGracePeriod = (userId: string, subscriptionId: string, nowMs: number): GracePeriod => ({
  userId,
  subscriptionId,
  endedAt: iso(nowMs),
  warned: 0,
  dueMs: nowMs,
})

type GraceStep = { do: 'wait' } | { do: 'warn'; daysLeft: number; nextMs: number } | { do: 'delete' }

/** However late the sweep runs, each warning leaves the time that it promises. */
export function decideGraceStep({ endedAt, warned, dueMs }: GracePeriod, nowMs: number): GraceStep {
  if (dueMs > nowMs) return { do: 'wait' }
  const day = warnOnDays[warned]
  if (day === undefined) return { do: 'delete' }
  const daysLeft = graceDays - day
  const next = warnOnDays[warned + 1] ?? graceDays
  const late = Math.max(0, nowMs - (Date.parse(endedAt) + day * dayMs))
  return { do: 'warn', daysLeft, nextMs: Date.parse(endedAt) + next * dayMs + late }
}
